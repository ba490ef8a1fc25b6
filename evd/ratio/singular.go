package ratio

import "math"

// SingularResidual returns ‖A·V − U·Σ‖₁ / (‖A‖₁·max(m, n)·ulp) for k singular vectors (dbdt01): A is
// m×n, U has m rows, V has n rows, and values has k elements.
// It is +Inf for values that cannot be singular values: not Descending, or none of a matrix that has
// entries.
func SingularResidual(m, n, k int, a []float64, lda int, values, u []float64, ldu int, v []float64, ldv int) float64 {
	if m == 0 || n == 0 {
		return 0
	}
	if k == 0 || !Descending(values) {
		return math.Inf(1)
	}
	return residual(m, n, k, a, lda, values, u, ldu, v, ldv)
}

// Descending reports whether no value is negative, NaN, or larger than the value before it. All
// lists of singular values have this property.
func Descending[T float32 | float64](values []T) bool {
	for i, x := range values {
		if !(x >= 0) || i > 0 && x > values[i-1] {
			return false
		}
	}
	return true
}
