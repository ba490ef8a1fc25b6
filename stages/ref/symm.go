package ref

// Symm computes P = A·W (dsymm, zhemm). A is n×n and Hermitian, and only its lower triangle is
// read. W and P are n×m. P is overwritten, may contain NaN before, and must not overlap A or W.
func Symm[T Number](n, m int, a []T, lda int, w []T, ldw int, p []T, ldp int) {
	for j := range m {
		for i := range n {
			var sum T
			for l := range n {
				sum += fromLower(a, lda, i, l) * w[l+j*ldw]
			}
			p[i+j*ldp] = sum
		}
	}
}
