package ratio

import "math"

// SingularResidual returns ‖A·V − U·Σ‖₁ / (‖A‖₁·max(m, n)·ulp) for k singular vectors, as LAPACK's
// dbdt01. A is m×n, U has m rows, V has n rows, and Σ is the diagonal matrix of the k values. The
// result is +Inf for values that cannot be singular values: if they are not Descending, or if a
// matrix with entries has none.
func SingularResidual(m, n, k int, a []float64, lda int, values, u []float64, ldu int, v []float64, ldv int) float64 {
	if m == 0 || n == 0 {
		return 0
	}
	if k == 0 || !Descending(values) {
		return math.Inf(1)
	}
	return residual(m, n, k, a, lda, values, u, ldu, v, ldv)
}

// Descending reports whether each value is neither negative nor NaN, and not larger than the value
// before it. Singular values always have this property.
func Descending[T float32 | float64](values []T) bool {
	for i, x := range values {
		if !(x >= 0) || i > 0 && x > values[i-1] {
			return false
		}
	}
	return true
}
