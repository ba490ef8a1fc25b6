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
	g := newGather(w)
	g.npyHeader(fmt.Sprintf("(%d, %d)", rows, cols))
	if rows > 0 {
		for j := 0; j < cols && g.err == nil; j++ {
			g.npyElements(colMajor[j*ld : j*ld+rows])
		}
	}
	return g.flush()
}

// WriteNPYVector writes a .npy file of one dimension.
func WriteNPYVector(w io.Writer, values []float64) error {
	g := newGather(w)
	g.npyHeader(fmt.Sprintf("(%d,)", len(values)))
	g.npyElements(values)
	return g.flush()
}

// npyHeader pads the dictionary so that the elements begin at a multiple of 64 bytes,
// which the format asks for.
func (g *gather) npyHeader(shape string) {
	const fixed = len(npyMagic) + 2 + 2 // version, length of the rest
	text := fmt.Sprintf("{'descr': '<f8', 'fortran_order': True, 'shape': %s, }", shape)
	size := (fixed + len(text) + 1 + 63) / 64 * 64
	g.buf = append(g.buf, npyMagic+"\x01\x00"...)
	g.buf = le.AppendUint16(g.buf, uint16(size-fixed))
	g.buf = fmt.Appendf(g.buf, "%-*s\n", size-fixed-1, text)
}

func (g *gather) npyElements(values []float64) {
	for _, x := range values {
		g.buf = le.AppendUint64(g.buf, math.Float64bits(x))
		g.enough()
	}
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
