package matio

import (
	"fmt"
	"io"
	"strings"
)

// sparse is a matrix as scipy.sparse.save_npz stores it. Entry k has the value data[k]. With format
// coo its row and column are row[k] and col[k]. With csr, entries start[i] to start[i+1] are of row
// i and entry k of column index[k]; with csc rows and columns change places.
type sparse struct {
	file       string
	format     string
	rows, cols int
	data       []float64
	row, col   []float64 // coo
	start      []float64 // csr, csc
	index      []float64
}

// isSparse tells whether scipy.sparse.save_npz wrote the archive.
func (z *archive) isSparse() bool {
	return z.member("format") != nil && z.member("shape") != nil && z.member("data") != nil
}

func (z *archive) readSparse() (*sparse, error) {
	s := &sparse{file: z.name}
	err := z.open(z.member("format"), func(in *input) (err error) {
		s.format, err = readNPYWord(in)
		return err
	})
	if err != nil {
		return nil, err
	}
	shape, err := z.vector("shape")
	if err != nil {
		return nil, err
	}
	if len(shape) != 2 {
		return nil, s.errorf("a shape of %d numbers", len(shape))
	}
	var ok [2]bool
	s.rows, ok[0] = whole(shape[0], mostElements)
	s.cols, ok[1] = whole(shape[1], mostElements)
	if !ok[0] || !ok[1] {
		return nil, s.errorf("a shape of %g by %g", shape[0], shape[1])
	}
	var arrays map[string]*[]float64
	switch s.format {
	case "coo":
		arrays = map[string]*[]float64{"row": &s.row, "col": &s.col}
	case "csr", "csc":
		arrays = map[string]*[]float64{"indptr": &s.start, "indices": &s.index}
	default:
		return nil, s.errorf("scipy.sparse format %s is not supported, only coo, csc, csr: save A.tocsr() instead", quote([]byte(s.format)))
	}
	arrays["data"] = &s.data
	for name, to := range arrays {
		if *to, err = z.vector(name); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// readNPYWord reads an array that is one string of ASCII letters, as bytes or as UTF-32.
func readNPYWord(in *input) (string, error) {
	f := npy{input: in, most: mostElements}
	if err := f.readDictionary(); err != nil {
		return "", err
	}
	const longest = 64
	text, err := io.ReadAll(io.LimitReader(in, longest))
	if err != nil {
		return "", f.wrap(err)
	}
	if kind := strings.TrimLeft(f.descr, "<>|="); len(f.shape) != 0 || kind == "" || kind[0] != 'S' && kind[0] != 'U' {
		return "", f.errorf("not a word, but an array of type %q", f.descr)
	}
	return strings.ReplaceAll(string(text), "\x00", ""), nil
}

// whole is x as an integer between 0 and most.
func whole(x float64, most int) (int, bool) {
	n := int(x)
	return n, x >= 0 && x <= float64(most) && float64(n) == x
}

// each calls put for all entries. An entry that is stored twice is meant to be added up.
func (s *sparse) each(put func(i, j int, x float64) error) error {
	if s.format == "coo" {
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
	lines := s.rows
	if s.format == "csc" {
		lines = s.cols
	}
	if len(s.start) != lines+1 || len(s.index) != len(s.data) {
		return s.errorf("indptr of %d and indices of %d elements for %d by %d with %d entries", len(s.start), len(s.index), s.rows, s.cols, len(s.data))
	}
	for line := range lines {
		from, ok := whole(s.start[line], len(s.data))
		to, ok2 := whole(s.start[line+1], len(s.data))
		if !ok || !ok2 {
			return s.errorf("indptr is outside of the %d entries", len(s.data))
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

func (s *sparse) put(row, col, x float64, put func(i, j int, x float64) error) error {
	i, ok := whole(row, s.rows-1)
	j, ok2 := whole(col, s.cols-1)
	if !ok || !ok2 {
		return s.errorf("entry (%g,%g) is outside of %d by %d (counted from 0)", row, col, s.rows, s.cols)
	}
	return put(i, j, x)
}

// dense stores every element.
func (s *sparse) dense() (*Dense, error) {
	n, ok := elements(s.rows, s.cols, mostElements)
	if !ok || !available(n) {
		return nil, &TooLargeError{s.file, s.rows, s.cols}
	}
	d := &Dense{Rows: s.rows, Cols: s.cols, Data: make([]float64, n)}
	err := s.each(func(i, j int, x float64) error {
		d.Data[i+j*d.Rows] += x
		return nil
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// tridiagonal takes memory of the matrix's order only.
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

func (s *sparse) errorf(format string, args ...any) *FormatError {
	return &FormatError{s.file, 0, fmt.Sprintf(format, args...)}
}
