package matio

import (
	"fmt"
	"io"
	"os"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
)

// Stack is Count matrices of Rows×Cols elements, each stored by columns. Element (i, j) of matrix k
// is Data[k·Rows·Cols + i + j·Rows], where i, j and k count from 0. The caller owns Data.
type Stack struct {
	Count, Rows, Cols int
	Data              []float64

	// Single says that the file stored the elements in single precision.
	Single bool
}

// ReadStackFile reads a .npy file of three dimensions, count×rows×cols, compressed with gzip or not.
// NumPy's save writes such a file for a stack of matrices. A stack in Fortran order needs memory for
// two copies while it is read. The errors are those of ReadFile.
func ReadStackFile(path string) (*Stack, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadStack(f, path)
}

// ReadStack reads a stack of matrices from a stream, as ReadStackFile does from a file. `name`
// stands for the file's name in errors.
func ReadStack(r io.Reader, name string) (*Stack, error) {
	in, err := open(r, name)
	if err != nil {
		return nil, err
	}
	defer in.done()
	return readStack(in)
}

// readStack reads a stack of matrices from an input.
func readStack(in *input) (*Stack, error) {
	a, err := readArray(in, memory.MostElements, isStack)
	if err != nil {
		return nil, err
	}
	return &a.Stack, nil
}

// WriteStack writes count×rows×cols elements as a .npy file (version 1.0, C order, <f8 or <f4 by the
// type T), which numpy.load reads as an array of three dimensions. The function matrix(k) returns matrix k, stored
// by columns with leading dimension rows. WriteStack does not keep the slice. The errors are those
// of w. A matrix with another number of elements is an error, too.
func WriteStack[T float32 | float64](w io.Writer, count, rows, cols int, matrix func(k int) []T) error {
	g := newGather(w)
	g.npyArray(descr[T](), false, fmt.Sprintf("(%d, %d, %d)", count, rows, cols))
	var turned []T
	for k := 0; k < count && g.err == nil; k++ {
		a := matrix(k)
		if len(a) != rows*cols {
			return fmt.Errorf("matio: matrix %d has %d elements, not %d", k, len(a), rows*cols)
		}
		if k == 0 {
			turned = make([]T, len(a))
		}
		for i := range rows {
			for j := range cols {
				turned[i*cols+j] = a[i+j*rows]
			}
		}
		npyElements(g, turned)
	}
	return g.flush()
}

// WriteRows writes a .npy file of two dimensions in C order, one row after another. Each row has
// cols elements.
func WriteRows[T float32 | float64](w io.Writer, cols int, rows [][]T) error {
	g := newGather(w)
	g.npyArray(descr[T](), false, fmt.Sprintf("(%d, %d)", len(rows), cols))
	for k, row := range rows {
		if len(row) != cols {
			return fmt.Errorf("matio: row %d has %d elements, not %d", k, len(row), cols)
		}
		npyElements(g, row)
	}
	return g.flush()
}
