package matio

import (
	"archive/zip"
	"fmt"
	"io"
	"time"
)

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
	z *zip.Writer
	// seen has the names of the arrays.
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
