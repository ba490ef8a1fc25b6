package matio

import (
	"fmt"
	"io"
	"strconv"
	"unsafe"

	"github.com/vkevd/vkevd/evd/matio/internal/numpy"
)

// A Layout is one of the two ways in which Matrix Market lists the elements of a matrix: coordinate
// or array. It prints as the word in the banner.
type Layout int

// Coordinate lists only nonzero elements, and gives a smaller file for a matrix with many zeros.
// Array lists all elements, and gives a smaller file for a matrix with few zeros.
const (
	Coordinate Layout = iota // row, column and value of each element that is not zero
	Array                    // every value, by columns
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

// WriteMatrixMarketSymmetric writes the n×n symmetric matrix whose lower triangle is a[i+j*ld], i ≥
// j, ld ≥ max(1, n). The part above the diagonal is not read. Numbers have the fewest digits from
// which the same double can be read. NaN and infinity are written as Go prints them, and
// ReadMatrixMarket can read them. The errors are those of the writer `w`. An unknown layout, or a
// shape that does not fit the slice, is an error, too.
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

// WriteMatrixMarket writes a rows×cols matrix as a general array, real or complex by the type T,
// with all elements by columns. Element (i, j) is colMajor[i+j*ld], ld ≥ max(1, rows). Numbers are
// written as in WriteMatrixMarketSymmetric, those in single precision with the fewest digits that
// give the same float32. The errors are those of the writer `w`, or about a shape that does not fit
// the slice.
func WriteMatrixMarket[T numpy.Number](w io.Writer, rows, cols int, colMajor []T, ld int) error {
	if err := checkShape(rows, cols, len(colMajor), ld); err != nil {
		return err
	}
	g := newGather(w)
	field, bits := "real", 8*int(unsafe.Sizeof(*new(T)))
	if complexNumber[T]() {
		field, bits = "complex", bits/2
	}
	g.buf = fmt.Appendf(g.buf, "%s matrix array %s general\n%d %d\n", bannerWord, field, rows, cols)
	for j := 0; rows > 0 && j < cols && g.err == nil; j++ {
		for _, x := range colMajor[j*ld : j*ld+rows] {
			re, im := partsOfAny(x)
			g.buf = strconv.AppendFloat(g.buf, re, 'g', -1, bits)
			if complexNumber[T]() {
				g.buf = strconv.AppendFloat(append(g.buf, ' '), im, 'g', -1, bits)
			}
			g.buf = append(g.buf, '\n')
			g.enough()
		}
	}
	return g.flush()
}

func partsOfAny[T numpy.Number](x T) (re, im float64) {
	switch x := any(x).(type) {
	case complex128:
		return real(x), imag(x)
	case complex64:
		return float64(real(x)), float64(imag(x))
	case float64:
		return x, 0
	}
	return float64(any(x).(float32)), 0
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

func (g *gather) line(x float64) {
	g.buf = append(strconv.AppendFloat(g.buf, x, 'g', -1, 64), '\n')
	g.enough()
}
