package ref

import (
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
)

// eachTridiagonal runs the function `test` for the families of package suite, and for the
// tridiagonal kinds of package matgen. The argument `known` of `test` is nil if the spectrum is not
// known.
func eachTridiagonal(orders []int, test func(name string, d, e, known []float64)) {
	for _, f := range suite.Families {
		for _, n := range orders {
			d, e := f.Make(n)
			test(f.Name, d, e, nil)
		}
	}
	for _, kind := range matgen.Tridiagonals() {
		for _, n := range orders {
			d, e := kind.Tridiagonal(n)
			known, ok := kind.Eigenvalues(n)
			if !ok {
				known = nil
			}
			test(kind.Name(), d, e, known)
		}
	}
}

// TestTridiagonalOracles checks the independent solvers of this package by LAPACK's ratios, Sturm
// counts, known spectra and bisection.
func TestTridiagonalOracles(t *testing.T) {
	for name, solve := range map[string]func(d, e []float64) (values, z []float64){"Cuppen": DivideConquer,
		"Jacobi": Jacobi} {
		t.Run(name, func(t *testing.T) {
			residual := worst{name: "‖T·Z − Z·Λ‖"}
			orthogonal := worst{name: "‖I − Zᵀ·Z‖"}
			values := worst{name: "|λ − known|"}
			bisected := worst{name: "|λ − bisection's|"}
			eachTridiagonal([]int{1, 2, 3, 5, 21, 50}, func(name string, d, e, known []float64) {
				n := len(d)
				lambda, z := solve(d, e)
				residual.see(t, ratio.TridiagonalResidual(d, e, lambda, z, n), "%s n=%d", name, n)
				orthogonal.see(t, ratio.Orthogonality(n, n, z, n), "%s n=%d", name, n)
				norm := ratio.NormTridiagonal(d, e)
				if err := ratio.Sturm(d, e, lambda, ratio.Within("dc")*ratio.Ulp*norm); err != nil {
					t.Errorf("%s n=%d: %v", name, n, err)
				}
				bisected.see(t, ratio.Values(n, lambda, Bisection(d, e), norm), "%s n=%d", name, n)
				if known != nil {
					values.see(t, ratio.Values(n, lambda, known, norm), "%s n=%d", name, n)
				}
			})
			for _, w := range []*worst{&residual, &orthogonal, &values, &bisected} {
				w.report(t)
			}
		})
	}
	if values, z := DivideConquer(nil, nil); len(values) != 0 || len(z) != 0 {
		t.Error("an empty matrix has eigenvalues")
	}
}
