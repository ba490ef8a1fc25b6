package spectrum

import (
	"testing"

	"github.com/vkevd/vkevd/stages/tridiag/steqr"
	"github.com/vkevd/vkevd/stages/tuning"
)

// TestChoose checks that the method depends on the orders in the tuning table, on the wanted part,
// and on whether vectors are wanted. On a CPU, bisection was once chosen for all values of order
// 20,000, and took four times as long as divide and conquer.
func TestChoose(t *testing.T) {
	table := tuning.Tuning{
		QR:            steqr.QRTuning{Vectors: 10, Values: 20},
		ConquerValues: tuning.ConquerValues{From: 100, Share: 4},
	}
	bisects := tuning.Tuning{QR: table.QR}
	for _, c := range []struct {
		n    int
		opt  Options
		t    tuning.Tuning
		want Solver
	}{
		{10, Options{Vectors: true}, table, QR},
		{11, Options{Vectors: true}, table, DivideConquer},
		{11, Options{Vectors: true, Select: Index(0, 10)}, table, MRRR},
		{20, Options{}, table, QR},
		{21, Options{}, table, Bisection},
		{99, Options{}, table, Bisection},
		{100, Options{}, table, DivideConquer},
		{100, Options{}, bisects, Bisection},
		{100, Options{Solver: Bisection}, table, Bisection},
		{100, Options{Select: Index(75, 100)}, table, DivideConquer},
		{100, Options{Select: Index(76, 100)}, table, Bisection},
		{100, Options{Select: Interval(0, 1)}, table, Bisection},
	} {
		if got := c.opt.choose(c.n, c.t); got != c.want {
			t.Errorf("order %d, %+v: %v, want %v", c.n, c.opt, got, c.want)
		}
	}
}
