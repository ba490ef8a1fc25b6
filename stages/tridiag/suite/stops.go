package suite

import (
	"errors"
	"sync/atomic"
	"testing"
)

// Stops checks that a solver ends after an error of its function Stop, and that it returns this
// error. `solve` runs the solver with the given Stop. In the first solve, Stop fails from its first
// call on. If it fails from call number i on in one solve, it fails from number i + 1 + i/pace on
// in the next. A solve in which Stop does not fail is the last one. In it the solver must call Stop
// about 20 times or more.
func Stops(t *testing.T, pace int32, solve func(stop func() error) error) {
	t.Helper()
	enough := errors.New("enough")
	for fail := int32(1); ; fail += 1 + fail/pace {
		var calls atomic.Int32
		err := solve(func() error {
			if calls.Add(1) >= fail {
				return enough
			}
			return nil
		})
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
