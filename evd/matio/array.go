package matio

import (
	"fmt"
	"slices"

	"github.com/vkevd/vkevd/evd/matio/internal/transpose"
)

// mostEmpty is the largest number of matrices without elements in a stack. The file has no bytes
// for them, but each takes memory and time of a caller.
const mostEmpty = 1 << 20

// An array is the content of a .npy file as matrices that are stored by columns. An array of two
// dimensions is one matrix, and an array of one dimension is one column.
type array struct {
	Stack
	dims int // number of dimensions in the file
}

// readArray reads a .npy file, whose elements may be in row-major or in column-major order. The
// function `fits` returns a complaint if the caller does not accept arrays of this shape. Complex
// elements are accepted only if complexToo is true. Each is then a pair of numbers in the result,
// and in.complex is true. Errors are *FormatError, *TooLargeError and those of the stream.
func readArray(in *input, fits func(shape []int) string, complexToo bool) (*array, error) {
	f := npy{input: in}
	if err := f.readHeader(complexToo); err != nil {
		return nil, err
	}
	if complaint := fits(f.Shape); complaint != "" {
		return nil, f.errorf("%s", complaint)
	}
	count, rows, cols := stackShape(f.Shape)
	if count > mostEmpty && (rows == 0 || cols == 0) {
		return nil, f.errorf("a stack of %d matrices without elements", count)
	}
	data, err := f.readData()
	if err != nil {
		return nil, err
	}
	var ok bool
	if f.complex {
		var pairs []complex128
		pairs, ok = byColumns(pairsOf(data), f.FortranOrder, count, rows, cols)
		data = partsOf(pairs)
	} else {
		data, ok = byColumns(data, f.FortranOrder, count, rows, cols)
	}
	if !ok {
		return nil, f.shapeTooLarge()
	}
	single := f.Descr[1:] == "f4" || f.Descr[1:] == "c8"
	return &array{Stack{Count: count, Rows: rows, Cols: cols, Data: data, Single: single}, len(f.Shape)}, nil
}

// byColumns returns the matrices of a file one after another, each stored by columns. It returns
// false if the system does not have the memory.
func byColumns[T transpose.Number](data []T, fortran bool, count, rows, cols int) ([]T, bool) {
	switch {
	case count == 1 && !fortran:
		return transpose.ByColumns(data, rows, cols)
	case !fortran:
		return data, transpose.EachByColumns(data, rows, cols)
	case count > 1 && len(data) > 0:
		// In Fortran order, the elements with the same place in all matrices follow each other.
		return transpose.ByColumns(data, rows*cols, count)
	}
	return data, true
}

// stackShape returns the shape of an array as a stack of matrices.
func stackShape(shape []int) (count, rows, cols int) {
	full := []int{1, 1, 1}
	switch len(shape) {
	case 1:
		full[1] = shape[0]
	case 2, 3:
		copy(full[3-len(shape):], shape)
	}
	return full[0], full[1], full[2]
}

// These functions are arguments of readArray. Each returns "" for the shapes that it accepts, and
// otherwise a complaint. They accept a matrix, a stack, either of these two, or a vector.

func isMatrix(shape []int) string {
	switch len(shape) {
	case 2:
		return ""
	case 1:
		return "a matrix has two dimensions, but this array has 1: A.reshape(n, n) makes a matrix"
	case 3:
		return "a matrix has two dimensions, but this array has 3; vkevd solve --batch solves a stack of matrices"
	}
	return fmt.Sprintf("a matrix has two dimensions, but this array has %d", len(shape))
}

func isStack(shape []int) string {
	switch len(shape) {
	case 3:
		return ""
	case 2:
		return "a stack of matrices has three dimensions, but this array has 2: it is one matrix; leave out --batch"
	}
	return fmt.Sprintf("a stack of matrices has three dimensions, but this array has %d", len(shape))
}

func isMatrixOrStack(shape []int) string {
	if len(shape) == 2 || len(shape) == 3 {
		return ""
	}
	return fmt.Sprintf("a matrix has two dimensions and a stack three, but this array has %d", len(shape))
}

func isVector(shape []int) string {
	if len(shape) == 1 || len(shape) == 2 && slices.Contains(shape, 1) {
		return ""
	}
	return fmt.Sprintf("not a vector: dimensions %v", shape)
}

func (o Options) readNPY(in *input) (*matrix, error) {
	a, err := readArray(in, isMatrix, o.complexToo)
	if err != nil {
		return nil, err
	}
	return &matrix{in.source, &Dense{Rows: a.Rows, Cols: a.Cols, Data: a.Data, Single: a.Single}, nil}, nil
}

func readNPYVector(in *input) ([]float64, error) {
	a, err := readArray(in, isVector, false)
	if err != nil {
		return nil, err
	}
	return a.Data, nil
}
