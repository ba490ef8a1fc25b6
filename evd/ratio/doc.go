// Package ratio, internal to vkevd, has LAPACK's measures of an eigendecomposition A = Z·Λ·Zᴴ. Each
// measure divides an error by the error that rounding alone may cause. So one threshold fits every
// order and every scale of the matrix.
//
//	Residual             ‖A·Z − Z·Λ‖₁ / (‖A‖₁·n·ulp)      any number of vectors
//	Reconstruction       ‖A − Z·Λ·Zᴴ‖₁ / (‖A‖₁·n·ulp)     dsyt21, first result; all n vectors
//	Orthogonality        ‖I − Zᴴ·Z‖₁ / (n·ulp)            dsyt21, second result
//	TridiagonalResidual  ‖T·Z − Z·Λ‖₁ / (‖T‖₁·n·ulp)      after dstt21 and dstt22
//	Values               max|got − want| / (norm·n·ulp)
//	Sturm                dstech: Sturm counts prove the error of each value
//	Pencil               the same for A·x = λ·B·x, relative to each pair
//	SingularResidual     ‖A·V − U·Σ‖₁ / (‖A‖₁·max(m, n)·ulp)   dbdt01
//
// LAPACK's own tests of its two-stage reduction pass below 60. A good solver stays below 10. n is
// the order of the matrix, even if only m < n vectors are measured, and ulp = 2⁻⁵².
//
// A NaN or an infinity in any input, or an overflow during the computation, gives +Inf. So wrong
// results never pass a test by accident. A and Λ are first scaled to about norm one by a power of
// two, so that entries near overflow or underflow do no harm. A norm below the safe minimum, such
// as the norm of the zero matrix, counts as the safe minimum (dsyt21's rule). n = 0 and m = 0 give
// 0.
//
// Matrices are column-major. A is full: both triangles are read. A and Z may be complex.
package ratio

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

const (
	// Ulp is the distance from 1 to the next double, LAPACK's dlamch('P').
	Ulp = tridiag.Ulp

	// SafeMin is the smallest normal double, LAPACK's dlamch('S').
	SafeMin = 0x1p-1022
)

// verdict returns +Inf for a NaN, and x otherwise. Every comparison with a NaN is false, so a test
// could pass with a NaN.
func verdict(x float64) float64 {
	if math.IsNaN(x) {
		return math.Inf(1)
	}
	return x
}
