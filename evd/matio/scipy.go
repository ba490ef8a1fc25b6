package matio

import (
	"fmt"
	"io"
	"strings"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
	"github.com/vkevd/vkevd/evd/matio/internal/number"
)

// sparse is a sparse matrix in one of the forms in which scipy.sparse.save_npz stores it: arrays in
// a .npz file. Entry k has the value data[k]. Its place in the matrix depends on the format:
//
//	coo  row row[k], column col[k]
//	csr  entries start[i] … start[i+1]−1 are in row i; entry k is in column index[k]
//	csc  entries start[j] … start[j+1]−1 are in column j; entry k is in row index[k]
//
// All indices count from 0. The method `each` checks the arrays.
type sparse struct {
	// file is the name of the .npz file, for errors.
	file string
	// format is coo, csr or csc.
	format string
	// rows and `cols` are the numbers of rows and columns of the matrix.
	rows, cols int
	// data holds the values of the entries.
	data []float64
	// row and `col` hold the row and the column of each entry, if the format is coo.
	row, col []float64
	// start[i] is the number of the first entry of row i (csr) or column i (csc). One more element
	// at the end has the number of entries. `start` is empty for coo. The file calls it indptr.
	start []float64
	// index[k] is the column of entry k (csr) or the row of entry k (csc). It is empty for coo. The
	// file calls it indices.
	index []float64
}

// isSparse reports whether the archive has the three arrays that scipy.sparse.save_npz writes for
// every format. Their names are `format`, `shape` and `data`.
func (z *archive) isSparse() bool {
	return z.member("format") != nil && z.member("shape") != nil && z.member("data") != nil
}

