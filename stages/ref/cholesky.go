package ref

import "math"

// Cholesky replaces the lower triangle of the n×n Hermitian matrix A by its factor L, A = L·Lᴴ
// (dpotrf, zpotrf), by the left-looking method with blocks of b columns. It returns the inverses of
// the diagonal blocks of L, b×b each, and 0. If A is not positive definite, it returns the order of
// the first leading minor that is not, and L and the inverses have no meaning. The upper triangle
// and the imaginary parts of the diagonal are not read.
func Cholesky[T Number](n, b int, a []T, lda int) (inverses []T, order int) {
	inverses = make([]T, (n+b-1)/b*b*b)
	for first := 0; first < n; first += b {
		rows, cols, at := n-first, min(b, n-first), first+first*lda
		w := make([]T, rows*cols)
		for j := range cols {
			copy(w[j*rows:(j+1)*rows], a[at+j*lda:])
		}
		Gemm(NoTrans, Adjoint, rows, cols, first, -1, a[first:], lda, a[first:], lda, 1, w, rows)
		inverse := inverses[first*b:]
		if k := choleskyBlock(cols, w, rows, a[at:], lda); k > 0 && order == 0 {
			order = first + k
		}
		for j := range cols {
			inverse[j+j*b] = 1
		}
		Trsm(true, NoTrans, cols, cols, a[at:], lda, inverse, b)
		Gemm(NoTrans, Adjoint, rows-cols, cols, cols, 1, w[cols:], rows, inverse, b, 0, a[at+cols:], lda)
	}
	return inverses, order
}

// choleskyBlock writes the factor of the n×n matrix A to l, column by column. A pivot that is not
// positive and finite counts as 1. The result is 1 plus the index of the first such pivot, or 0 if
// there is none.
func choleskyBlock[T Number](n int, a []T, lda int, l []T, ldl int) (order int) {
	for j := range n {
		pivot := realPart(a[j+j*lda])
		for k := range j {
			pivot -= abs2(l[j+k*ldl])
		}
		if !(pivot > 0) || math.IsInf(pivot, 1) {
			if order == 0 {
				order = j + 1
			}
			pivot = 1
		}
		root := math.Sqrt(pivot)
		l[j+j*ldl] = ofReal[T](root)
		for i := j + 1; i < n; i++ {
			sum := a[i+j*lda]
			for k := range j {
				sum -= l[i+k*ldl] * conj(l[j+k*ldl])
			}
			l[i+j*ldl] = times(1/root, sum)
		}
	}
	return order
}

// Trsm replaces X by op(L)⁻¹·X, where X is n×m, or by X·op(L)⁻¹, where X is m×n, if `left` is false
// (dtrsm, ztrsm). L is n×n and lower triangular. Its strictly upper triangle is not read.
func Trsm[T Number](left bool, op Op, n, m int, l []T, ldl int, x []T, ldx int) {
	of := func(i, k int) T { // element (i, k) of op(L)
		if op.transposes() {
			i, k = k, i
		}
		if op.conjugates() {
			return conj(l[i+k*ldl])
		}
		return l[i+k*ldl]
	}
	row, column := 1, ldx // strides of X
	if !left {
		row, column = ldx, 1
	}
	forward := left != op.transposes()
	for step := range n {
		i, begin, end := step, 0, step
		if !forward {
			i, begin, end = n-1-step, n-step, n
		}
		for c := range m {
			sum := x[i*row+c*column]
			for k := begin; k < end; k++ {
				if left {
					sum -= of(i, k) * x[k*row+c*column]
				} else {
					sum -= of(k, i) * x[k*row+c*column]
				}
			}
			x[i*row+c*column] = sum / of(i, i)
		}
	}
}
