package bidiagonal

import (
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/vkevd/vkevd/stages/tridiag/suite"
)

func TestHostStops(t *testing.T) {
	d, e := suite.Random(300) // more columns than one panel
	suite.Stops(t, 4, func(stop func() error) error {
		host := NewHost(len(d))
		host.Stop = stop
		_, err := SolveWith(host, d, e, Options{LeafSize: 32, To: len(d)})
		return err
	})
}

// TestHostStopsBeforeALeaf makes Stop fail before the only leaf of a matrix is solved. The error of
// Stop must be returned.
func TestHostStopsBeforeALeaf(t *testing.T) {
	d, e := suite.Random(20)
	enough := errors.New("enough")
	for _, to := range []int{0, len(d)} {
		host := NewHost(len(d))
		host.Stop = func() error { return enough }
		if values, err := SolveWith(host, d, e, Options{LeafSize: 32, To: to}); err != enough {
			t.Errorf("%d vectors: values %v, %v", to, values, err)
		}
	}
}

// TestHostSides solves for the vectors of one side, of both and of none. The vectors of a side must
// be the same in each case. The parts of the work that Progress receives must have the sum 1, or 0
// if no vectors are wanted.
func TestHostSides(t *testing.T) {
	const n = 150
	d, e := suite.Random(n)
	var both [2][]float64
	for _, wanted := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
		host := NewHost(n)
		host.Wanted = wanted
		var lock sync.Mutex
		sum, asked := 0.0, 0 // asked: calls of Stop while vectors are formed
		host.Stop = func() error {
			lock.Lock()
			defer lock.Unlock()
			if sum > 0 {
				asked++
			}
			return nil
		}
		host.Progress = func(part float64) {
			lock.Lock()
			defer lock.Unlock()
			sum += part
		}
		if _, err := SolveWith(host, d, e, Options{LeafSize: 32, To: n}); err != nil {
			t.Fatal(err)
		}
		some := wanted[Right] || wanted[Left]
		if some && !(math.Abs(sum-1) <= 1e-9) || !some && sum != 0 {
			t.Errorf("%v: parts of sum %g", wanted, sum)
		}
		if some != (asked > 0) {
			t.Errorf("%v: %d calls of Stop while vectors are formed", wanted, asked)
		}
		for _, side := range Sides {
			switch {
			case both[side] == nil:
				both[side] = host.Result(side)
			case wanted[side] && !slices.Equal(host.Result(side), both[side]), !wanted[side] && len(host.Result(side)) > 0:
				t.Errorf("%v: other vectors of side %d", wanted, side)
			}
		}
	}
}
