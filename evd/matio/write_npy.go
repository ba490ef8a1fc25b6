package matio

import (
	"fmt"
	"io"
	"math"
)

// An NPYWriter writes a .npy matrix (version 1.0, Fortran order, <f8) whose columns come block by
// block, so that the whole matrix need not be in memory:
//
//	n := matio.NewNPYWriter(w, rows, cols)
//	… n.WriteColumns(k, block, rows) for blocks of k columns …
//	err := n.Close()
//
// Close must be called after the last block. An NPYWriter is for one goroutine. After an error of
// the stream all later calls return it.
type NPYWriter struct {
	g          *gather
	rows, left int // elements of a column; columns to come
}

// NewNPYWriter begins a rows×cols matrix. It panics if one of them is negative. Nothing is written
// before the buffer is full.
func NewNPYWriter(w io.Writer, rows, cols int) *NPYWriter {
	if rows < 0 || cols < 0 {
		panic(fmt.Sprintf("matio: a matrix cannot have %d by %d elements", rows, cols))
	}
	n := &NPYWriter{newGather(w), rows, cols}
	n.g.npyHeader(fmt.Sprintf("(%d, %d)", rows, cols))
	return n
}

// WriteColumns appends the next columns: element (i, j) is colMajor[i+j*ld], ld ≥ max(1, rows). The
// slice is not kept. Errors are those of the stream, and one if there are more columns than the
// matrix has or if the shape does not fit the slice.
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

// Close writes the rest of the buffer. It does not close the stream. Missing columns are an error.
func (n *NPYWriter) Close() error {
	if err := n.g.flush(); err != nil {
		return err
	}
	if n.left > 0 {
		return fmt.Errorf("matio: %d columns of the matrix are missing", n.left)
	}
	return nil
}

// npyHeader is npyArray in Fortran order.
func (g *gather) npyHeader(shape string) { g.npyArray(true, shape) }

// npyArray writes everything before the elements of an array of doubles. shape is a Python tuple.
// The header is padded with blanks, so that the elements begin at a multiple of 64 bytes. The
// format demands this, because other programs map such files into memory.
func (g *gather) npyArray(fortran bool, shape string) {
	order := "False"
	if fortran {
		order = "True"
	}
	const fixed = len(npyMagic) + 2 + 2 // magic, version, length of the rest
	text := fmt.Sprintf("{'descr': '<f8', 'fortran_order': %s, 'shape': %s, }", order, shape)
	// The size has one more byte for the line feed, and is rounded up to a multiple of 64.
	size := (fixed + len(text) + 1 + 63) / 64 * 64
	g.buf = append(g.buf, npyMagic+"\x01\x00"...)
	g.buf = le.AppendUint16(g.buf, uint16(size-fixed))
	g.buf = fmt.Appendf(g.buf, "%-*s\n", size-fixed-1, text)
}

// npyElements writes values as <f8, without conversion if the machine stores doubles in the same
// way. It stops at the first error, which is stored in g.
func (g *gather) npyElements(values []float64) {
	if !nativeLittle {
		for _, x := range values {
			g.buf = le.AppendUint64(g.buf, math.Float64bits(x))
			g.enough()
		}
		return
	}
	for len(values) > 0 && g.err == nil {
		// Each turn appends as many values as fill the buffer, and at least one. The buffer has
		// room for one more value.
		now := min(len(values), (flushBytes-len(g.buf))/wordBytes+1)
		g.buf = append(g.buf, raw(values[:now])...)
		values = values[now:]
		g.enough()
	}
}
