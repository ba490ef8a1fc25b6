package ref

// BandReduction reduces the Hermitian matrix A to half-bandwidth b, A = Q1·B·Q1ᴴ, with panels of b
// columns and one trailing update of rank 2k for k columns (dsytrd_sy2sb, zhetrd_he2hb; the
// double-blocked band reduction, DBBR). Only the lower triangle of A is read, and not the imaginary
// parts of its diagonal.
//
// It returns the compact band and the triangular factors T of the panels, and stores the reflectors
// Y in A. Package stages documents the formats of the band, of T and of Y. Columns of A that belong
// to no panel become zero.
func BandReduction[T Number](n, b, k int, a []T, lda int) (band, t []T) {
	r := reduction[T]{
		n: n, b: b, a: a, lda: lda,
		z:    make([]T, n*k),
		band: make([]T, n*2*b),
		t:    make([]T, Panels(n, b)*b*b),
	}
	for block := 0; block < n; block += k {
		c := block
		for ; c < min(block+k, n); c += b {
			r.catchUp(block, c)
			r.diagonalBlock(c)
			if c+b < n {
				r.panel(block, c)
			}
		}
		if c < n { // a whole block of k columns, and more to come
			Syr2k(n-c, k, r.y(c, block), lda, r.zAt(c, 0), n, a[c+c*lda:], lda)
		}
	}
	return r.band, r.t
}

// reduction is a band reduction in progress. While a block of k columns is in progress, memory
// holds the trailing matrix A as it was at the beginning of the block. The current trailing matrix
// is A − Y·Zᴴ − Z·Yᴴ. Y and Z have one column for each column of the block's finished panels. Y is
// stored in A, in the columns of these panels.
//
// Row i of Y and of Z belongs to row i of A. The columns y and z of a panel begin below the panel's
// diagonal block. Rows above are never read.
type reduction[T Number] struct {
	n, b    int
	a       []T
	lda     int
	z       []T // n×k
	band, t []T
}

// y returns Y from the given row on, and from the first column of the block on.
func (r *reduction[T]) y(row, block int) []T { return r.a[row+block*r.lda:] }

// zAt returns Z from the given row and column on.
func (r *reduction[T]) zAt(row, column int) []T { return r.z[row+column*r.n:] }

// catchUp applies the delayed update −Y·Zᴴ − Z·Yᴴ to the panel at column c, from the panel's
// diagonal block on. Y and Z have the columns of those panels of the block that are finished.
func (r *reduction[T]) catchUp(block, c int) {
	rows, cols, pending := r.n-c, min(r.b, r.n-c), c-block
	y, z, x := r.y(c, block), r.zAt(c, 0), r.a[c+c*r.lda:]
	Gemm(NoTrans, Adjoint, rows, cols, pending, -1, y, r.lda, z, r.n, 1, x, r.lda)
	Gemm(NoTrans, Adjoint, rows, cols, pending, -1, z, r.n, y, r.lda, 1, x, r.lda)
}

// diagonalBlock moves the lower triangle of the diagonal block at column c to the band, and sets
// the elements of the panel in the rows of this block and above to zero.
func (r *reduction[T]) diagonalBlock(c int) {
	end := min(c+r.b, r.n)
	for j := c; j < end; j++ {
		copy(r.band[j*2*r.b:], r.a[j+j*r.lda:end+j*r.lda])
		r.band[j*2*r.b] = ofReal[T](realPart(r.a[j+j*r.lda]))
		clear(r.a[j*r.lda : end+j*r.lda])
	}
}

// panel factors the rows of the panel at column c below the diagonal block, moves the triangle R to
// the band, and appends the new columns y and z to Y and Z. With Q = I − W·yᴴ and W = y·T, the
// trailing matrix A − Y·Zᴴ − Z·Yᴴ becomes
//
//	Qᴴ·(A − Y·Zᴴ − Z·Yᴴ)·Q = A − Y·Zᴴ − Z·Yᴴ − y·zᴴ − z·yᴴ
//	z = P − ½·y·(Wᴴ·P)
//	P = (A − Y·Zᴴ − Z·Yᴴ)·W = A·W − Y·(Zᴴ·W) − Z·(Yᴴ·W).
func (r *reduction[T]) panel(block, c int) {
	n, b, lda, pending := r.n, r.b, r.lda, c-block
	top := c + b // first row and column of the trailing matrix
	m := n - top

	y := r.a[top+c*lda:]
	upper, tau := PanelQR(m, b, y, lda)
	for j := range b { // R's (i, j) is the band's (top+i, c+j)
		copy(r.band[b-j+(c+j)*2*b:], upper[j*b:j*b+min(j+1, m)])
	}
	t := r.t[c/b*b*b:]
	copy(t, TFactor(m, b, y, lda, tau))

	w := make([]T, m*b)
	Gemm(NoTrans, NoTrans, m, b, b, 1, y, lda, t, b, 0, w, m)

	p := r.zAt(top, pending)
	Symm(m, b, r.a[top+top*lda:], lda, w, m, p, n)
	s := make([]T, max(pending, b)*b)
	Gemm(Adjoint, NoTrans, pending, b, m, 1, r.zAt(top, 0), n, w, m, 0, s, pending)
	Gemm(NoTrans, NoTrans, m, b, pending, -1, r.y(top, block), lda, s, pending, 1, p, n)
	Gemm(Adjoint, NoTrans, pending, b, m, 1, r.y(top, block), lda, w, m, 0, s, pending)
	Gemm(NoTrans, NoTrans, m, b, pending, -1, r.zAt(top, 0), n, s, pending, 1, p, n)

	z := p
	Gemm(Adjoint, NoTrans, b, b, m, 1, w, m, p, n, 0, s, b)
	Gemm(NoTrans, NoTrans, m, b, b, -0.5, y, lda, s, b, 1, z, n)
}
