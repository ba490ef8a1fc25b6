package ref

// Symm computes P = A·W (dsymm). A is n×n and symmetric, and only its lower triangle is read. W and
// P are n×m. P is overwritten and may contain NaN before the call. P must not overlap A or W.
func Symm(n, m int, a []float64, lda int, w []float64, ldw int, p []float64, ldp int) {
	for j := range m {
		for i := range n {
			var sum float64
			for l := range n {
				sum += a[max(i, l)+min(i, l)*lda] * w[l+j*ldw]
			}
			p[i+j*ldp] = sum
		}
	}
}
