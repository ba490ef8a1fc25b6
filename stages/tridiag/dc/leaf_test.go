package dc

import (
	"fmt"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages/tridiag/suite"
)

// TestDivideConquerLeaf checks the residuals, the orthogonality and the order of values of leaves,
// the smallest subproblems of divide and conquer. It compares the values with those of QL
// iteration.
func TestDivideConquerLeaf(t *testing.T) {
	var worstR, worstO float64
	for _, f := range suite.Families {
		for n := 1; n <= 64; n++ {
			d, e := f.Make(n)
			scale := suite.Scale(d, e)
			for i := range d {
				d[i] /= scale
			}
			for i := range e {
				e[i] /= scale
			}
			name := fmt.Sprintf("%s n=%d", f.Name, n)
			values, off, v := slices.Clone(d), slices.Clone(e), make([]float64, n*n)
			if !solveLeaf(values, off, v) {
				t.Errorf("%s: no convergence", name)
				continue
			}
			r, o := suite.Ratios(d, e, values, v)
			worstR, worstO = max(worstR, r), max(worstO, o)
			if !(r < suite.Limit && o < suite.Limit) || !slices.IsSorted(values) {
				t.Errorf("%s: residual %.3g, orthogonality %.3g", name, r, o)
			}
			if f.Name == "wild exponents" {
				continue // gonum's QL iteration loses values of this matrix
			}
			if qr := suite.QL(t, d, e); qr != nil && !(suite.Distance(d, e, values, qr) < 1) {
				t.Errorf("%s: %.3g·n·ulp·‖T‖ from LAPACK's", name, suite.Distance(d, e, values, qr))
			}
		}
	}
	t.Logf("worst residual %.3g, orthogonality %.3g", worstR, worstO)
}

// TestDivideConquerLeafGivesUp checks that solveLeaf returns false if a leaf does not converge. The
// diagonal has a NaN, and an off-diagonal element next to a NaN is never negligible.
func TestDivideConquerLeafGivesUp(t *testing.T) {
	nan := 0.0
	nan /= nan
	if solveLeaf([]float64{nan, 1, 2}, []float64{1, 1}, make([]float64, 9)) {
		t.Error("converged on NaN")
	}
}
