package ref

import (
	"math"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
)

// TestHouseholder checks H·x = β·e1 and the orthogonality of the reflector H, for vectors x of all
// magnitudes of doubles.
func TestHouseholder(t *testing.T) {
	orthogonal := worst{name: "‖I − HᵀH‖"}
	for n := 1; n <= 33; n++ {
		for _, scale := range []float64{1, 1e300, 1e-300, 5e-324, 1e-310} {
			for kind, spoil := range map[string]func(x []float64){
				"random":    func([]float64) {},
				"zero tail": func(x []float64) { clear(x[1:]) },
				"minus zero tail": func(x []float64) {
					for i := range x[1:] {
						x[1+i] = math.Copysign(0, -1)
					}
				},
				"zero head":  func(x []float64) { x[0] = 0 },
				"minus zero": func(x []float64) { x[0] = math.Copysign(0, -1) },
				"zero":       func(x []float64) { clear(x) },
				"tiny tail": func(x []float64) {
					for i := range x[1:] {
						x[1+i] *= 1e-200
					}
				},
				"tiny head": func(x []float64) { x[0] *= 1e-200 },
			} {
				x := gauss(n, uint64(n))
				for i := range x {
					x[i] *= scale
				}
				spoil(x)
				v := append([]float64(nil), x...)
				beta, tau := Householder(v)

				var tail, norm float64
				for i, xi := range x {
					norm = math.Hypot(norm, xi)
					if i > 0 {
						tail = max(tail, math.Abs(xi))
					}
				}
				if v[0] != 1 || (tail == 0) != (tau == 0) || !(tau >= 0 && tau <= 2) {
					t.Fatalf("%s n=%d scale=%g: v0=%g τ=%g", kind, n, scale, v[0], tau)
				}
				if wantSign := tail == 0 || (beta < 0) == (x[0] >= 0); !wantSign || tail == 0 && beta != x[0] {
					t.Errorf("%s n=%d scale=%g: x0=%g β=%g", kind, n, scale, x[0], beta)
				}
				h := eye(n, n)
				reflectLeft(tau, v, n, h, n)
				orthogonal.see(t, ratio.Orthogonality(n, n, h, n), "%s n=%d scale=%g", kind, n, scale)

				// The results must agree up to a few ulp of the norm, or up to a few times the
				// smallest denormal number.
				within := math.Max(4*float64(n)*ratio.Ulp*norm, float64(n)*5e-324)
				reflectLeft(tau, v, 1, x, n)
				x[0] -= beta
				for i, r := range x {
					if !(math.Abs(r) <= within) {
						t.Errorf("%s n=%d scale=%g: element %d of H·x − β·e1 is %g", kind, n, scale, i, r)
					}
				}
			}
		}
	}
	orthogonal.report(t)
}
