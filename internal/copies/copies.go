// Package copies, internal to vkevd, copies matrices in the memory of the host, on several processors.
package copies

import (
	"runtime"
	"sync"
)

// Columns copies the rows×cols matrix src to dst. Both are stored by columns, with leading dimensions
// lds and ldd.
func Columns[T any](dst []T, ldd int, src []T, lds, rows, cols int) {
	if rows > 0 {
		Each(cols, rows, func(j int) { copy(dst[j*ldd:j*ldd+rows], src[j*lds:]) })
	}
}

// Transposed does the same as Columns, but stores dst by rows.
func Transposed[T any](dst []T, ldd int, src []T, lds, rows, cols int) {
	// A tile of src fits into the first-level cache, so all elements of a cache line are copied before
	// the line leaves the cache.
	const tile = 32
	Each((rows+tile-1)/tile, tile*cols, func(k int) {
		for j0 := 0; j0 < cols; j0 += tile {
			for i := k * tile; i < min((k+1)*tile, rows); i++ {
				for j := j0; j < min(j0+tile, cols); j++ {
					dst[i*ldd+j] = src[i+j*lds]
				}
			}
		}
	})
}

// Each calls f for 0, …, `count`−1. Each call copies about `size` numbers. If there are many numbers,
// Each uses several processors.
func Each(count, size int, f func(int)) {
	const enough = 1 << 18 // smallest number of copied numbers for each processor
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
