package ref

// An Op is one of the operations op(A) of a product. Package stages/product has the same ones.
type Op uint8

const (
	NoTrans Op = iota // A
	Trans             // Aᵀ
	Conj              // the conjugate elements of A; A for a real matrix
	Adjoint           // Aᴴ; Aᵀ for a real matrix
)

func (o Op) transposes() bool { return o == Trans || o == Adjoint }
func (o Op) conjugates() bool { return o == Conj || o == Adjoint }

// Gemm computes C ← α·op(A)·op(B) + β·C (dgemm, zgemm) with real α and β, where op(A) is m×k, op(B)
// is k×n and C is m×n. C must not overlap A or B. If β = 0, C is overwritten and may contain NaN
// before the call.
func Gemm[T Number](opA, opB Op, m, n, k int, alpha float64, a []T, lda int, b []T, ldb int, beta float64,
	c []T, ldc int) {
	aRow, aCol := 1, lda // strides of op(A)
	if opA.transposes() {
		aRow, aCol = lda, 1
	}
	bRow, bCol := 1, ldb
	if opB.transposes() {
		bRow, bCol = ldb, 1
	}
	for j := range n {
		for i := range m {
			var sum T
			for p := range k {
				x, y := a[i*aRow+p*aCol], b[p*bRow+j*bCol]
				if opA.conjugates() {
					x = conj(x)
				}
				if opB.conjugates() {
					y = conj(y)
				}
				sum += x * y
			}
			if beta == 0 {
				c[i+j*ldc] = times(alpha, sum)
			} else {
				c[i+j*ldc] = times(alpha, sum) + times(beta, c[i+j*ldc])
			}
		}
	}
}
