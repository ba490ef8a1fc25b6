package mrrr

import (
	"testing"

	"github.com/vkevd/vkevd/stages/tridiag/suite"
)

// TestHostStops checks that the back end in plain Go ends after an error of Stop. With Distrust,
// divide and conquer solves the blocks. An error of Stop must end divide and conquer, too.
func TestHostStops(t *testing.T) {
	d, e := suite.Random(40)
	for _, distrust := range []bool{false, true} {
		opt := Options{From: 5, To: 25, Distrust: distrust}
		suite.Stops(t, 8, func(stop func() error) error {
			host := NewHost(len(d), opt.To-opt.From)
			host.Stop = stop
			_, _, err := SolveWith(host, d, e, opt)
			return err
		})
	}
}
