package sturm

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// GolubKahan is a symmetric tridiagonal matrix T of even order 2n with a zero diagonal, the
// Golub-Kahan form of a bidiagonal matrix. Its eigenvalues are ±σ. Counts compute no squares of
// elements, so that elements of all magnitudes keep their digits:
//
//	q₀ = −x,   qᵢ = −x − (eᵢ₋₁/qᵢ₋₁)·eᵢ₋₁
//
// The counts are exact for a matrix whose elements differ from those of T by a few ulp of
// themselves. Such a matrix has the same eigenvalues, up to a few ulp of each (Demmel and Kahan,
// 1990).
type GolubKahan struct {
	e        []float64 // magnitudes of the scaled off-diagonal
	exponent int       // T is 2^exponent times the scaled matrix
}

// NewGolubKahan prepares the matrix with the off-diagonal e, which has 2n−1 finite elements. It
// copies e.
func NewGolubKahan(e []float64) *GolubKahan {
	t := &GolubKahan{e: make([]float64, len(e))}
	_, t.exponent = math.Frexp(tridiag.Largest(nil, e))
	for i, x := range e {
		t.e[i] = math.Ldexp(math.Abs(x), -t.exponent)
	}
	return t
}

// `below` returns the number of eigenvalues of the scaled matrix below x > 0. The largest element
// is below 1, so no quotient overflows.
func (t *GolubKahan) below(x float64) int {
	q, count := -x, 1
	for _, e := range t.e {
		q = -x - e/q*e
		if math.Abs(q) < tridiag.Pivmin {
			q = -tridiag.Pivmin
		}
		if q < 0 {
			count++
		}
	}
	return count
}

// Value returns eigenvalue k, one of the upper half: n ≤ k < 2n. The smallest eigenvalue has index
// 0. The error is a few ulp of the value. A value below about 2⁻⁹⁷⁰ times the largest element
// counts as 0. First the exponent of the value is bisected, and then the value.
func (t *GolubKahan) Value(k int) float64 {
	lo, hi := 0x1p-970, 4.0 // the norm is below 2
	if t.below(lo) > k {
		return 0
	}
	for {
		mid := 0.5 * (lo + hi)
		if hi > 4*lo {
			_, least := math.Frexp(lo)
			_, most := math.Frexp(hi)
			mid = math.Ldexp(1, (least+most)>>1)
		}
		if mid <= lo || mid >= hi {
			return math.Ldexp(mid, t.exponent)
		}
		if t.below(mid) > k {
			hi = mid
		} else {
			lo = mid
		}
	}
}
