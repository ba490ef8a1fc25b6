package ref

import (
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
)

// usualLeaf is the largest order of a leaf, the smallest subproblem, that a kernel solves. Tests
// also use smaller leaves, which need more merges.
const usualLeaf = 32

// svdRatios holds the largest values of LAPACK's measures of C = S·Σ·Wᵀ, over many matrices.
type svdRatios struct{ residual, left, right, values worst }

func newSVDRatios() *svdRatios {
	return &svdRatios{
		residual: worst{name: "‖C − S·Σ·Wᵀ‖"}, left: worst{name: "‖I − Sᵀ·S‖"},
		right: worst{name: "‖I − Wᵀ·W‖"}, values: worst{name: "|σ − bisection's|"},
	}
}

// check solves the bidiagonal matrix C with diagonal d and superdiagonal e, for each given size of
// leaves. For each result, check tests all properties that BidiagonalDivideConquer guarantees.
// check returns the singular values for the last size.
func (r *svdRatios) check(t *testing.T, name string, d, e []float64, leaves ...int) (sigma []float64) {
	t.Helper()
	want := golubKahanValues(d, e)
	for _, leaf := range leaves {
		sigma = r.checkLeaf(t, name, d, e, want, leaf)
	}
	return sigma
}

func (r *svdRatios) checkLeaf(t *testing.T, name string, d, e, want []float64, leaf int) []float64 {
	t.Helper()
	n := len(d)
	sigma, s, w := BidiagonalDivideConquer(d, e, leaf)
	if len(sigma) != n || len(s) != n*n || len(w) != n*n {
		t.Fatalf("%s n=%d: lengths %d, %d, %d", name, n, len(sigma), len(s), len(w))
	}
	for i, x := range sigma {
		if !(x >= 0) || i > 0 && !(x <= sigma[i-1]) {
			t.Errorf("%s n=%d leaf %d: σ%d is %g", name, n, leaf, i, x)
		}
	}
	if n == 0 {
		return sigma
	}
	_, exponent := math.Frexp(tridiag.Largest(d, e))
	ds, es := timesPowerOfTwo(d, -exponent), timesPowerOfTwo(e, -exponent)
	r.residual.see(t, bidiagonalResidual(ds, es, timesPowerOfTwo(sigma, -exponent), s, w),
		"%s n=%d leaf %d", name, n, leaf)
	r.left.see(t, ratio.Orthogonality(n, n, s, n), "%s n=%d leaf %d", name, n, leaf)
	r.right.see(t, ratio.Orthogonality(n, n, w, n), "%s n=%d leaf %d", name, n, leaf)
	r.values.see(t, ratio.Values(n, sigma, want, sigma[0]), "%s n=%d leaf %d", name, n, leaf)
	return sigma
}

func (r *svdRatios) report(t *testing.T) {
	t.Helper()
	for _, w := range []*worst{&r.residual, &r.left, &r.right, &r.values} {
		w.report(t)
	}
}

// bidiagonalResidual returns ‖C − S·Σ·Wᵀ‖₁ / (‖C‖₁·n·ulp), or ‖C − S·Σ·Wᵀ‖₁ if C is zero.
func bidiagonalResidual(d, e, sigma, s, w []float64) float64 {
	n := len(d)
	c, scaled := make([]float64, n*n), slices.Clone(s)
	for i := range d {
		c[i+i*n] = d[i]
		if i > 0 {
			c[i-1+i*n] = e[i-1]
		}
		for k := range n {
			scaled[k+i*n] *= sigma[i]
		}
	}
	norm := ratio.Norm1(n, n, c, n)
	Gemm(NoTrans, Trans, n, n, n, -1, scaled, n, w, n, 1, c, n)
	if norm == 0 {
		return ratio.Norm1(n, n, c, n)
	}
	return ratio.Norm1(n, n, c, n) / (norm * float64(n) * ratio.Ulp)
}

// golubKahanValues returns the singular values of a bidiagonal matrix in descending order. It
// computes them as the upper half of the eigenvalues of the tridiagonal matrix with a zero diagonal
// and the off-diagonal d0, e0, d1, e1 ….
func golubKahanValues(d, e []float64) []float64 {
	n := len(d)
	off := make([]float64, 0, 2*n)
	for i := range d {
		off = append(off, d[i])
		if i < n-1 {
			off = append(off, e[i])
		}
	}
	values := Bisection(make([]float64, 2*n), off)[n:]
	slices.Reverse(values)
	for i := range values {
		values[i] = max(values[i], 0)
	}
	return values
}

// TestBidiagonalDivideConquer checks LAPACK's ratios of the divide and conquer for bidiagonal
// matrices, for every family of matrices and all small orders.
func TestBidiagonalDivideConquer(t *testing.T) {
	r := newSVDRatios()
	for _, f := range suite.BidiagonalFamilies {
		for n := 0; n <= 50; n++ {
			d, e := f.Make(n)
			r.check(t, f.Name, d, e, 2, 5, usualLeaf)
		}
	}
	r.report(t)
}

func TestBidiagonalDivideConquerLarge(t *testing.T) {
	when.Long(t, "TestBidiagonalDivideConquer, with smaller orders")
	r := newSVDRatios()
	for _, f := range suite.BidiagonalFamilies {
		for _, n := range []int{101, 300} {
			d, e := f.Make(n)
			r.check(t, f.Name, d, e, usualLeaf)
		}
	}
	r.report(t)
}
