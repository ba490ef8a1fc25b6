package ref

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
)

// TestPipeline runs all stages for every kind of dense matrix, A = Q·Λ·Qᵀ. The values and the
// vectors of T come from gonum's QR iteration. The values of bisection are compared with gonum's
// values, and with the spectrum if it is known.
func TestPipeline(t *testing.T) {
	const b, k = 4, 8
	residual := worst{name: "‖A·Q − Q·Λ‖"}
	rebuilt := worst{name: "‖A − Q·Λ·Qᵀ‖"}
	orthogonal := worst{name: "‖I − Qᵀ·Q‖"}
	values := worst{name: "|λ − known|"}
	for _, kind := range matgen.Dense() {
		for _, n := range []int{0, 1, 2, 3, 5, 20, 43, 64} {
			dense := kind.Dense(n)
			a := lowerOnly(n, dense, n)
			band, tf := BandReduction(n, b, k, a, n)
			d, e, v, tau := BulgeChasing(n, b, band)
			lambda, q := qrIteration(t, d, e)
			ApplyQ2(n, b, v, tau, n, q, n)
			ApplyQ1(n, b, a, n, tf, n, q, n)

			residual.see(t, ratio.Residual(n, n, dense, n, lambda, q, n), "%s n=%d", kind.Name(), n)
			rebuilt.see(t, ratio.Reconstruction(n, dense, n, lambda, q, n), "%s n=%d", kind.Name(), n)
			orthogonal.see(t, ratio.Orthogonality(n, n, q, n), "%s n=%d", kind.Name(), n)
			norm := ratio.Norm1(n, n, dense, n)
			bisected := Bisection(d, e)
			values.see(t, ratio.Values(n, bisected, lambda, norm), "%s n=%d, against QR", kind.Name(), n)
			if want, known := kind.Eigenvalues(n); known {
				values.see(t, ratio.Values(n, bisected, want, norm), "%s n=%d", kind.Name(), n)
			}
		}
	}
	for _, w := range []*worst{&residual, &rebuilt, &orthogonal, &values} {
		w.report(t)
	}
}

// qrIteration returns the eigenvalues of the tridiagonal matrix with diagonal d and off-diagonal e,
// and its eigenvectors as columns. The matrix is first scaled to a norm of about 1, because gonum
// panics for some matrices that gonum itself has to scale.
func qrIteration(t *testing.T, d, e []float64) (values, z []float64) {
	t.Helper()
	n := len(d)
	if n == 0 {
		return nil, nil
	}
	_, exponent := math.Frexp(ratio.NormTridiagonal(d, e))
	shifted := func(x []float64, by int) []float64 {
		y := make([]float64, len(x))
		for i := range x {
			y[i] = math.Ldexp(x[i], by)
		}
		return y
	}
	values, z = shifted(d, -exponent), make([]float64, n*n)
	var impl gonum.Implementation
	if !impl.Dsteqr(lapack.EVTridiag, n, values, shifted(e, -exponent), z, n, make([]float64, max(1, 2*n-2))) {
		t.Fatal("gonum's Dsteqr gave up")
	}
	for j := range n { // from rows to columns
		for i := range j {
			z[i+j*n], z[j+i*n] = z[j+i*n], z[i+j*n]
		}
	}
	return shifted(values, exponent), z
}
