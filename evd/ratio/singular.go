package ratio

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// SingularResidual returns ‖A·V − U·Σ‖₁ / (‖A‖₁·max(m, n)·ulp) for k singular vectors (dbdt01): A is
// m×n, U has m rows, V has n rows, and values has k elements.
// It is +Inf for values that cannot be singular values: not Descending, or none of a matrix that has
// entries.
func SingularResidual(m, n, k int, a []float64, lda int, values, u []float64, ldu int, v []float64, ldv int) float64 {
	if m == 0 || n == 0 {
		return 0
	}
	if k == 0 || len(values) != k || !Descending(values) || !finite(m, n, a, lda) || !finite(m, k, u, ldu) || !finite(n, k, v, ldv) {
		return math.Inf(1)
	}
	shift := shiftToOne(maxAbs(m, n, a, lda))
	as := scaled(m, n, a, lda, shift)
	sigma := scaled(k, 1, values, k, shift)
	if !finite(k, 1, sigma, k) {
		return math.Inf(1)
	}
	r := timesDiagonal(m, u, ldu, sigma)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, // (A·V)ᵀ = Vᵀ·Aᵀ
		1, transposed(n, k, v, ldv), transposed(m, n, as, m),
		-1, transposed(m, k, r, m))
	return perNorm(Norm1(m, k, r, m), Norm1(m, n, as, m), max(m, n), shift)
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
