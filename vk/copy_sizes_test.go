package vk

import (
	"fmt"
	"math"
	"testing"
)

// TestColumnsOfHugeSizes checks that a matrix that claims more elements than an int can count is
// refused. (The products of such sizes once overflowed and passed.)
func TestColumnsOfHugeSizes(t *testing.T) {
	refused := func(c Columns[float64], n int) (is bool) {
		defer func() { is = recover() != nil }()
		c.check(n)
		return false
	}
	data := make([]float64, 12)
	for _, c := range []struct {
		rows, cols, ld, n int
		want              bool
	}{
		{3, 4, 3, 12, false}, {3, 3, 4, 9, false}, {0, 5, 0, 0, false}, {5, 0, 5, 0, false}, {4, 1, math.MaxInt, 4, false},
		{3, 4, 3, 11, true}, {3, 4, 4, 12, true}, {4, 3, 3, 12, true}, {-1, 3, 3, 12, true}, {3, -1, 3, 12, true},
		{1 << 32, 1 << 32, 1 << 32, 12, true}, {2, 1<<62 + 1, 4, 1 << 40, true}, {1, 3, math.MaxInt, 12, true},
		{math.MaxInt, 2, math.MaxInt, math.MaxInt, true},
	} {
		if got := refused(Columns[float64]{c.rows, c.cols, c.ld, data}, c.n); got != c.want {
			t.Errorf("%s: refused %v", fmt.Sprint(c), got)
		}
	}
}
