package mrrr

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/vkevd/vkevd/stages/tridiag/suite"
)

// TestHostStops checks that the back end in plain Go ends after an error of Stop, at the first calls
// of Stop and at some later ones, and that the solver returns this error. With Distrust, divide and
// conquer solves the blocks, which Stop ends, too.
func TestHostStops(t *testing.T) {
	d, e := suite.Random(40)
	enough := errors.New("enough")
	for _, distrust := range []bool{false, true} {
		opt := Options{From: 5, To: 25, Distrust: distrust}
		for fail := int32(1); ; fail += 1 + fail/8 {
			host := NewHost(len(d), opt.To-opt.From)
			var calls atomic.Int32
			host.Stop = func() error {
				if calls.Add(1) >= fail {
					return enough
				}
				return nil
			}
			_, _, err := SolveWith(host, d, e, opt)
			if calls.Load() < fail {
				if err != nil || fail < 20 {
					t.Errorf("%d calls of Stop, %v", calls.Load(), err)
				}
				break
			}
			if err != enough {
				t.Fatalf("call %d of Stop failed, the solver returned %v", fail, err)
			}
		}
	}
}
