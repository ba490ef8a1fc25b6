package matio

import (
	"fmt"
	"io"
	"math"
)

// An NPYWriter writes a .npy matrix (version 1.0, Fortran order, <f8) whose columns come block
// after block, so that nobody need hold all of it.
type NPYWriter struct {
	g          *gather
	rows, left int // columns to come
}

// NewNPYWriter begins a rows × cols matrix.
func NewNPYWriter(w io.Writer, rows, cols int) *NPYWriter {
	if rows < 0 || cols < 0 {
		panic(fmt.Sprintf("matio: a matrix of %d by %d", rows, cols))
	}
	n := &NPYWriter{newGather(w), rows, cols}
	n.g.npyHeader(fmt.Sprintf("(%d, %d)", rows, cols))
	return n
}

// WriteColumns appends columns, element (i, j) of which is colMajor[i+j*ld].
func (n *NPYWriter) WriteColumns(cols int, colMajor []float64, ld int) error {
	if err := checkShape(n.rows, cols, len(colMajor), ld); err != nil {
		return err
	}
	if cols > n.left {
		return fmt.Errorf("matio: %d columns more than the matrix has", cols-n.left)
	}
	n.left -= cols
	if n.rows > 0 {
		for j := 0; j < cols && n.g.err == nil; j++ {
			n.g.npyElements(colMajor[j*ld : j*ld+n.rows])
		}
	}
	return n.g.err
}

// Close writes what is still held back. Columns that have not come are an error.
func (n *NPYWriter) Close() error {
	if err := n.g.flush(); err != nil {
		return err
	}
	if n.left > 0 {
		return fmt.Errorf("matio: %d columns of the matrix are missing", n.left)
	}
	return nil
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
	if !nativeLittle {
		for _, x := range values {
			g.buf = le.AppendUint64(g.buf, math.Float64bits(x))
			g.enough()
		}
		return
	}
	for len(values) > 0 && g.err == nil {
		now := min(len(values), (flushBytes-len(g.buf))/wordBytes+1)
		g.buf = append(g.buf, raw(values[:now])...)
		values = values[now:]
		g.enough()
	}
}
