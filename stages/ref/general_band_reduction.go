package ref

// LeftPanels and RightPanels return the numbers of panels of the reduction to an upper band with b
// superdiagonals. Left panel p exists if p·b < n, and right panel p exists if (p+1)·b < n.
func LeftPanels(n, b int) int  { return max(0, (n+b-1)/b) }
func RightPanels(n, b int) int { return Panels(n, b) }

// GeneralBandReduction reduces the m×n matrix A, m ≥ n, to an upper band B with b superdiagonals, A
// = Q1·[B; 0]·P1ᴴ (ge2tb; the first stage of a two-stage dgesvd). Panels have b columns, and
// trailing updates have rank 2k.
//
// The results are the general compact band (BidiagonalBandAt gives its layout) and the factors T of
// the left and of the right panels. Afterwards A holds the reflectors. The reflectors of left panel
// p are stored explicitly, as PanelQR stores them, in the columns of the panel and the rows from
// p·b on. The reflectors of right panel p are stored transposed, without conjugation, in the rows of
// the panel and the columns from (p+1)·b on.
func GeneralBandReduction[T Number](m, n, b, k int, a []T, lda int) (band, left, right []T) {
	r := generalReduction[T]{
		m: m, n: n, b: b, a: a, lda: lda,
		w: make([]T, n*k), z: make([]T, m*k), v: make([]T, n*k),
		band:  make([]T, BidiagonalBandLen(n, b)),
		left:  make([]T, LeftPanels(n, b)*b*b),
		right: make([]T, RightPanels(n, b)*b*b),
	}
	for block := 0; block < n; block += k {
		c := block
		for ; c < min(block+k, n); c += b {
			r.leftPanel(block, c)
			if c+b < n {
				r.rightPanel(block, c)
			}
		}
		if c < n { // a whole block of k columns, and more to come: A ← A − U·Wᴴ − Z·Vᴴ
			r.pending(block, m-c, n-c, k, k, r.at(c, c), r.lda, c, c, false)
		}
	}
	return r.band, r.left, r.right
}

// generalReduction is a reduction in progress. The columns are divided into blocks of k columns.
// While a block is reduced, the trailing matrix A in memory keeps its values from the beginning of
// the block. The current trailing matrix is
//
//	Â = A − U·Wᴴ − Z·Vᴴ
//
// U, W, Z and V have one column for each column of the finished panels of the block. U holds the
// left reflectors and is stored in A, in the columns of these panels. Row i of U and of Z belongs
// to row i of A. Row j of W and of V belongs to column j of A.
type generalReduction[T Number] struct {
	m, n, b           int
	a                 []T
	lda               int
	w, v              []T // n×k
	z                 []T // m×k
	band, left, right []T
}

func (r *generalReduction[T]) at(i, j int) []T { return r.a[i+j*r.lda:] }

// pending applies the deferred update A − U·Wᴴ − Z·Vᴴ to x, the part of A with `rows` rows and
// `cols` columns that begins at (i, j). The first p columns of U and W are used, and the first q
// columns of Z and V. If `adjoint` is true, x holds the adjoint of this part, and pending applies
// the adjoint of the update.
func (r *generalReduction[T]) pending(block, rows, cols, p, q int, x []T, ldx, i, j int, adjoint bool) {
	u, w, z, v := r.at(i, block), r.w[j:], r.z[i:], r.v[j:]
	if adjoint {
		Gemm(NoTrans, Adjoint, cols, rows, p, -1, w, r.n, u, r.lda, 1, x, ldx)
		Gemm(NoTrans, Adjoint, cols, rows, q, -1, v, r.n, z, r.m, 1, x, ldx)
		return
	}
	Gemm(NoTrans, Adjoint, rows, cols, p, -1, u, r.lda, w, r.n, 1, x, ldx)
	Gemm(NoTrans, Adjoint, rows, cols, q, -1, z, r.m, v, r.n, 1, x, ldx)
}

