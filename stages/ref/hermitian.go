package ref

// LowerTriangle returns the lower triangle of the n×n Hermitian matrix A, without padding and with
// zeros above it, from the triangle of A that is stored in `a` with leading dimension lda. This is
// the upper triangle if `upper` is true, and the lower one otherwise. Element (i, j) is at
// a[j+i·lda] if `rowMajor` is true, and at a[i+j·lda] otherwise. The other triangle and the
// imaginary parts of the diagonal are not read.
func LowerTriangle[T Number](n int, upper, rowMajor bool, a []T, lda int) []T {
	lower := make([]T, n*n)
	for j := range n {
		for i := j; i < n; i++ {
			row, col := i, j
			if upper {
				row, col = j, i
			}
			if rowMajor {
				row, col = col, row
			}
			x := a[row+col*lda]
			switch {
			case i == j:
				x = ofReal[T](realPart(x))
			case upper:
				x = conj(x)
			}
			lower[i+j*n] = x
		}
	}
	return lower
}

// Promote returns the n×m matrix X = D·S with D = diag(1 … 1, phase), where S is a matrix of real
// vectors. X has no padding.
func Promote[T Number](n, m int, s []float64, lds int, phase T) []T {
	x := make([]T, n*m)
	for j := range m {
		for i := range n {
			x[i+j*n] = ofReal[T](s[i+j*lds])
		}
		if n > 0 {
			x[n-1+j*n] *= phase
		}
	}
	return x
}

// ColumnPhases multiplies each column of the n×m matrix X by a number of modulus 1, so that its
// element of largest modulus is real and positive. If there are several, the first one decides. A
// column of zeros stays unchanged. A real column keeps all its signs or changes all of them.
func ColumnPhases[T Number](n, m int, x []T, ldx int) {
	for j := range m {
		column := x[j*ldx : j*ldx+n]
		largest := 0
		for i := range column {
			if abs2(column[i]) > abs2(column[largest]) {
				largest = i
			}
		}
		if n == 0 || column[largest] == 0 {
			continue
		}
		modulus, phase := polar(column[largest])
		for i := range column {
			column[i] *= conj(phase)
		}
		column[largest] = ofReal[T](modulus)
	}
}

// Eigen returns the eigenvalues of the n×n Hermitian matrix A in ascending order, and its
// eigenvectors as the columns of a matrix without padding: A = Z·Λ·Zᴴ, by two stages with the
// half-bandwidth b and blocks of k columns. Only the lower triangle of A is read. A is overwritten.
func Eigen[T Number](n, b, k int, a []T, lda int) (values []float64, z []T) {
	band, t := BandReduction(n, b, k, a, lda)
	d, e, v, tau := BulgeChasing(n, b, band)
	diagonal, off, phase := RealTridiagonal(d, e)
	values, s := DivideConquer(diagonal, off)
	z = Promote(n, n, s, n, phase)
	ApplyQ2(n, b, v, tau, n, z, n)
	ApplyQ1(n, b, a, lda, t, n, z, n)
	ColumnPhases(n, n, z, n)
	return values, z
}
