package ref

// Gemm computes C ← α·op(A)·op(B) + β·C (dgemm), where op(A) is m×k, op(B) is k×n and C is m×n.
// op(A) is Aᵀ if `transA` is true, and A otherwise; op(B) is Bᵀ if `transB` is true, and B
// otherwise. C must not overlap A or B. If β = 0, C is overwritten and may contain NaN before the
// call.
func Gemm(transA, transB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64,
	c []float64, ldc int) {
	aRow, aCol := 1, lda // strides of op(A)
	if transA {
		aRow, aCol = lda, 1
	}
	bRow, bCol := 1, ldb
	if transB {
		bRow, bCol = ldb, 1
	}
	for j := range n {
		for i := range m {
			var sum float64
			for p := range k {
				sum += a[i*aRow+p*aCol] * b[p*bRow+j*bCol]
			}
			if beta == 0 {
				c[i+j*ldc] = alpha * sum
			} else {
				c[i+j*ldc] = alpha*sum + beta*c[i+j*ldc]
			}
		}
	}
}
