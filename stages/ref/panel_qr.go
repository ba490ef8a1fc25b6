package ref

// PanelQR factors the m×b panel, m ≥ 1, as Q·[R; 0], where Q = H0·H1⋯ is the product of kb = min(b,
// m) reflectors (dgeqr2, zgeqr2).
//
// Afterwards the panel holds Y with all ones and zeros. Column j < kb has zeros above row j, a one
// in row j, and the other elements of its reflector below row j. The columns from kb on are zero. R
// is b×b with leading dimension b, upper triangular with a real diagonal, and zero in the rows from
// kb on. tau has b factors; the factors from kb on are zero.
func PanelQR[T Number](m, b int, panel []T, ld int) (r, tau []T) {
	r, tau = make([]T, b*b), make([]T, b)
	for j := range min(b, m) {
		v := panel[j+j*ld : m+j*ld]
		r[j+j*b], tau[j] = Householder(v)
		if j+1 < b {
			reflectLeft(conj(tau[j]), v, b-j-1, panel[j+(j+1)*ld:], ld)
		}
	}
	for j := range b {
		above := panel[j*ld : j*ld+min(j, m)]
		copy(r[j*b:], above)
		clear(above)
	}
	return r, tau
}

// TFactor returns the b×b upper triangular T with H0·H1⋯ = I − Y·T·Yᴴ (dlarft, zlarft, forward,
// columnwise). Y is the panel as PanelQR leaves it. T is computed column by column: if I − Y·T·Yᴴ
// is the product of the first reflectors, the product with one more reflector I − τ·v·vᴴ is
//
//	(I − Y·T·Yᴴ)·(I − τ·v·vᴴ) = I − [Y v]·[T, −τ·T·Yᴴ·v; 0, τ]·[Y v]ᴴ.
//
// If τ = 0, the column of T is zero.
func TFactor[T Number](m, b int, y []T, ldy int, tau []T) []T {
	t := make([]T, b*b)
	yv := make([]T, b)
	for j := range b {
		v := y[j*ldy:]
		Gemm(Adjoint, NoTrans, j, 1, m, 1, y, ldy, v, ldy, 0, yv, b)
		column := t[j*b:]
		Gemm(NoTrans, NoTrans, j, 1, j, 1, t, b, yv, b, 0, column, b)
		for i := range j {
			column[i] *= -tau[j]
		}
		column[j] = tau[j]
	}
	return t
}
