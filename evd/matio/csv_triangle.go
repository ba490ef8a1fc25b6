package matio

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
)

// A Triangle is a part of a symmetric matrix.
type Triangle int

// The lower triangle has the elements (i, j) with i ≥ j, and the upper one those with i ≤ j.
const (
	WholeMatrix Triangle = iota
	LowerTriangle
	UpperTriangle
)

// blankCell stands for an empty field in a table of which only a triangle is used. No text is read
// as this NaN.
var blankCell = math.Float64frombits(0x7ff8_6d61_7469_6f21)

// A triangle collects the rows of a table of which one triangle is used. The fields of the other
// triangle may be missing:
//
//	full      empty     ragged      ragged, only upper
//	1 9 9     1,,       1           1 2 4
//	2 3 9     2,3,      2 3         3 5
//	4 5 6     4,5,6     4 5 6       6
type triangle struct {
	lengths []int // numbers in each row below the first line, empty fields included
	lines   []int // number of the line of each of these rows
	// columns, inner and rows are check sums of names: `columns` of all fields of the first line,
	// `inner` of the fields of this line after the first one, and `rows` of the first fields of the
	// other lines.
	columns, inner, rows names64
}

type names64 uint64

func (n *names64) add(name []byte) {
	h := fnv.New64a()
	h.Write(name)
	*n = *n*0x100000001b3 ^ names64(h.Sum64())
}

// row notes a row of the triangle. A row that is too short or one row too many is found here, so
// that the memory for notes is small.
func (s *triangle) row(t *table, numbers int) error {
	s.lengths, s.lines = append(s.lengths, numbers), append(s.lines, t.line)
	t.width = max(t.width, numbers)
	switch {
	case t.opt.Triangle == LowerTriangle && numbers < t.rows:
		return t.errorf("this row has length %d, but row %d of a lower triangle has at least %d numbers", numbers, t.rows, t.rows)
	case t.opt.Triangle == UpperTriangle && t.rows > max(t.width, t.labels):
		return t.errorf("more rows than the %d columns of an upper triangle", max(t.width, t.labels))
	}
	return nil
}

// matrix returns the matrix of which the table has a triangle. Both triangles of the result are
// set. The first line is a header if it cannot be a row, or if the matrix is square only without it
// and its numbers may be names.
func (s *triangle) matrix(t *table) (*Dense, error) {
	a, lengths, lines := t.a, s.lengths, s.lines
	header := t.labels == 0 || t.head == emptyHead || t.head == numbersHead && t.names == wordNames ||
		t.opt.Header != No && t.rows+1 != max(t.width, t.labels) && t.above() != ""
	if header {
		a = a[t.labels:]
	} else {
		lengths, lines = append([]int{t.labels}, lengths...), append([]int{t.top.line}, lines...)
	}
	n := len(lengths)
	if most := slices.Max(lengths); most != n {
		return nil, t.failed(&NotSquareError{n, most})
	}
	columns := s.columns
	if t.head == cornerHead || t.head == nameHead || t.head == emptyHead {
		columns = s.inner
	}
	if header && t.names == wordNames && columns != s.rows {
		return nil, &FormatError{t.file, t.top.line, "the names of the columns are not those of the rows, so this is no triangle with its diagonal"}
	}
	d, err := t.zeros(n, n)
	if err != nil {
		return nil, err
	}
	d.Table = t.table(reading{header, t.names == wordNames})
	ragged := slices.Min(lengths) != n
	for i, length := range lengths {
		// In row i, the triangle has the columns j with from ≤ j < to. The first field of this row
		// is in column `shift`, and the row must have `want` fields.
		from, to, shift := 0, i+1, 0
		want := n
		switch upper := t.opt.Triangle == UpperTriangle; {
		case upper && ragged:
			from, to, shift, want = i, n, i, n-i
		case upper:
			from, to = i, n
		case ragged:
			want = i + 1
		}
		if length != want {
			return nil, &FormatError{t.file, lines[i], fmt.Sprintf("row %d of a triangle of order %d cannot have length %d", i+1, n, length)}
		}
		for j := from; j < to; j++ {
			x := a[j-shift]
			if math.Float64bits(x) == math.Float64bits(blankCell) {
				return nil, &FormatError{t.file, lines[i], fmt.Sprintf("column %d of the triangle is empty", j+1)}
			}
			d.Data[i+j*n], d.Data[j+i*n] = x, x
		}
		a = a[length:]
	}
	return d, nil
}
