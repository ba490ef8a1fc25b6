package tridiag

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Parallel calls f(0) … f(n−1) on all processors and returns when all calls have returned. The
// calls run at the same time and in no fixed order, so they must not write to the same memory.
func Parallel(n int, f func(i int)) {
	// Each worker takes the next i from a shared counter. This balances calls of unequal cost.
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		}()
	}
	wg.Wait()
}
