package plan

import (
	"math"
	"testing"
)

// TestScanFindsTheFirst scans a matrix so large that several workers share it. The first bad entry
// in column order must be found, and entries outside the triangle must not count.
func TestScanFindsTheFirst(t *testing.T) {
	const n, ld = 700, 701
	a := make([]float64, ld*n)
	lower := func(j int) (int, int) { return j, n }
	a[650+3*ld], a[3+650*ld] = -7, math.NaN() // the second one is above the diagonal
	if largest, i, j := Scan(a, ld, n, lower); largest != 7 || i != -1 || j != -1 {
		t.Errorf("largest %g, bad entry %d, %d", largest, i, j)
	}
	for _, bad := range [][2]int{{699, 699}, {690, 400}, {500, 400}, {402, 399}} { // each is before its predecessor in column order
		a[bad[0]+bad[1]*ld] = math.Inf(-1)
		if _, i, j := Scan(a, ld, n, lower); i != bad[0] || j != bad[1] {
			t.Errorf("bad entry %d, %d, want %v", i, j, bad)
		}
	}
}
