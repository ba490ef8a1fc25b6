package matio

import (
	"archive/zip"
	"fmt"
	"io"
	"slices"
	"time"
	"unsafe"

	"github.com/vkevd/vkevd/evd/matio/internal/numpy"
)

// An NPYWriter writes a .npy matrix (version 1.0, Fortran order, <f8) block by block of columns, so
// that the whole matrix need not be in memory:
//
//	n := matio.NewNPYWriter(w, rows, cols)
//	… n.WriteColumns(k, block, rows) for blocks of k columns …
//	err := n.Close()
//
// Close must be called after the last block. Only one goroutine may use an NPYWriter. After an
// error of the stream all later calls return this error.
type NPYWriter struct {
	g          *gather
	rows, left int // elements of a column; columns to come
}

// NewNPYWriter begins a rows×cols matrix. It panics if rows or cols is negative. Nothing is written
// to w before the buffer is full.
func NewNPYWriter(w io.Writer, rows, cols int) *NPYWriter {
	if rows < 0 || cols < 0 {
		panic(fmt.Sprintf("matio: a matrix cannot have %d by %d elements", rows, cols))
	}
	n := &NPYWriter{newGather(w), rows, cols}
	n.g.npyArray(descr[float64](), true, fmt.Sprintf("(%d, %d)", rows, cols))
	return n
}

// WriteColumns appends the next columns: element (i, j) is colMajor[i+j*ld], ld ≥ max(1, rows).
// WriteColumns does not keep the slice. The errors are those of the stream. Too many columns, or a
// shape that does not fit the slice, are errors, too.
func (n *NPYWriter) WriteColumns(cols int, colMajor []float64, ld int) error {
	if err := checkShape(n.rows, cols, len(colMajor), ld); err != nil {
		return err
	}
	if cols > n.left {
		return fmt.Errorf("matio: %d columns more than the matrix has", cols-n.left)
	}
	n.left -= cols
	npyMatrix(n.g, n.rows, cols, colMajor, ld)
	return n.g.err
}

// Close writes the rest of the buffer to the stream. It does not close the stream. It returns an
// error if columns are missing.
func (n *NPYWriter) Close() error {
	if err := n.g.flush(); err != nil {
		return err
	}
	if n.left > 0 {
		return fmt.Errorf("matio: %d columns of the matrix are missing", n.left)
	}
	return nil
}

func descr[T numpy.Number]() string {
	kind := 'f'
	if complexNumber[T]() {
		kind = 'c'
	}
	return fmt.Sprintf("<%c%d", kind, unsafe.Sizeof(*new(T)))
}

func complexNumber[T numpy.Number]() bool {
	switch any(*new(T)).(type) {
	case complex64, complex128:
		return true
	}
	return false
}

// npyArray writes everything before the elements of an array. `shape` is a Python tuple. Blanks
// fill the header, so that the elements begin at a multiple of 64 bytes, because other programs map
// such files into memory.
func (g *gather) npyArray(descr string, fortran bool, shape string) {
	order := "False"
	if fortran {
		order = "True"
	}
	const fixed = len(npyMagic) + 2 + 2 // magic, version, length of the rest
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape)
	size := (fixed + len(text) + 1 + 63) / 64 * 64
	g.buf = append(g.buf, npyMagic+"\x01\x00"...)
	g.buf = le.AppendUint16(g.buf, uint16(size-fixed))
	g.buf = fmt.Appendf(g.buf, "%-*s\n", size-fixed-1, text)
}

func npyMatrix[T numpy.Number](g *gather, rows, cols int, colMajor []T, ld int) {
	if ld == rows { // the columns follow each other
		npyElements(g, colMajor[:rows*cols])
		return
	}
	for j := 0; rows > 0 && j < cols && g.err == nil; j++ {
		npyElements(g, colMajor[j*ld:j*ld+rows])
	}
}

// npyElements writes numbers with the low byte first, until the first error.
func npyElements[T numpy.Number](g *gather, values []T) {
	size := int(unsafe.Sizeof(*new(T)))
	if !numpy.NativeLittle {
		part := size
		if complexNumber[T]() {
			part /= 2
		}
		for bytes := range slices.Chunk(numpy.Raw(values), part) {
			slices.Reverse(bytes)
			g.buf = append(g.buf, bytes...)
			slices.Reverse(bytes)
			g.enough()
		}
		return
	}
	if len(values)*size >= directBytes {
		g.direct(numpy.Raw(values))
		return
	}
	for len(values) > 0 && g.err == nil {
		// The buffer has room for one number more than fits into flushBytes.
		now := min(len(values), (flushBytes-len(g.buf))/size+1)
		g.buf = append(g.buf, numpy.Raw(values[:now])...)
		values = values[now:]
		g.enough()
	}
}

// An NPZWriter writes a .npz file, one array after another. The arrays are stored without
// compression, as numpy.savez stores them:
//
//	z := matio.NewNPZWriter(w)
//	a, err := z.Array("A")
//	… matio.WriteNPY(a, rows, cols, data, ld) …
//	err = z.Close()
//
// Only one goroutine may use an NPZWriter.
type NPZWriter struct {
	z    *zip.Writer
	seen map[string]bool
}

// NewNPZWriter begins a .npz file. w need not be able to seek.
func NewNPZWriter(w io.Writer) *NPZWriter { return &NPZWriter{zip.NewWriter(w), map[string]bool{}} }

// Array begins the next array. The result takes the content of a .npy file, as WriteNPY,
// WriteNPYVector, WriteStack and WriteRows write it. It is valid until the next call of Array or
// Close. A name that is used twice is an error. Other errors are those of the stream.
func (n *NPZWriter) Array(name string) (io.Writer, error) {
	if n.seen[name] {
		return nil, fmt.Errorf("matio: two arrays are called %s", name)
	}
	n.seen[name] = true
	// The date in the archive does not depend on the clock, so the same matrices always give the
	// same bytes. It is the first date that the format can store. NumPy uses this date, too.
	date := time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)
	return n.z.CreateHeader(&zip.FileHeader{Name: name + npyEnding, Method: zip.Store, Modified: date})
}

// Close writes the directory of the archive. It does not close the stream.
func (n *NPZWriter) Close() error { return n.z.Close() }
