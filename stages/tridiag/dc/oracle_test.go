package dc

import (
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
)

var oracles = map[string]func(d, e []float64) (values, z []float64){
	"Cuppen": ref.DivideConquer, "Jacobi": ref.Jacobi,
}

// TestSolveAgreesWithOracles compares values and vectors with those of two solvers that share no
// code with this package. It uses leaves (smallest subproblems) of several sizes.
func TestSolveAgreesWithOracles(t *testing.T) {
	var worstValue, worstAngle float64
	for _, f := range suite.Families {
		for _, n := range []int{1, 2, 3, 5, 21, 50, 64} {
			d, e := f.Make(n)
			for oracle, solve := range oracles {
				want, wantZ := solve(d, e)
				for _, leaf := range []int{1, 3, 8, 0} {
					name := fmt.Sprintf("%s n=%d leaf=%d against %s", f.Name, n, leaf, oracle)
					values, z, err := Solve(d, e, Options{LeafSize: leaf})
					if err != nil {
						t.Fatal(name, err)
					}
					value, angle := suite.Distance(d, e, values, want), suite.Angle(d, e, want, 0, z, wantZ)
					worstValue, worstAngle = max(worstValue, value), max(worstAngle, angle)
					if !(value < suite.Limit && angle < suite.Limit) {
						t.Errorf("%s: values differ by %.3g, vectors by %.3g", name, value, angle)
					}
				}
			}
		}
	}
	t.Logf("values differ by %.3g, vectors by %.3g at most", worstValue, worstAngle)
	if worstValue == 0 || worstAngle == 0 {
		t.Error("the oracles agree to the last bit: they cannot be independent")
	}
}
