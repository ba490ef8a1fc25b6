package dc

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/vkevd/vkevd/stages/tridiag/suite"
)

// TestHostStops checks that the back end in plain Go ends after an error of Stop, at the first calls
// of Stop and at some later ones, and that the solver returns this error.
func TestHostStops(t *testing.T) {
	d, e := suite.Random(300) // more columns than one panel
	enough := errors.New("enough")
	for fail := int32(1); ; fail += 1 + fail/8 {
		host := NewHost(len(d))
		var calls atomic.Int32
		host.Stop = func() error {
			if calls.Add(1) >= fail {
				return enough
			}
			return nil
		}
		_, err := SolveWith(host, d, e, Options{})
		if calls.Load() < fail {
			if err != nil || fail < 20 {
				t.Errorf("%d calls of Stop, %v", calls.Load(), err)
			}
			return
		}
		if err != enough {
			t.Fatalf("call %d of Stop failed, the solver returned %v", fail, err)
		}
	}
}

// TestHostProgress checks that the parts of the work are positive, and that their sum is 1.
func TestHostProgress(t *testing.T) {
	for _, to := range []int{300, 7} {
		d, e := suite.Random(300)
		host := NewHost(len(d))
		var lock sync.Mutex
		sum, calls := 0.0, 0
		host.Progress = func(part float64) {
			lock.Lock()
			defer lock.Unlock()
			if !(part > 0) {
				t.Errorf("a part of %g", part)
			}
			sum, calls = sum+part, calls+1
		}
		if _, err := SolveWith(host, d, e, Options{From: 0, To: to}); err != nil {
			t.Fatal(err)
		}
		if math.Abs(sum-1) > 1e-9 || calls < 3 {
			t.Errorf("%d vectors: %d parts of sum %g", to, calls, sum)
		}
	}
}

// TestHostStopsWithinAMerge makes Stop fail when the last merge has formed its first columns. The
// merge must then form no further columns: it reports no further part of the work. (All merges before
// the last one are less than half of the work.)
func TestHostStopsWithinAMerge(t *testing.T) {
	d, e := suite.Random(600)
	enough := errors.New("enough")
	host := NewHost(len(d))
	var lock sync.Mutex
	sum := 0.0
	host.Stop = func() error {
		lock.Lock()
		defer lock.Unlock()
		if sum > 0.5 {
			return enough
		}
		return nil
	}
	host.Progress = func(part float64) {
		lock.Lock()
		defer lock.Unlock()
		if sum > 0.5 {
			t.Errorf("the merge went on after %g of the work", sum)
		}
		sum += part
	}
	if _, err := SolveWith(host, d, e, Options{}); err != enough || sum > 0.9 {
		t.Errorf("%v after %g of the work", err, sum)
	}
}
