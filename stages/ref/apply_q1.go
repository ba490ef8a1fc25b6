package ref

// ApplyQ1 replaces the n×m matrix X by Q1·X. Y (stored in A) and T are the results of
// BandReduction. Q1 = Q(0)·Q(1)⋯ with Q(p) = I − Y·T·Yᴴ for panel p, so the last panel acts first.
// The result does not depend on the block size k of the reduction. X must not overlap A or T.
func ApplyQ1[T Number](n, b int, y []T, ldy int, t []T, m int, x []T, ldx int) {
	for p := Panels(n, b) - 1; p >= 0; p-- {
		applyPanel(NoTrans, n, b, p, y, ldy, t, m, x, ldx)
	}
}

// ApplyQ1Transposed replaces X by Q1ᴴ·X, where Q1 is that of ApplyQ1. It applies the reflectors of
// the panels in the opposite order of ApplyQ1, and with Tᴴ instead of T.
func ApplyQ1Transposed[T Number](n, b int, y []T, ldy int, t []T, m int, x []T, ldx int) {
	for p := range Panels(n, b) {
		applyPanel(Adjoint, n, b, p, y, ldy, t, m, x, ldx)
	}
}

// applyPanel subtracts Y·op(T)·(Yᴴ·X) from X, in the rows below the diagonal block of panel p. I −
// Y·T·Yᴴ is the product of the panel's Householder reflectors.
func applyPanel[T Number](op Op, n, b, p int, y []T, ldy int, t []T, m int, x []T, ldx int) {
	if m == 0 {
		return
	}
	top := (p + 1) * b
	y, x, t = y[top+p*b*ldy:], x[top:], t[p*b*b:]
	yx, tyx := make([]T, b*m), make([]T, b*m)
	Gemm(Adjoint, NoTrans, b, m, n-top, 1, y, ldy, x, ldx, 0, yx, b)
	Gemm(op, NoTrans, b, m, b, 1, t, b, yx, b, 0, tyx, b)
	Gemm(NoTrans, NoTrans, n-top, m, b, -1, y, ldy, tyx, b, 1, x, ldx)
}

// ApplyQ1Rows does the same as ApplyQ1 for vectors in rows: xt is Xᵀ, which is m×n, and becomes
// (Q1·X)ᵀ. The vectors are not conjugated. For each panel, Xᵀ ← Xᵀ − (Xᵀ·conj(Y))·Tᵀ·Yᵀ.
func ApplyQ1Rows[T Number](n, b int, y []T, ldy int, t []T, m int, xt []T, ldx int) {
	for p := Panels(n, b) - 1; p >= 0 && m > 0; p-- {
		top := (p + 1) * b
		y, x, t := y[top+p*b*ldy:], xt[top*ldx:], t[p*b*b:]
		xy, xyt := make([]T, m*b), make([]T, m*b)
		Gemm(NoTrans, Conj, m, b, n-top, 1, x, ldx, y, ldy, 0, xy, m)
		Gemm(NoTrans, Trans, m, b, b, 1, xy, m, t, b, 0, xyt, m)
		Gemm(NoTrans, Trans, m, n-top, b, -1, xyt, m, y, ldy, 1, x, ldx)
	}
}
