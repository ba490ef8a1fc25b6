package ref

import (
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages/tridiag/suite"
)

// TestBidiagonalFamilies checks that the test matrices of suite.BidiagonalFamilies have order n and
// are finite.
func TestBidiagonalFamilies(t *testing.T) {
	for _, f := range suite.BidiagonalFamilies {
		for _, n := range []int{0, 1, 2, 17} {
			d, e := f.Make(n)
			if len(d) != n || len(e) != max(0, n-1) {
				t.Errorf("%s n=%d: %d and %d elements", f.Name, n, len(d), len(e))
			}
			for _, x := range slices.Concat(d, e) {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Errorf("%s n=%d: %g", f.Name, n, x)
				}
			}
		}
	}
}
