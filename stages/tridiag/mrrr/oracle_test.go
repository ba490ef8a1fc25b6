package mrrr

import (
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
)

// TestSolveAgreesWithJacobi compares values and vectors with those of Jacobi's method, which shares
// no code with this package.
func TestSolveAgreesWithJacobi(t *testing.T) {
	var worstValue, worstAngle float64
	for _, f := range suite.Families {
		for _, n := range []int{1, 2, 3, 5, 21, 50, 64} {
			d, e := f.Make(n)
			want, wantZ := ref.Jacobi(d, e)
			for _, r := range [][2]int{{0, n}, {n / 3, n - n/4}} {
				name := fmt.Sprintf("%s n=%d %v", f.Name, n, r)
				values, z, _, err := Solve(d, e, Options{From: r[0], To: r[1]})
				if err != nil {
					t.Fatal(name, err)
				}
				value := suite.Distance(d, e, values, want[r[0]:r[1]])
				angle := suite.Angle(d, e, want, r[0], z, wantZ)
				worstValue, worstAngle = max(worstValue, value), max(worstAngle, angle)
				if !(value < suite.Limit && angle < ratioLimit) {
					t.Errorf("%s: values differ by %.3g, vectors by %.3g", name, value, angle)
				}
			}
		}
	}
	t.Logf("values differ by %.3g, vectors by %.3g at most", worstValue, worstAngle)
	if worstValue == 0 || worstAngle == 0 {
		t.Error("both agree to the last bit: they cannot be independent")
	}
}
