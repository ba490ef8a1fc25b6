package main

// #include "entry.h"
import "C"

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"unsafe"

	"github.com/vkevd/vkevd/evd"
)

// vector returns n numbers in C memory as a Go slice. The address may be NULL only if n is 0. `name`
// names the argument in errors.
func vector[T evd.Float](p unsafe.Pointer, n int, name string) ([]T, error) {
	if p == nil && n > 0 {
		return nil, errNull(name)
	}
	return unsafe.Slice((*T)(p), n), nil
}

// dense returns a matrix in the memory of the C program. The address may be NULL only if the matrix
// has no entries. `name` names the argument in errors.
func dense[T evd.Float](p unsafe.Pointer, rows, cols int, ld C.int64_t, rowMajor bool, name string) (evd.Dense[T], error) {
	d := evd.Dense[T]{Rows: rows, Cols: cols, Ld: int(ld), RowMajor: rowMajor}
	lines, length := lines(&d)
	if int64(ld) < int64(max(length, 1)) {
		return d, badArgument{fmt.Sprintf("ld%s: %d, must be at least %d", name, int64(ld), max(length, 1))}
	}
	if lines == 0 || length == 0 {
		return d, nil
	}
	if int64(ld) > math.MaxInt64/8/int64(lines) {
		return d, badArgument{fmt.Sprintf("ld%s: %d, more than fits an address", name, int64(ld))}
	}
	var err error
	d.Data, err = vector[T](p, (lines-1)*d.Ld+length, name)
	return d, err
}

// lines returns the number and the length of the contiguous pieces of a matrix: its columns, or its
// rows if it is row-major.
func lines[T evd.Float](d *evd.Dense[T]) (count, length int) {
	if d.RowMajor {
		return d.Rows, d.Cols
	}
	return d.Cols, d.Rows
}

// put copies `src` to `dst`, a matrix of the same shape in any order.
func put[T evd.Float](dst, src *evd.Dense[T]) {
	count, length := lines(dst)
	if dst.RowMajor == src.RowMajor {
		inParallel(count, length, func(j int) {
			copy(dst.Data[j*dst.Ld:j*dst.Ld+length], src.Data[j*src.Ld:])
		})
		return
	}
	// A block of `src` fits into the first-level cache, so all elements of a cache line are copied
	// before the line leaves the cache.
	const block = 32
	inParallel((count+block-1)/block, block*length, func(b int) {
		from, to := b*block, min((b+1)*block, count)
		for i := 0; i < length; i += block {
			for j := from; j < to; j++ {
				for k := i; k < min(i+block, length); k++ {
					dst.Data[j*dst.Ld+k] = src.Data[k*src.Ld+j]
				}
			}
		}
	})
}

// putTriangle copies the triangle src.Uplo to `dst`, which is stored in the same order.
func putTriangle[T evd.Float](dst []T, ld int, src evd.Sym[T]) {
	inParallel(src.N, src.N/2, func(j int) {
		from, to := j, src.N
		if (src.Uplo == evd.Upper) != src.RowMajor { // an upper triangle in column order
			from, to = 0, j+1
		}
		copy(dst[j*ld+from:j*ld+to], src.Data[j*src.Ld+from:])
	})
}

// inParallel calls f for 0, …, `count`−1. Each call copies about `size` numbers. For many numbers it
// uses several cores.
func inParallel(count, size int, f func(int)) {
	const enough = 1 << 18 // smallest number of copied numbers for each core
	workers := min(runtime.GOMAXPROCS(0), 8, 1+count*size/enough, max(count, 1))
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := w * count / workers; i < (w+1)*count/workers; i++ {
				f(i)
			}
		})
	}
	all.Wait()
}
