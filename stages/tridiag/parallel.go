package tridiag

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Parallel calls f(0) … f(n−1) on all processors and returns when all calls have returned. The
// calls run in no fixed order, so they must not write to the same memory.
func Parallel(n int, f func(i int)) { ParallelUntil(n, f, nil) }

// ParallelUntil is Parallel with a call of `stop` before each call of f. Several goroutines call
// `stop`, which may be nil. Each of them ends when it gets an error, so after its first error
// `stop` must return errors only. ParallelUntil returns the first error.
func ParallelUntil(n int, f func(i int), stop func() error) error {
	// Each worker takes the next i from a shared counter. This balances calls of unequal cost.
	var next atomic.Int64
	var once sync.Once
	var stopped error
	work := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			if stop != nil {
				if err := stop(); err != nil {
					once.Do(func() { stopped = err })
					return
				}
			}
			f(i)
		}
	}
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		work()
		return stopped
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(work)
	}
	wg.Wait()
	return stopped
}
