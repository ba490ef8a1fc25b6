package matio

import (
	"fmt"
	"io"
	"math"
	"strconv"
)

// flushBytes is how much a writer gathers before it bothers the stream below.
const flushBytes = 1 << 18

// A gather collects small pieces for an io.Writer. Its first error stays, so that loops
// need not look.
type gather struct {
	w   io.Writer
	buf []byte
	err error
}

func newGather(w io.Writer) *gather { return &gather{w: w, buf: make([]byte, 0, flushBytes+1<<8)} }

// flush writes what there is; afterwards buf is empty.
func (g *gather) flush() error {
	if g.err == nil {
		_, g.err = g.w.Write(g.buf)
	}
	g.buf = g.buf[:0]
	return g.err
}

// enough flushes once a large piece has come together.
func (g *gather) enough() {
	if len(g.buf) >= flushBytes {
		g.flush()
	}
}

// WriteNPY writes a rows × cols matrix in column order, element (i, j) being
// colMajor[i+j*ld], as a .npy file (version 1.0, Fortran order, <f8). Nothing but a
// buffer is allocated.
func WriteNPY(w io.Writer, rows, cols int, colMajor []float64, ld int) error {
	if err := checkShape(rows, cols, len(colMajor), ld); err != nil {
		return err
	}
	out := NewNPYWriter(w, rows, cols)
	if err := out.WriteColumns(cols, colMajor, ld); err != nil {
		return err
	}
	return out.Close()
}

// WriteNPYVector writes a .npy file of one dimension.
func WriteNPYVector(w io.Writer, values []float64) error {
	g := newGather(w)
	g.npyHeader(fmt.Sprintf("(%d,)", len(values)))
	g.npyElements(values)
	return g.flush()
}

// WriteValues writes one number a line with the 17 significant digits (%.17g) from which
// any double can be read back exactly.
func WriteValues(w io.Writer, values []float64) error {
	g := newGather(w)
	for _, x := range values {
		g.buf = strconv.AppendFloat(g.buf, x, 'g', 17, 64)
		g.buf = append(g.buf, '\n')
		g.enough()
	}
	return g.flush()
}

// WriteValuesJSON writes a JSON array, one number a line, with as many digits as it takes to
// read the same double back. JSON knows no NaN and no infinity: they are an error.
func WriteValuesJSON(w io.Writer, values []float64) error {
	g := newGather(w)
	mark := byte('[')
	for i, x := range values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("matio: value %d is %v, which JSON cannot say", i, x)
		}
		g.buf = strconv.AppendFloat(append(g.buf, mark, '\n'), x, 'g', -1, 64)
		g.enough()
		mark = ','
	}
	if len(values) == 0 {
		g.buf = append(g.buf, mark)
	}
	g.buf = append(g.buf, "\n]\n"...)
	return g.flush()
}

// checkShape refuses dimensions that do not fit the slice.
func checkShape(rows, cols, length, ld int) error {
	if rows < 0 || cols < 0 || ld < max(1, rows) {
		return fmt.Errorf("matio: %d by %d elements with leading dimension %d is no matrix", rows, cols, ld)
	}
	if rows > 0 && cols > 0 && (length < rows || (length-rows)/ld < cols-1) {
		return fmt.Errorf("matio: %d elements are too few for %d columns of %d, %d apart", length, cols, rows, ld)
	}
	return nil
}
