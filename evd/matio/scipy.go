package matio

import (
	"encoding/binary"
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
	source
	format     string
	rows, cols int
	data       []float64 // pairs if the matrix is complex
	row, col   []float64 // of coo
	start      []float64 // of csr and csc, indptr in the file; the last element is the number of entries
	index      []float64 // of csr and csc, indices in the file
}

func (z *archive) isSparse() bool {
	return z.member("format") != nil && z.member("shape") != nil && z.member("data") != nil
}

// sparse reads the format, the shape and the arrays of a sparse matrix; the method `each` checks
// the arrays. Integers are read as doubles. This is exact up to 2⁵³, and all valid indices are
// smaller.
func (o Options) sparse(z *archive) (*matrix, error) {
	s := &sparse{source: z.source}
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
	var arrays map[string]*[]float64
	switch s.format {
	case "coo":
		arrays = map[string]*[]float64{"row": &s.row, "col": &s.col}
	case "csr", "csc":
		arrays = map[string]*[]float64{"indptr": &s.start, "indices": &s.index}
	default:
		return nil, s.errorf("scipy.sparse format %s is not supported, only coo, csc, csr: save A.tocsr() instead", number.Quote([]byte(s.format)))
	}
	for name, to := range arrays {
		if *to, err = z.vector(name); err != nil {
			return nil, err
		}
	}
	_, err = inside(z, z.member("data"), func(in *input) (*array, error) {
		a, err := readArray(in, isVector, o.complexToo)
		if err == nil {
			s.data, s.complex = a.Data, in.complex
		}
		return a, err
	})
	return &matrix{s.source, &Dense{Rows: s.rows, Cols: s.cols}, s.each}, err
}

// readNPYWord reads an array that is a single string. Python 3 saves it as bytes (type S) or as
// UTF-32 (type U), and fills it with zeros at the end.
func readNPYWord(in *input) (string, error) {
	f := npy{input: in}
	if err := f.readDictionary(); err != nil {
		return "", err
	}
	const longest = 16 // letters; names of formats have three
	kind := strings.TrimLeft(f.Descr, "<>|=")
	width := map[string]int{"S": 1, "U": 4}[kind[:min(1, len(kind))]]
	if len(f.Shape) != 0 || width == 0 {
		return "", f.errorf("not a string, but an array of type %q", f.Descr)
	}
	text, err := io.ReadAll(io.LimitReader(in, longest*4+1))
	if err != nil {
		return "", f.failed(err)
	}
	if letters, ok := number.Count([]byte(kind[1:]), longest); !ok || len(text) != letters*width {
		return "", f.errorf("%d bytes of a string of type %q", len(text), f.Descr)
	}
	var word []rune
	for ; len(text) > 0; text = text[width:] {
		switch {
		case width == 1:
			word = append(word, rune(text[0]))
		case f.Descr[0] == '>':
			word = append(word, rune(binary.BigEndian.Uint32(text)))
		default:
			word = append(word, rune(le.Uint32(text)))
		}
	}
	return strings.TrimRight(string(word), "\x00"), nil
}

func whole(x float64, most int) (int, bool) {
	n := int(x)
	return n, x >= 0 && x <= float64(most) && float64(n) == x
}

// each implements matrix.each.
func (s *sparse) each(put func(i, j int, x complex128) error) error {
	entries := len(s.data)
	value := func(k int) complex128 { return complex(s.data[k], 0) }
	if s.complex {
		pairs := pairsOf(s.data)
		entries = len(pairs)
		value = func(k int) complex128 { return pairs[k] }
	}
	if s.format == "coo" {
		if len(s.row) != entries || len(s.col) != entries {
			return s.errorf("%d rows and %d columns for %d entries", len(s.row), len(s.col), entries)
		}
		for k := range entries {
			if err := s.put(s.row[k], s.col[k], value(k), put); err != nil {
				return err
			}
		}
		return nil
	}
	lines := s.rows
	if s.format == "csc" {
		lines = s.cols
	}
	if len(s.start) != lines+1 || len(s.index) != entries {
		return s.errorf("indptr of %d and indices of %d elements for %d by %d with %d entries", len(s.start), len(s.index), s.rows, s.cols, entries)
	}
	if lines == 0 && s.start[0] != 0 {
		return s.errorf("indptr does not ascend from 0, but from %v", s.start[0])
	}
	for line := range lines {
		from, ok := whole(s.start[line], entries)
		to, ok2 := whole(s.start[line+1], entries)
		if !ok || !ok2 {
			return s.errorf("indptr points outside the %d entries", entries)
		}
		if to < from || line == 0 && from != 0 {
			return s.errorf("indptr does not ascend from 0: the entries of line %d are %d to %d (counted from 0)", line, from, to)
		}
		for k := from; k < to; k++ {
			i, j := float64(line), s.index[k]
			if s.format == "csc" {
				i, j = j, i
			}
			if err := s.put(i, j, value(k), put); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *sparse) put(row, col float64, x complex128, put func(i, j int, x complex128) error) error {
	i, ok := whole(row, s.rows-1)
	j, ok2 := whole(col, s.cols-1)
	if !ok || !ok2 {
		return s.errorf("entry (%g,%g) is outside the %d by %d matrix (counted from 0)", row, col, s.rows, s.cols)
	}
	if err := put(i, j, x); err != nil {
		return s.errorf("%v", err)
	}
	return nil
}
