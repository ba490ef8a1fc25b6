package ref

// PanelQR factors the m×b panel, m ≥ 1, as Q·[R; 0], where Q = H0·H1⋯ is the product of kb = min(b,
// m) reflectors (dgeqr2).
//
// Afterwards the panel holds Y with all ones and zeros. Column j < kb has zeros above row j, a one
// in row j, and the other elements of its reflector below row j. The columns from kb on are zero. R
// is b×b with leading dimension b, upper triangular, and zero in the rows from kb on. tau has b
// factors; the factors from kb on are zero.
func PanelQR(m, b int, panel []float64, ld int) (r, tau []float64) {
	r, tau = make([]float64, b*b), make([]float64, b)
	for j := range min(b, m) {
		v := panel[j+j*ld : m+j*ld]
		r[j+j*b], tau[j] = Householder(v)
		if j+1 < b {
			reflectLeft(tau[j], v, b-j-1, panel[j+(j+1)*ld:], ld)
		}
	}
	for j := range b {
		above := panel[j*ld : j*ld+min(j, m)]
		copy(r[j*b:], above)
		clear(above)
	}
	return r, tau
}

// TFactor returns the b×b upper triangular T with H0·H1⋯ = I − Y·T·Yᵀ (dlarft, forward,
// columnwise). Y is the panel as PanelQR leaves it. T is computed column by column: if I − Y·T·Yᵀ
// is the product of the first reflectors, the product with one more reflector I − τ·v·vᵀ is
//
//	(I − Y·T·Yᵀ)·(I − τ·v·vᵀ) = I − [Y v]·[T, −τ·T·Yᵀ·v; 0, τ]·[Y v]ᵀ.
//
// If τ = 0, the column of T is zero.
func TFactor(m, b int, y []float64, ldy int, tau []float64) []float64 {
	t := make([]float64, b*b)
	yv := make([]float64, b)
	for j := range b {
		v := y[j*ldy:]
		Gemm(true, false, j, 1, m, 1, y, ldy, v, ldy, 0, yv, b)
		Gemm(false, false, j, 1, j, -tau[j], t, b, yv, b, 0, t[j*b:], b)
		t[j+j*b] = tau[j]
	}
	return t
}