// leftPanel applies the deferred update to the panel at column c, and factors the panel, P = Q·R
// with Q = I − Y·T·Yᴴ. It moves R to the band and appends Y to U. It also appends to W the columns
//
//	w = Âᴴ·Y·T = (Aᴴ·Y − W·(Uᴴ·Y) − V·(Zᴴ·Y))·T        so that Qᴴ·Â = Â − Y·wᴴ
//
// Â is the trailing matrix after the deferred updates, and A is the trailing matrix before them.
func (r *generalReduction[T]) leftPanel(block, c int) {
	p, cols, rows, lda := c-block, min(r.b, r.n-c), r.m-c, r.lda
	y := r.at(c, c)
	r.pending(block, rows, cols, p, p, y, lda, c, c, false)
	upper, tau := PanelQR(rows, cols, y, lda)
	for j := range cols {
		for i := range min(j+1, rows) {
			r.band[BidiagonalBandAt(r.b, c+i, c+j)] = upper[i+j*cols]
		}
	}
	t := make([]T, r.b*r.b)
	for j, column := 0, TFactor(rows, cols, y, lda, tau); j < cols; j++ {
		copy(t[j*r.b:], column[j*cols:(j+1)*cols])
	}
	copy(r.left[c/r.b*r.b*r.b:], t)

	below := c + r.b // first column after the panel
	if rest := r.n - below; rest > 0 {
		x := make([]T, rest*r.b)
		Gemm(Adjoint, NoTrans, rest, r.b, rows, 1, r.at(c, below), lda, y, lda, 0, x, rest)
		r.minus(x, rest, r.w[below:], r.n, r.at(c, block), lda, y, lda, rows, p)
		r.minus(x, rest, r.v[below:], r.n, r.z[c:], r.m, y, lda, rows, p)
		Gemm(NoTrans, NoTrans, rest, r.b, r.b, 1, x, rest, t, r.b, 0, r.w[below+p*r.n:], r.n)
	}
}

// rightPanel applies the deferred update to X, the b rows to the right of the diagonal block at
// column c. It factors the adjoint, Xᴴ = Q·Lᴴ with Q = I − v·T·vᴴ. It moves L to the band and
// appends v to V. It also appends to Z the columns
//
//	z = Â·v·T = (A·v − U·(Wᴴ·v) − Z·(Vᴴ·v))·T           so that Â·Q = Â − z·vᴴ
//
// Â is the trailing matrix after the deferred updates, and A is the trailing matrix before them. U
// and W already have the columns of the left panel at column c.
func (r *generalReduction[T]) rightPanel(block, c int) {
	p, b := c-block, r.b
	below := c + b // first row and column of what remains
	rest := r.n - below
	x := r.v[below+p*r.n:]
	for i := range b {
		for j := range rest {
			x[j+i*r.n] = conj(r.at(c+i, below+j)[0])
		}
	}
	r.pending(block, b, rest, p+b, p, x, r.n, c, below, true)
	upper, tau := PanelQR(rest, b, x, r.n)
	for i := range b { // L is Rᴴ
		for j := range min(i+1, rest) {
			r.band[BidiagonalBandAt(b, c+i, below+j)] = conj(upper[j+i*b])
		}
	}
	t := TFactor(rest, b, x, r.n, tau)
	copy(r.right[c/b*b*b:], t)
	for i := range b {
		for j := range rest {
			r.at(c+i, below+j)[0] = x[j+i*r.n]
		}
	}

	rows := r.m - below
	y := make([]T, rows*b)
	Gemm(NoTrans, NoTrans, rows, b, rest, 1, r.at(below, below), r.lda, x, r.n, 0, y, rows)
	r.minus(y, rows, r.at(below, block), r.lda, r.w[below:], r.n, x, r.n, rest, p+b)
	r.minus(y, rows, r.z[below:], r.m, r.v[below:], r.n, x, r.n, rest, p)
	Gemm(NoTrans, NoTrans, rows, b, b, 1, y, rows, t, b, 0, r.z[below+p*r.m:], r.m)
}

// `minus` replaces x, which has b columns, by x − f·(gᴴ·y). f and g have p columns each, and y has
// n rows.
func (r *generalReduction[T]) minus(x []T, rows int, f []T, ldf int, g []T, ldg int, y []T, ldy, n, p int) {
	s := make([]T, p*r.b)
	Gemm(Adjoint, NoTrans, p, r.b, n, 1, g, ldg, y, ldy, 0, s, p)
	Gemm(NoTrans, NoTrans, rows, r.b, p, -1, f, ldf, s, p, 1, x, rows)
}
