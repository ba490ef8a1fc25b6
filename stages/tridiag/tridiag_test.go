package tridiag

import (
	"errors"
	"math"
	"sync/atomic"
	"testing"
)

func TestParallel(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 1000} {
		calls := make([]atomic.Int32, n)
		Parallel(n, func(i int) { calls[i].Add(1) })
		for i := range calls {
			if c := calls[i].Load(); c != 1 {
				t.Errorf("f(%d) of %d was called %d times", i, n, c)
			}
		}
	}
}

// TestParallelUntil checks that f is not called after an error of `stop`, and that the first such
// error is returned. If `stop` returns no error, f must be called for each index.
func TestParallelUntil(t *testing.T) {
	for _, n := range []int{1, 2, 1000} {
		var calls, looks atomic.Int32
		enough := errors.New("enough")
		err := ParallelUntil(n, func(int) { calls.Add(1) }, func() error {
			if looks.Add(1) > 10 {
				return enough
			}
			return nil
		})
		if want := min(n, 10); int(calls.Load()) != want || n > 10 != (err == enough) || n <= 10 && err != nil {
			t.Errorf("%d of %d calls, %v", calls.Load(), n, err)
		}
	}
}

func TestUlp(t *testing.T) {
	one, half := 1.0, Roundoff // variables, because the compiler adds constants without rounding
	if math.Nextafter(one, 2)-one != Ulp || one+half != one || one+half*(1+Ulp) != one+Ulp {
		t.Error("not the distance from 1 to the next number, or not half of it")
	}
}

func TestNegligible(t *testing.T) {
	for _, c := range []struct {
		e, a, b float64
		want    bool
	}{
		{1e-17, 1, 1, true}, {-1e-17, 1, -1, true}, {1e-15, 1, 1, false}, {1e-17, 1, 1e-10, false}, {0, 0, 0, true},
		{1e-300, 1e-290, 1e-290, false}, {1e-307, 1e-290, 1e-290, true},
	} {
		if got := Negligible(c.e, c.a, c.b); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
