package matio

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/vkevd/vkevd/evd/matio/internal/numpy"
)

// flushBytes is the number of bytes of output that are collected before they are written to the
// stream together.
const flushBytes = 1 << 18

// directBytes is the number of bytes from which numbers in memory are written to the stream without
// being collected before, and the largest number of bytes of one such write.
const directBytes = 8 << 20

// A gather collects small pieces of output and writes them to an io.Writer in larger ones. It
// stores its first error, which `flush` returns at the end, so loops need not check for errors.
// After an error nothing more is written. A caller that needs a complete file or none must write to
// an AtomicFile.
type gather struct {
	w   io.Writer
	buf []byte // not written yet
	err error  // the first one
}

// newGather makes a gather. Its buffer is never reallocated if a piece of output has at most 256
// bytes, and `enough` is called after each.
func newGather(w io.Writer) *gather { return &gather{w: w, buf: make([]byte, 0, flushBytes+1<<8)} }

func (g *gather) flush() error {
	if g.err == nil {
		_, g.err = g.w.Write(g.buf)
	}
	g.buf = g.buf[:0]
	return g.err
}

func (g *gather) enough() {
	if len(g.buf) >= flushBytes {
		g.flush()
	}
}

// direct writes the collected output and then b to the stream, in pieces of at most directBytes, so
// that a stream can refuse the next piece when the user cancels.
func (g *gather) direct(b []byte) {
	g.flush()
	for len(b) > 0 && g.err == nil {
		now := min(len(b), directBytes)
		_, g.err = g.w.Write(b[:now])
		b = b[now:]
	}
}

// WriteNPY writes a rows×cols matrix as a .npy file (version 1.0, Fortran order, <f8, <f4, <c16 or
// <c8 by the type T), which numpy.load reads. Element (i, j) is colMajor[i+j*ld], ld ≥ max(1,
// rows). Elements of colMajor outside the matrix are not read. WriteNPY allocates only a buffer.
// The errors are those of the writer `w`. If the shape does not fit the slice, WriteNPY returns an
// error and writes nothing.
func WriteNPY[T numpy.Number](w io.Writer, rows, cols int, colMajor []T, ld int) error {
	if err := checkShape(rows, cols, len(colMajor), ld); err != nil {
		return err
	}
	g := newGather(w)
	g.npyArray(descr[T](), true, fmt.Sprintf("(%d, %d)", rows, cols))
	npyMatrix(g, rows, cols, colMajor, ld)
	return g.flush()
}

// WriteNPYVector writes a .npy file of one dimension (version 1.0, <f8 or <f4). Errors are those of
// the writer `w`.
func WriteNPYVector[T float32 | float64](w io.Writer, values []T) error {
	g := newGather(w)
	g.npyArray(descr[T](), true, fmt.Sprintf("(%d,)", len(values)))
	npyElements(g, values)
	return g.flush()
}

// WriteValues writes one number per line with 17 significant digits (%.17g), from which any double
// can be read without a change. NaN and infinity are written as NaN, +Inf and -Inf. ReadVector,
// NumPy's loadtxt and most other programs can read the result. The errors are those of the writer
// `w`.
func WriteValues(w io.Writer, values []float64) error {
	g := newGather(w)
	for _, x := range values {
		g.buf = strconv.AppendFloat(g.buf, x, 'g', 17, 64)
		g.buf = append(g.buf, '\n')
		g.enough()
	}
	return g.flush()
}

// WriteValuesJSON writes a JSON array, one number per line. Each number has the fewest digits from
// which the same double can be read:
//
//	[
//	-1.5,
//	2e-300
//	]
//
// JSON has no NaN and no infinity. Such a value is written as null. The errors are those of the
// writer `w`.
func WriteValuesJSON(w io.Writer, values []float64) error {
	g := newGather(w)
	mark := byte('[')
	for _, x := range values {
		g.buf = append(g.buf, mark, '\n')
		if math.IsNaN(x) || math.IsInf(x, 0) {
			g.buf = append(g.buf, "null"...)
		} else {
			g.buf = strconv.AppendFloat(g.buf, x, 'g', -1, 64)
		}
		g.enough()
		mark = ','
	}
	if len(values) == 0 {
		g.buf = append(g.buf, mark)
	}
	g.buf = append(g.buf, "\n]\n"...)
	return g.flush()
}

// checkShape returns an error if a rows×cols matrix with leading dimension ld does not fit a slice.
// The last column needs only rows elements, not ld. Nothing overflows.
func checkShape(rows, cols, length, ld int) error {
	if rows < 0 || cols < 0 || ld < max(1, rows) {
		return fmt.Errorf("matio: %d by %d elements cannot have leading dimension %d", rows, cols, ld)
	}
	if rows > 0 && cols > 0 && (length < rows || (length-rows)/ld < cols-1) {
		return fmt.Errorf("matio: %d elements are too few for %d columns of %d with leading dimension %d", length, cols, rows, ld)
	}
	return nil
}
