package matio

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"unsafe"

	"github.com/vkevd/vkevd/evd/matio/internal/numpy"
)

// WriteTable writes a rows×cols matrix as a table of text, one row per line. Element (i, j) is
// colMajor[i+j*ld], ld ≥ max(1, rows). The first line has the names of the columns: `name` with 1,
// 2, …. With the separator ',' it is a header, as spreadsheets, pandas and R read it; with ' ' it
// begins with #, so that NumPy's loadtxt skips it. Numbers have the fewest digits from which the same
// number of type T can be read. Complex numbers are written as in Python, for example 1.5-2j. The
// errors are those of the writer `w`, or about a shape that does not fit the slice.
func WriteTable[T numpy.Number](w io.Writer, separator byte, name string, rows, cols int, colMajor []T, ld int) error {
	if err := checkShape(rows, cols, len(colMajor), ld); err != nil {
		return err
	}
	g := newGather(w)
	bits := 8 * int(unsafe.Sizeof(*new(T)))
	if complexNumber[T]() {
		bits /= 2
	}
	if separator == ' ' {
		g.buf = append(g.buf, "# "...)
	}
	for i := -1; i < rows && g.err == nil; i++ {
		for j := range cols {
			if j > 0 {
				g.buf = append(g.buf, separator)
			}
			g.enough()
			if i < 0 {
				g.buf = fmt.Appendf(g.buf, "%s%d", name, j+1)
				continue
			}
			re, im := partsOfAny(colMajor[i+j*ld])
			g.buf = strconv.AppendFloat(g.buf, re, 'g', -1, bits)
			if complexNumber[T]() {
				if !math.Signbit(im) && !math.IsInf(im, 1) { // +Inf has its sign
					g.buf = append(g.buf, '+')
				}
				g.buf = append(strconv.AppendFloat(g.buf, im, 'g', -1, bits), 'j')
			}
		}
		g.buf = append(g.buf, '\n')
	}
	return g.flush()
}
