// Package ratio, internal to vkevd, holds LAPACK's measures of an eigendecomposition: each divides
// an error by the error that rounding alone may cause. One threshold then fits every order and
// scale.
//
//	Residual             ‖A·Z − Z·Λ‖₁ / (‖A‖₁·n·ulp)      any number of vectors
//	Reconstruction       ‖A − Z·Λ·Zᵀ‖₁ / (‖A‖₁·n·ulp)     dsyt21, first result; all n vectors
//	Orthogonality        ‖I − Zᵀ·Z‖₁ / (n·ulp)            dsyt21, second result
//	TridiagonalResidual  ‖T·Z − Z·Λ‖₁ / (‖T‖₁·n·ulp)      after dstt21 and dstt22
//	Values               max|got − want| / (norm·n·ulp)
//	Sturm                dstech: counts prove where the eigenvalues lie
//
// LAPACK's own tests of its two-stage reduction pass below 60. A good solver stays below 10. n is
// the order of the matrix, even if only m < n vectors are measured, and ulp = 2⁻⁵².
//
// A measure never passes by accident. A NaN or an infinity in any input, or an overflow in between,
// gives +Inf. A and Λ are first scaled to norm one by a power of two, so matrices near the ends of
// the exponent range are measured like all others. A norm below the safe minimum counts as the safe
// minimum (dsyt21's rule); so does the norm of the zero matrix. n = 0 and m = 0 give 0.
//
// Matrices are column-major. A is full: both triangles are read.
package ratio

import "math"

const (
	// Ulp is the distance from 1 to the next double, LAPACK's dlamch('P').
	Ulp = 0x1p-52

	// SafeMin is the smallest normal double, LAPACK's dlamch('S').
	SafeMin = 0x1p-1022
)

// verdict returns +Inf for NaN. A NaN compares false with every threshold, so a test could pass.
func verdict(x float64) float64 {
	if math.IsNaN(x) {
		return math.Inf(1)
	}
	return x
}
