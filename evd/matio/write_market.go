package matio

import (
	"fmt"
	"io"
	"strconv"
)

// A Layout is one of Matrix Market's two ways to list a matrix.
type Layout int

const (
	Coordinate Layout = iota // row, column and value of each element that is not zero
	Array                    // every value
)

func (l Layout) String() string {
	switch l {
	case Coordinate:
		return "coordinate"
	case Array:
		return "array"
	}
	return fmt.Sprintf("Layout(%d)", int(l))
}

// WriteMatrixMarketSymmetric writes the n × n symmetric matrix whose lower triangle is
// a[i+j*ld], i ≥ j; what lies above the diagonal is not looked at. Numbers are written
// with as many digits as it takes to read the same double back.
func WriteMatrixMarketSymmetric(w io.Writer, layout Layout, n int, a []float64, ld int) error {
	if err := checkShape(n, n, len(a), ld); err != nil {
		return err
	}
	g := newGather(w)
	g.buf = fmt.Appendf(g.buf, "%s matrix %v real symmetric\n", bannerWord, layout)
	switch layout {
	case Coordinate:
		g.coordinates(n, a, ld)
	case Array:
		g.array(n, a, ld)
	default:
		return fmt.Errorf("matio: unknown %v", layout)
	}
	return g.flush()
}

func (g *gather) coordinates(n int, a []float64, ld int) {
	entries := 0
	for j := range n {
		for _, x := range a[j+j*ld : n+j*ld] {
			if x != 0 {
				entries++
			}
		}
	}
	g.buf = fmt.Appendf(g.buf, "%d %d %d\n", n, n, entries)
	for j := 0; j < n && g.err == nil; j++ {
		for i := j; i < n; i++ {
			if x := a[i+j*ld]; x != 0 {
				g.buf = append(strconv.AppendInt(g.buf, int64(i+1), 10), ' ')
				g.buf = append(strconv.AppendInt(g.buf, int64(j+1), 10), ' ')
				g.line(x)
			}
		}
	}
}

func (g *gather) array(n int, a []float64, ld int) {
	g.buf = fmt.Appendf(g.buf, "%d %d\n", n, n)
	for j := 0; j < n && g.err == nil; j++ {
		for _, x := range a[j+j*ld : n+j*ld] {
			g.line(x)
		}
	}
}

// line ends a line with the shortest digits that read back as x.
func (g *gather) line(x float64) {
	g.buf = append(strconv.AppendFloat(g.buf, x, 'g', -1, 64), '\n')
	g.enough()
}
