package main

// #include "entry.h"
import "C"

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/copies"
)

// vector returns n numbers in C memory as a Go slice. The address may be NULL only if n is 0.
// `name` names the argument in errors.
func vector[T evd.Number](p unsafe.Pointer, n int, name string) ([]T, error) {
	if p == nil && n > 0 {
		return nil, errNull(name)
	}
	return unsafe.Slice((*T)(p), n), nil
}

// dense returns a matrix in the memory of the C program. The address may be NULL only if the matrix
// has no entries. `name` names the argument in errors.
func dense[T evd.Number](p unsafe.Pointer, rows, cols int, ld C.int64_t, rowMajor bool, name string) (evd.Dense[T], error) {
	d := evd.Dense[T]{Rows: rows, Cols: cols, Ld: int(ld), RowMajor: rowMajor}
	lines, length := lines(&d)
	if int64(ld) < int64(max(length, 1)) {
		return d, badArgument{fmt.Sprintf("ld%s: %d, must be at least %d", name, int64(ld), max(length, 1))}
	}
	if lines == 0 || length == 0 {
		return d, nil
	}
	if int64(ld) > math.MaxInt64/int64(unsafe.Sizeof(*new(T)))/int64(lines) {
		return d, badArgument{fmt.Sprintf("ld%s: %d, more than fits an address", name, int64(ld))}
	}
	var err error
	d.Data, err = vector[T](p, (lines-1)*d.Ld+length, name)
	return d, err
}

// lines returns the number and the length of the contiguous pieces of a matrix: its columns, or its
// rows if it is row-major.
func lines[T evd.Number](d *evd.Dense[T]) (count, length int) {
	if d.RowMajor {
		return d.Rows, d.Cols
	}
	return d.Cols, d.Rows
}

// put copies `src` to `dst`. Both have the same shape, and each is row-major or column-major.
func put[T evd.Number](dst, src *evd.Dense[T]) {
	count, length := lines(dst)
	by := copies.Columns[T]
	if dst.RowMajor != src.RowMajor {
		by, count, length = copies.Transposed[T], length, count
	}
	by(dst.Data, dst.Ld, src.Data, src.Ld, length, count)
}

// putTriangle copies the triangle src.Uplo to `dst`, which is row-major if `src` is.
func putTriangle[T evd.Number](dst []T, ld int, src evd.Sym[T]) {
	copies.Each(src.N, src.N/2, func(j int) {
		from, to := j, src.N
		if (src.Uplo == evd.Upper) != src.RowMajor { // an upper triangle in column order
			from, to = 0, j+1
		}
		copy(dst[j*ld+from:j*ld+to], src.Data[j*src.Ld+from:])
	})
}
