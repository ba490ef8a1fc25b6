package gonumlapack

import (
	"runtime"
	"sync"
)

// tile is the edge of the blocks that trade places: two of them fit a first-level cache.
const tile = 32

// transpose turns the n×n matrix with the stride ld into its transpose, in place, on all
// cores: the device returns columns one after the other, gonum wants rows.
func transpose(a []float64, n, ld int) {
	rows := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+tile-1)/tile) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i0 := range rows {
				for j0 := i0; j0 < n; j0 += tile {
					swap(a, ld, i0, min(i0+tile, n), j0, min(j0+tile, n))
				}
			}
		}()
	}
	for i0 := 0; i0 < n; i0 += tile {
		rows <- i0
	}
	close(rows)
	wg.Wait()
}

// swap exchanges the block [i0, i1) × [j0, j1), j0 ≥ i0, with its mirror image.
func swap(a []float64, ld, i0, i1, j0, j1 int) {
	for i := i0; i < i1; i++ {
		for j := max(j0, i+1); j < j1; j++ {
			a[i*ld+j], a[j*ld+i] = a[j*ld+i], a[i*ld+j]
		}
	}
}
