package ratio

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/cblas128"
)

// general is a row-major matrix of gonum, whose products use all CPU cores for real matrices.
type general[T Number] struct {
	Rows, Cols int
	Data       []T
	Stride     int
}

// transposed returns Xᵀ as a row-major matrix with the memory of the column-major matrix X.
func transposed[T Number](rows, cols int, x []T, ldx int) general[T] {
	return general[T]{cols, rows, x, max(1, ldx)}
}

// gemm computes C ← α·op(A)·op(B) + β·C.
func gemm[T Number](opA, opB blas.Transpose, alpha float64, a, b general[T], beta float64, c general[T]) {
	switch a := any(a).(type) {
	case general[float64]:
		b, c := any(b).(general[float64]), any(c).(general[float64])
		blas64.Gemm(opA, opB, alpha, blas64.General(a), blas64.General(b), beta, blas64.General(c))
	case general[complex128]:
		b, c := any(b).(general[complex128]), any(c).(general[complex128])
		of := func(x general[complex128]) cblas128.General {
			return cblas128.General{Rows: x.Rows, Cols: x.Cols, Data: x.Data, Stride: x.Stride}
		}
		cblas128.Gemm(opA, opB, complex(alpha, 0), of(a), of(b), complex(beta, 0), of(c))
	}
}

// Residual returns ‖A·Z − Z·Λ‖₁ / (‖A‖₁·n·ulp) for m ≤ n eigenvectors. A is n×n with leading
// dimension lda, Z is n×m with leading dimension ldz, and `values` has the m elements of the
// diagonal Λ.
func Residual[T Number](n, m int, a []T, lda int, values []float64, z []T, ldz int) float64 {
	if n == 0 || m == 0 {
		return 0
	}
	return residual(n, n, m, a, lda, values, z, ldz, z, ldz)
}

// residual returns ‖A·V − U·Σ‖₁ / (‖A‖₁·max(m, n)·ulp) for k values and vectors. A is m×n, U has m
// rows, V has n rows, and Σ is the diagonal matrix of values. The result is +Inf if a number is not
// finite, or if there are not k values.
func residual[T Number](m, n, k int, a []T, lda int, values []float64, u []T, ldu int, v []T, ldv int) float64 {
	if len(values) != k || !finite(m, n, a, lda) || !finite(m, k, u, ldu) || !finite(n, k, v, ldv) {
		return math.Inf(1)
	}
	shift := shiftToOne(maxAbs(m, n, a, lda))
	as := scaled(m, n, a, lda, shift)
	sigma := scaled(k, 1, values, k, shift)
	if !finite(k, 1, sigma, k) {
		return math.Inf(1)
	}
	r := timesDiagonal(m, u, ldu, sigma)
	gemm(blas.NoTrans, blas.NoTrans, // (A·V)ᵀ = Vᵀ·Aᵀ
		1, transposed(n, k, v, ldv), transposed(m, n, as, m),
		-1, transposed(m, k, r, m))
	return perNorm(Norm1(m, k, r, m), Norm1(m, n, as, m), max(m, n), shift)
}

// Reconstruction returns ‖A − Z·Λ·Zᴴ‖₁ / (‖A‖₁·n·ulp), the first result of LAPACK's dsyt21 and
// zhet21. Z is n×n, and Λ is the diagonal matrix of the n values.
func Reconstruction[T Number](n int, a []T, lda int, values []float64, z []T, ldz int) float64 {
	if n == 0 {
		return 0
	}
	if len(values) != n || !finite(n, n, a, lda) || !finite(n, n, z, ldz) {
		return math.Inf(1)
	}
	shift := shiftToOne(maxAbs(n, n, a, lda))
	r := scaled(n, n, a, lda, shift)
	norm := Norm1(n, n, r, n)
	lambda := scaled(n, 1, values, n, shift)
	if !finite(n, 1, lambda, n) {
		return math.Inf(1)
	}
	zl := timesDiagonal(n, z, ldz, lambda)
	gemm(blas.ConjTrans, blas.NoTrans, // Aᵀ − conj(Z)·(Z·Λ)ᵀ
		-1, transposed(n, n, z, ldz), transposed(n, n, zl, n),
		1, transposed(n, n, r, n))
	return perNorm(Norm1(n, n, r, n), norm, n, shift)
}

// Orthogonality returns ‖I − Zᴴ·Z‖₁ / (n·ulp) for the n×m matrix Z, m ≤ n. For m = n this is the
// second result of LAPACK's dsyt21 and zhet21.
func Orthogonality[T Number](n, m int, z []T, ldz int) float64 {
	if n == 0 || m == 0 {
		return 0
	}
	if !finite(n, m, z, ldz) {
		return math.Inf(1)
	}
	g := make([]T, m*m)
	zt := transposed(n, m, z, ldz)
	gemm(blas.NoTrans, blas.ConjTrans, 1, zt, zt, 0, transposed(m, m, g, m))
	for j := range m {
		g[j+j*m] -= 1
	}
	return verdict(Norm1(m, m, g, m) / (float64(n) * Ulp))
}

// timesDiagonal returns Z·Λ, without gaps between its columns. `lambda` is the diagonal of Λ.
func timesDiagonal[T Number](n int, z []T, ldz int, lambda []float64) []T {
	r := packed(n, len(lambda), z, ldz)
	for j, l := range lambda {
		switch column := any(r[j*n : j*n+n]).(type) {
		case []float64:
			for i := range column {
				column[i] *= l
			}
		case []complex128:
			for i, v := range column {
				column[i] = complex(real(v)*l, imag(v)*l)
			}
		}
	}
	return r
}

// SingularResidual returns ‖A·V − U·Σ‖₁ / (‖A‖₁·max(m, n)·ulp) for k singular vectors, as LAPACK's
// dbdt01. A is m×n, U has m rows, V has n rows, and Σ is the diagonal matrix of the k values. The
// result is +Inf for values that cannot be singular values: if they are not Descending, or if a
// matrix with entries has none.
func SingularResidual[T Number](m, n, k int, a []T, lda int, values []float64, u []T, ldu int, v []T, ldv int) float64 {
	if m == 0 || n == 0 {
		return 0
	}
	if k == 0 || !Descending(values) {
		return math.Inf(1)
	}
	return residual(m, n, k, a, lda, values, u, ldu, v, ldv)
}

// Descending reports whether each value is neither negative nor NaN, and not larger than the value
// before it, as singular values are.
func Descending(values []float64) bool {
	for i, x := range values {
		if !(x >= 0) || i > 0 && x > values[i-1] {
			return false
		}
	}
	return true
}
