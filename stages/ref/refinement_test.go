package ref

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/tridiag"
)

// TestRefinement refines vectors of every kind of matrix whose elements are not near the ends of
// the range. Some vectors have the errors of single precision, and some belong to a matrix that
// differs by 10⁻⁴ of its norm. Matrices with more than half of their eigenvalues in one cluster are
// left out. For the other matrices the refinement steps must converge, and the estimate of the
// error must show when they have converged.
func TestRefinement(t *testing.T) {
	const n, mostSteps = 40, 6
	steps := map[string]int{}
	residual, orthogonality, solved := worst{name: "residual"}, worst{name: "orthogonality"}, 0
	for _, kind := range matgen.Dense() {
		a := kind.Dense(n)
		if m := ratio.Norm1(n, n, a, n); m > 1e100 || m < 1e-100 && m > 0 {
			continue
		}
		for mode, change := range map[string]float64{"single": 3 * 0x1p-23, "warm": 1e-4} {
			x := nearVectors(n, a, change, mode == "single")
			name, done := kind.Name()+" "+mode, false
			var values []float64
			for !done && steps[name] < mostSteps {
				steps[name]++
				s := Refinement(n, a, x)
				if s.Largest > n/2 {
					steps[name] = 0
					break
				}
				values, done = s.Values, s.Left <= n*tridiag.Ulp
			}
			switch {
			case steps[name] == 0: // left out
			case !done:
				t.Errorf("%s: not converged after %d steps", name, mostSteps)
			default:
				solved++
				residual.see(t, ratio.Residual(n, n, a, n, values, x, n), "%s", name)
				orthogonality.see(t, ratio.Orthogonality(n, n, x, n), "%s", name)
			}
		}
	}
	residual.report(t)
	orthogonality.report(t)
	if steps["goe single"] != 2 || steps["goe warm"] != 3 || steps["triples warm"] != 3 || steps["hilbert warm"] != 0 {
		t.Errorf("other numbers of steps: %v", steps)
	}
	t.Logf("%d of %d refined", solved, len(steps))
	if solved < 65 {
		t.Errorf("%d of %d refined", solved, len(steps))
	}
}

// nearVectors returns the eigenvectors of a matrix that differs from the matrix a by about
// `change`·‖a‖. If `single` is true, the elements of the vectors have the errors of single
// precision.
func nearVectors(n int, a []float64, change float64, single bool) []float64 {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	values, _ := JacobiDense(n, a)
	size := change * max(math.Abs(values[0]), math.Abs(values[n-1])) / (2 * math.Sqrt(float64(n)))
	near := full(n, func(i, j int) float64 { return a[i+j*n] + size*r.NormFloat64() })
	_, x := JacobiDense(n, near)
	for i := range x {
		if single {
			x[i] = float64(float32(x[i] * (1 + 0x1p-22*r.NormFloat64())))
		}
	}
	return x
}
