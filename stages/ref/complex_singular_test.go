package ref

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
)

// bidiagonalised is a reduction of a complex matrix to a real bidiagonal one, A = U·[S; 0]·Vᴴ with
// explicit unitary U and V.
type bidiagonalised struct {
	d, e        []float64 // diagonal and superdiagonal of S
	u, v        []complex128
	left, right complex128
}

// bidiagonalise reduces the m×n matrix A by both stages of the solver. It fails the test if the
// reduction leaves an imaginary part elsewhere than in the last elements of the diagonals.
func bidiagonalise(t *testing.T, m, n, b, k int, dense []complex128) bidiagonalised {
	t.Helper()
	a := slices.Clone(dense)
	band, left, right := GeneralBandReduction(m, n, b, k, a, m)
	d, e, q2, p2 := BidiagonalChasing(n, b, band)
	for i, z := range d[:max(0, n-1)] {
		if imag(z) != 0 {
			t.Fatalf("m=%d n=%d b=%d: d[%d] is %v", m, n, b, i, z)
		}
	}
	for i, z := range e[:max(0, n-2)] {
		if imag(z) != 0 {
			t.Fatalf("m=%d n=%d b=%d: e[%d] is %v", m, n, b, i, z)
		}
	}
	x := bidiagonalised{u: eyeOf[complex128](m, m), v: eyeOf[complex128](n, n)}
	x.d, x.e, x.left, x.right = RealBidiagonal(d, e)
	x.u[(n-1)*(m+1)], x.v[n*n-1] = x.left, x.right
	ApplyQ2(n, b, q2.V, q2.Tau, n, x.u, m)
	ApplyQ2(n, b, p2.V, p2.Tau, n, x.v, n)
	applyLeft(m, n, b, a, m, left, x.u)
	applyRight(n, b, a, m, right, x.v)
	return x
}

// backwards returns ‖A·V − U·[S; 0]‖₁/(m·ε·‖A‖₁).
func (x bidiagonalised) backwards(m, n int, dense []complex128) float64 {
	r := make([]complex128, m*n)
	Gemm(NoTrans, NoTrans, m, n, n, 1, dense, m, x.v, n, 0, r, m)
	for j := range n {
		for i := range m {
			r[i+j*m] -= x.u[i+j*m] * complex(x.d[j], 0)
			if j > 0 {
				r[i+j*m] -= x.u[i+(j-1)*m] * complex(x.e[j-1], 0)
			}
		}
	}
	norm := ratio.Norm1(m, n, dense, m)
	if norm == 0 {
		return ratio.Norm1(m, n, r, m)
	}
	return ratio.Norm1(m, n, r, m) / (norm * float64(m) * ratio.Ulp)
}

// TestComplexBidiagonalisation checks A = U·S·Vᴴ for complex matrices: random ones, real ones,
// imaginary ones and zero.
func TestComplexBidiagonalisation(t *testing.T) {
	orthogonal, equal := worst{name: "‖I − QᴴQ‖ of U and V"}, worst{name: "‖A·V − U·S‖"}
	phases := 0
	eachShape(func(n, b, k int) {
		if n == 0 || n%4 != 1 && n > 9 {
			return // to save time
		}
		for _, m := range []int{n, n + 3, 2*n + 1} {
			for kind, factor := range map[string]complex128{"random": 0, "real": 1, "imaginary": 1i, "zero": 0} {
				if kind != "random" && b != 3 {
					continue // to save time
				}
				dense := complexGauss(m*n, uint64(m+n*b+k))
				for i, z := range dense {
					if kind != "random" {
						dense[i] = complex(real(z), 0) * factor
					}
				}
				where := fmt.Sprintf("%s m=%d n=%d b=%d k=%d", kind, m, n, b, k)
				x := bidiagonalise(t, m, n, b, k, dense)
				orthogonal.see(t, ratio.Orthogonality(m, m, x.u, m), "U, %s", where)
				orthogonal.see(t, ratio.Orthogonality(n, n, x.v, n), "V, %s", where)
				equal.see(t, x.backwards(m, n, dense), "%s", where)
				if imag(x.left) != 0 && imag(x.right) != 0 {
					phases++
				}
			}
		}
	})
	orthogonal.report(t)
	equal.report(t)
	if phases == 0 {
		t.Error("no reduction has left two phases")
	}
}

// TestRealBidiagonalisationInComplexStorage checks that a real matrix in complex storage has the
// real reduction: the same diagonals, but for signs of the last elements, within rounding errors.
func TestRealBidiagonalisationInComplexStorage(t *testing.T) {
	const m, n, b, k = 23, 17, 3, 6
	reals := gauss(m*n, 5)
	dense := make([]complex128, m*n)
	for i, x := range reals {
		dense[i] = complex(x, 0)
	}
	x := bidiagonalise(t, m, n, b, k, dense)
	band, _, _ := GeneralBandReduction(m, n, b, k, reals, m)
	d, e, _, _ := BidiagonalChasing(n, b, band)
	for i := range d {
		if !(math.Abs(math.Abs(x.d[i])-math.Abs(d[i])) <= 1e-12) || i < n-1 && !(math.Abs(math.Abs(x.e[i])-math.Abs(e[i])) <= 1e-12) {
			t.Errorf("diagonals %g and %g, of the real reduction %g and %g", x.d, x.e, d, e)
			break
		}
	}
	for _, z := range slices.Concat(x.u, x.v) {
		if imag(z) != 0 {
			t.Fatalf("a component of a vector is %v", z)
		}
	}
}

// TestRealBidiagonalOfZeros checks the phases of elements that are 0, and those of order 1.
func TestRealBidiagonalOfZeros(t *testing.T) {
	for _, c := range []struct {
		d, e        []complex128
		left, right complex128
	}{
		{[]complex128{-3i}, nil, -1i, 1}, {[]complex128{0}, nil, 1, 1},
		{[]complex128{1, 2i}, []complex128{0}, 1i, 1}, {[]complex128{1, 0}, []complex128{-2i}, 1, 1i},
		{[]complex128{1, 5}, []complex128{3i}, -1i, -1i},
	} {
		d, e, left, right := RealBidiagonal(c.d, c.e)
		last := len(d) - 1
		if !(cmplx.Abs(left-c.left) <= 1e-15) || !(cmplx.Abs(right-c.right) <= 1e-15) || d[last] != cmplx.Abs(c.d[last]) || last > 0 && e[last-1] != cmplx.Abs(c.e[last-1]) {
			t.Errorf("%v, %v: %g, %g, phases %v and %v", c.d, c.e, d, e, left, right)
		}
	}
}
