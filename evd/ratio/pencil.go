package ratio

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// Pencil measures m ≤ n eigenpairs of A·x = λ·B·x. A and B are n×n, B is positive definite, and the
// vectors are the columns of X with XᴴBX = I:
//
//	eta    max ‖A·x_j − λ_j·B·x_j‖₂ / ((‖A‖₁ + |λ_j|·‖B‖₁)·‖x_j‖₂·n·ulp)
//	omega  max |x_iᴴ·B·x_j − δ_ij| / (‖B‖₁·‖x_i‖₂·‖x_j‖₂·n·ulp)
//
// eta is the largest backward error of a pair. With LAPACK's dsygv, which substitutes, omega
// is small for every B with a Cholesky factor L. eta is small if A = L·M·Lᴴ for a matrix M whose
// elements have similar magnitudes. For other matrices A it grows with the condition number of B.
func Pencil[T Number](n, m int, a []T, lda int, b []T, ldb int, values []float64, x []T, ldx int) (eta, omega float64) {
	if n == 0 || m == 0 {
		return 0, 0
	}
	if len(values) != m || !finite(n, n, a, lda) || !finite(n, n, b, ldb) || !finite(n, m, x, ldx) {
		return math.Inf(1), math.Inf(1)
	}
	// The scale of B is a power of four, so that its root scales X exactly.
	shiftA, shiftB := shiftToOne(maxAbs(n, n, a, lda)), shiftToOne(maxAbs(n, n, b, ldb))&^1
	as, bs, xs := scaled(n, n, a, lda, shiftA), scaled(n, n, b, ldb, shiftB), scaled(n, m, x, ldx, -shiftB/2)
	lambda := scaled(m, 1, values, m, shiftA-shiftB)
	if !finite(m, 1, lambda, m) || !finite(n, m, xs, n) {
		return math.Inf(1), math.Inf(1)
	}
	// A norm of A below SafeMin counts as SafeMin, because the values are then subnormal numbers.
	normA, normB := max(Norm1(n, n, as, n), math.Ldexp(SafeMin, shiftA)), Norm1(n, n, bs, n)
	xt, bx, gram := transposed(n, m, xs, n), make([]T, n*m), make([]T, m*m)
	gemm(blas.NoTrans, blas.NoTrans, 1, xt, transposed(n, n, bs, n), 0, transposed(n, m, bx, n)) // (B·X)ᵀ = Xᵀ·Bᵀ
	gemm(blas.NoTrans, blas.ConjTrans, 1, transposed(n, m, bx, n), xt, 0, transposed(m, m, gram, m))
	r := timesDiagonal(n, bx, n, lambda)
	gemm(blas.NoTrans, blas.NoTrans, 1, xt, transposed(n, n, as, n), -1, transposed(n, m, r, n))
	length := make([]float64, m)
	unit := float64(n) * Ulp
	for j := range m {
		length[j] = norm2(xs[j*n : (j+1)*n])
		within := (normA + math.Abs(lambda[j])*normB) * length[j] * unit
		eta = max(eta, norm2(r[j*n:(j+1)*n])/max(within, SafeMin))
	}
	for j := range m {
		gram[j+j*m] -= 1
		for i := range m {
			omega = max(omega, maxAbs(1, 1, gram[i+j*m:], 1)/max(normB*length[i]*length[j]*unit, SafeMin))
		}
	}
	return verdict(eta), verdict(omega)
}

// norm2 returns ‖x‖₂.
func norm2[T Number](x []T) float64 {
	var norm float64
	for i := range x {
		norm = math.Hypot(norm, Norm1(1, 1, x[i:], 1))
	}
	return norm
}
