package ref

// Symm computes P = A·W (dsymm), where A is n×n symmetric and only its lower
// triangle is read, and W and P are n×m. P is overwritten and may hold NaN before.
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
