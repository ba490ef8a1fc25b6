package ref

// SymmColumns computes the part of P = A·W that belongs to one of several devices, among which the
// columns of A are divided. A is n×n and Hermitian; only its lower triangle is read, from row and
// column `top` on. An element of the lower triangle belongs to the device if own(column) is true. W
// and P are (n−top)×m. P is overwritten, may contain NaN before, and must not overlap A or W.
func SymmColumns[T Number](n, m, top int, own func(column int) bool, a []T, lda int, w []T, ldw int, p []T, ldp int) {
	for j := range m {
		for i := top; i < n; i++ {
			var sum T
			for k := top; k < n; k++ {
				if own(min(i, k)) {
					sum += fromLower(a, lda, i, k) * w[k-top+j*ldw]
				}
			}
			p[i-top+j*ldp] = sum
		}
	}
}