// readSparse reads the format, the shape and the arrays of a sparse matrix. It does not check the
// indices, because the method `each` checks them. For the formats bsr and dia the error advises to
// save A.tocsr(). Integers in the arrays are read as doubles. This is exact up to 2⁵³, and all
// valid indices are smaller.
func (z *archive) readSparse() (*sparse, error) {
	s := &sparse{file: z.name}
	var err error
	if s.format, err = inside(z, z.member("format"), readNPYWord); err != nil {
		return nil, err
	}
	shape, err := z.vector("shape")
	if err != nil {
		return nil, err
	}
	if len(shape) != 2 {
		return nil, s.errorf("the shape has %d numbers instead of 2", len(shape))
	}
	var ok [2]bool
	s.rows, ok[0] = whole(shape[0], memory.MostElements)
	s.cols, ok[1] = whole(shape[1], memory.MostElements)
	if !ok[0] || !ok[1] {
		return nil, s.errorf("the shape cannot be %g by %g", shape[0], shape[1])
	}
	// arrays maps the name of an array in the file to the field that receives the array.
	var arrays map[string]*[]float64
	switch s.format {
	case "coo":
		arrays = map[string]*[]float64{"row": &s.row, "col": &s.col}
	case "csr", "csc":
		arrays = map[string]*[]float64{"indptr": &s.start, "indices": &s.index}
	default:
		return nil, s.errorf("scipy.sparse format %s is not supported, only coo, csc, csr: save A.tocsr() instead", number.Quote([]byte(s.format)))
	}
	arrays["data"] = &s.data
	for name, to := range arrays {
		if *to, err = z.vector(name); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// readNPYWord reads an array that is a single string of ASCII letters. Python 3 saves such a string
// as bytes (type S) or as UTF-32 (type U) in either byte order. In all these encodings the letters
// remain if zero bytes are removed.
func readNPYWord(in *input) (string, error) {
	f := npy{input: in, most: memory.MostElements}
	if err := f.readDictionary(); err != nil {
		return "", err
	}
	// longest is the largest allowed number of bytes of the word. Names of formats have three
	// letters.
	const longest = 64
	text, err := io.ReadAll(io.LimitReader(in, longest))
	if err != nil {
		return "", f.wrap(err)
	}
	if kind := strings.TrimLeft(f.Descr, "<>|="); len(f.Shape) != 0 || kind == "" || kind[0] != 'S' && kind[0] != 'U' {
		return "", f.errorf("not a string, but an array of type %q", f.Descr)
	}
	return strings.ReplaceAll(string(text), "\x00", ""), nil
}

// whole returns x as an int, and reports whether x is an integer between 0 and `most`.
func whole(x float64, most int) (int, bool) {
	n := int(x)
	return n, x >= 0 && x <= float64(most) && float64(n) == x
}

// each calls the function `put` for each entry, with i and j counted from 0, and stops at the first
// error. If an entry is stored twice, `each` calls `put` for both, and their values must be added
// up. If the arrays do not have matching lengths, or an index is outside the matrix, the error is a
// *FormatError. `each` never calls `put` with such an index.
func (s *sparse) each(put func(i, j int, x float64) error) error {
	if s.format == "coo" {
		// The lengths of the arrays are checked here and not in readSparse, so that all checks of
		// the arrays are in one place.
		if len(s.row) != len(s.data) || len(s.col) != len(s.data) {
			return s.errorf("%d rows and %d columns for %d entries", len(s.row), len(s.col), len(s.data))
		}
		for k, x := range s.data {
			if err := s.put(s.row[k], s.col[k], x, put); err != nil {
				return err
			}
		}
		return nil
	}
	// The formats csr and csc differ only in their direction. In this loop, a line is a row of the
	// matrix if the format is csr, and a column if it is csc.
	lines := s.rows
	if s.format == "csc" {
		lines = s.cols
	}
	if len(s.start) != lines+1 || len(s.index) != len(s.data) {
		return s.errorf("indptr of %d and indices of %d elements for %d by %d with %d entries", len(s.start), len(s.index), s.rows, s.cols, len(s.data))
	}
	for line := range lines {
		// start must be ascending. If it were not, some entries would be in two rows or columns. No
		// program has saved such a matrix.
		from, ok := whole(s.start[line], len(s.data))
		to, ok2 := whole(s.start[line+1], len(s.data))
		if !ok || !ok2 {
			return s.errorf("indptr points outside the %d entries", len(s.data))
		}
		if to < from || line == 0 && from != 0 {
			return s.errorf("indptr does not ascend from 0: the entries of line %d are %d to %d (counted from 0)", line, from, to)
		}
		for k := from; k < to; k++ {
			i, j := float64(line), s.index[k]
			if s.format == "csc" {
				i, j = j, i
			}
			if err := s.put(i, j, s.data[k], put); err != nil {
				return err
			}
		}
	}
	return nil
}

// put checks the row and the column of one entry, which the file stores as doubles. It converts
// both to integers, and calls the function that is its last argument.
func (s *sparse) put(row, col, x float64, put func(i, j int, x float64) error) error {
	i, ok := whole(row, s.rows-1)
	j, ok2 := whole(col, s.cols-1)
	if !ok || !ok2 {
		return s.errorf("entry (%g,%g) is outside the %d by %d matrix (counted from 0)", row, col, s.rows, s.cols)
	}
	return put(i, j, x)
}

// dense returns the matrix with all elements stored. The memory for rows·cols elements may be much
// larger than the archive. If the system does not have this memory, the error is a *TooLargeError.
func (s *sparse) dense() (*Dense, error) {
	d, err := zeros(s.file, s.rows, s.cols, memory.MostElements)
	if err != nil {
		return nil, err
	}
	return d, s.each(func(i, j int, x float64) error {
		d.Data[i+j*d.Rows] += x
		return nil
	})
}

// tridiagonal returns the matrix as two diagonals. It needs only memory of order n. A nonzero entry
// outside the three diagonals is an error.
func (s *sparse) tridiagonal() (*Tridiagonal, error) {
	t, err := newTridiagonal(s.file, s.rows, s.cols)
	if err != nil {
		return nil, err
	}
	err = s.each(func(i, j int, x float64) error {
		if err := t.put(i, j, x); err != nil {
			return s.errorf("%v", err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t.whole()
}

// errorf makes an error about the content of the .npz file.
func (s *sparse) errorf(format string, args ...any) *FormatError {
	return &FormatError{s.file, 0, fmt.Sprintf(format, args...)}
}
