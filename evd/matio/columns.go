package matio

import (
	"fmt"
	"math"
	"os"

	"github.com/vkevd/vkevd/evd/matio/internal/numpy"
)

// NPYColumns is an uncompressed .npy matrix, opened to read a few columns at a time, by several
// processes for example. If the file stores the elements by rows, Read returns rows instead of
// columns.
type NPYColumns struct {
	Rows, Cols int
	// ByRows says that the elements are stored by rows (C order), and Single that they are stored in
	// single precision.
	ByRows, Single bool

	file   *os.File
	header int64
	numpy.Element
}

// OpenNPYColumns opens a file and reads its header. The caller must call Close. Errors are
// *FormatError and those of the operating system.
func OpenNPYColumns(path string) (*NPYColumns, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	c, err := npyColumns(f, path)
	if err != nil {
		f.Close()
		return nil, err
	}
	return c, nil
}

func npyColumns(file *os.File, path string) (*NPYColumns, error) {
	f := npy{input: newInput(file, path, bytesLeft(file))}
	if !f.starts(npyMagic) {
		return nil, f.errorf("not an uncompressed .npy file, the only kind that can be read in parts")
	}
	if err := f.readHeader(false); err != nil {
		return nil, err
	}
	if complaint := isMatrix(f.Shape); complaint != "" {
		return nil, f.errorf("%s", complaint)
	}
	rows, cols := f.Shape[0], f.Shape[1]
	most := (int64(math.MaxInt64) - f.header) / int64(f.Bytes)
	if cols > 0 && int64(rows) > most/int64(cols) {
		return nil, f.shapeTooLarge()
	}
	if need := int64(rows) * int64(cols) * int64(f.Bytes); f.left != unknown && need != f.left {
		return nil, f.errorf("the header announces %d bytes of elements, but the file has %d", need, f.left)
	}
	return &NPYColumns{rows, cols, !f.FortranOrder, f.Descr[1:] == "f4", file, f.header, f.Element}, nil
}

// Read copies `count` columns from column `from` on to `dst`, or rows if ByRows is true. Read
// panics unless `dst` has exactly the number of elements of these columns. Several goroutines may
// call Read at the same time.
func (c *NPYColumns) Read(dst []float64, from, count int) error {
	length := c.Rows
	if c.ByRows {
		length = c.Cols
	}
	if len(dst) != length*count {
		panic(fmt.Sprintf("matio: %d elements for %d columns of %d", len(dst), count, length))
	}
	at := c.header + int64(from)*int64(length)*int64(c.Bytes)
	return c.Fill(dst, func(p []byte) error {
		n, err := c.file.ReadAt(p, at)
		at += int64(n)
		if n == len(p) { // at the end of the file, perhaps with io.EOF
			return nil
		}
		return source{file: c.file.Name()}.ended(err, "its elements")
	})
}

func (c *NPYColumns) Close() error { return c.file.Close() }
