package ref

// ApplyQ1 replaces the n×m matrix X by Q1·X. Y (stored in A) and T are the results of
// BandReduction. Q1 = Q(0)·Q(1)⋯ with Q(p) = I − Y·T·Yᵀ for panel p, so the last panel acts first.
// The result does not depend on the block size k of the reduction. X must not overlap A or T.
func ApplyQ1(n, b int, y []float64, ldy int, t []float64, m int, x []float64, ldx int) {
	for p := Panels(n, b) - 1; p >= 0; p-- {
		applyPanel(false, n, b, p, y, ldy, t, m, x, ldx)
	}
}

// ApplyQ1Transposed replaces X by Q1ᵀ·X. It applies the reflectors of the panels in the opposite
// order of ApplyQ1, and with Tᵀ instead of T.
func ApplyQ1Transposed(n, b int, y []float64, ldy int, t []float64, m int, x []float64, ldx int) {
	for p := range Panels(n, b) {
		applyPanel(true, n, b, p, y, ldy, t, m, x, ldx)
	}
}

// applyPanel subtracts Y·op(T)·(Yᵀ·X) from X, in the rows below the diagonal block of panel p. I −
// Y·T·Yᵀ is the product of the panel's Householder reflectors. op(T) is Tᵀ if `trans` is true, and
// T otherwise.
func applyPanel(trans bool, n, b, p int, y []float64, ldy int, t []float64, m int, x []float64, ldx int) {
	if m == 0 {
		return
	}
	top := (p + 1) * b
	y, x, t = y[top+p*b*ldy:], x[top:], t[p*b*b:]
	yx, tyx := make([]float64, b*m), make([]float64, b*m)
	Gemm(true, false, b, m, n-top, 1, y, ldy, x, ldx, 0, yx, b)
	Gemm(trans, false, b, m, b, 1, t, b, yx, b, 0, tyx, b)
	Gemm(false, false, n-top, m, b, -1, y, ldy, tyx, b, 1, x, ldx)
}
