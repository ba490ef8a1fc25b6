package matio

import (
	"io"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
)

// triplets collects the entries of a sparse matrix.
type triplets struct {
	*fields
	a     []float64
	width int
}

// readTriplets reads a list of entries. A line has row, column and value, or only row and column,
// and then the value is 1. The first line may be a header of names. Separators and comments are
// those of a table. All entries are collected first, because the shape is known only then.
func (o Options) readTriplets(in *input) (*Dense, error) {
	t := &triplets{fields: newFields(in)}
	for first := true; ; first = false {
		err := t.entry(first)
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
	}
	if err := t.unclear(o); err != nil {
		return nil, err
	}
	return o.scatter(t)
}

func (t *triplets) entry(first bool) error {
	end, err := t.start()
	if err != nil {
		return err
	}
	before, words := len(t.a), 0
	width := 1
	for ; ; width++ {
		kind, x, complaint := t.cell()
		switch {
		case kind == wordCell && first && words == width-1:
			words++
		case kind != numberCell || words > 0:
			return t.errorf("column %d: %s%s", width, complaint, adviceAbout(t.field))
		default:
			if err := t.push(&t.a, x, t.line, width); err != nil {
				return err
			}
		}
		if end == '\n' {
			break
		}
		if end, err = t.next(); err != nil {
			return err
		}
	}
	if words > 0 {
		return nil
	}
	if t.width == 0 {
		t.width = width
	}
	if width != t.width || width < 2 || width > 3 {
		return t.errorf("%d fields; an entry has row, column and value, or in all lines row and column", width)
	}
	if width == 2 {
		if err := t.push(&t.a, 1, t.line, width); err != nil {
			return err
		}
	}
	return t.whole(t.a[before : before+2])
}

func (t *triplets) whole(place []float64) error {
	for c, x := range place {
		name := [2]string{"row", "column"}[c]
		if !(x >= 0 && x <= memory.MostElements) || x != float64(int(x)) {
			return t.errorf("%s %v is not a whole number from 0 on", name, x)
		}
	}
	return nil
}

// scatter returns the matrix with all elements stored. Entries of the same place are added up.
func (o Options) scatter(t *triplets) (*Dense, error) {
	if len(t.a) == 0 {
		return nil, t.input.errorf("no entries in the file")
	}
	rows, cols := 0, 0
	for k := 0; k < len(t.a); k += 3 {
		i, j := int(t.a[k]), int(t.a[k+1])
		if min(i, j) < o.Base {
			return nil, t.input.errorf("a row or column 0, but they are counted from 1; with --base 0 they are counted from 0")
		}
		rows, cols = max(rows, i+1-o.Base), max(cols, j+1-o.Base)
	}
	if count := len(t.a)/3 - 1; t.width == 3 && count > 0 && t.a[2] == float64(count) && int(t.a[0])-o.Base+1 == rows && int(t.a[1])-o.Base+1 == cols {
		return nil, t.input.errorf("the first line is the size of the matrix and the number of entries below, as in Matrix Market; --format mtx reads that")
	}
	if o.Square {
		rows, cols = max(rows, cols), max(rows, cols)
	}
	d, err := t.zeros(rows, cols)
	if err != nil {
		return nil, err
	}
	for k := 0; k < len(t.a); k += 3 {
		d.Data[int(t.a[k])-o.Base+(int(t.a[k+1])-o.Base)*rows] += t.a[k+2]
	}
	return d, nil
}
