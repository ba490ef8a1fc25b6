package stages

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// generalBlock is a block of k columns of A that begins at column `begin`, while it is reduced. The
// current trailing matrix is A − U·Wᵀ − Z·Vᵀ. U is stored in A, in the columns of the panels. W, Z
// and V are stored in the workspace. Row i of U and of Z belongs to row i of A. Row j of W and of V
// belongs to column j of A.
type generalBlock[T spirv.Scalar] struct {
	*GeneralBandReduction[T]
	ws            *vk.Arena
	a, u, w, z, v product.Matrix[T]
	begin         int
}

func (r *GeneralBandReduction[T]) block(ws *vk.Arena, a product.Matrix[T], begin int) *generalBlock[T] {
	k := min(r.K, r.N)
	matrix := func(region vk.Region[T], rows int) product.Matrix[T] {
		return product.NewMatrix(region.In(ws), rows, k, max(rows, 1))
	}
	return &generalBlock[T]{r, ws, a, a.Block(0, begin, r.M, min(k, r.N-begin)), matrix(r.w, r.N), matrix(r.z, r.M), matrix(r.v, r.N), begin}
}

// from returns the rows `row`, `row`+1, … of the first `cols` columns of x. The matrix x is a
// factor of the deferred update A − U·Wᵀ − Z·Vᵀ.
func from[T spirv.Scalar](x product.Matrix[T], row, cols int) product.Matrix[T] {
	return x.Block(row, 0, x.Rows-row, cols)
}

// subtractPending applies the deferred update of the trailing matrix, A ← A − U·Wᵀ − Z·Vᵀ, to the
// rows×cols block of A that begins at (i, j). It uses the first p columns of U, W, Z and V.
func (k *generalBlock[T]) subtractPending(rec *vk.Recorder, i, j, rows, cols, p int) {
	if p == 0 {
		return
	}
	k.ops.GemmPair(rec, k.ws, product.NoTrans, product.Trans, -1,
		product.Pair[T]{A: k.u.Block(i, 0, rows, p), B: k.w.Block(j, 0, cols, p)},
		product.Pair[T]{A: k.z.Block(i, 0, rows, p), B: k.v.Block(j, 0, cols, p)},
		1, k.a.Block(i, j, rows, cols))
}

// leftPanel applies the deferred updates to the panel P at column c. It factors the panel, P = Q·R
// with Q = I − Y·T·Yᵀ, and writes R to the band. It appends Y to U, and w to W:
//
//	Qᵀ·Â = Â − Y·wᵀ     w = Âᵀ·Y·T = (Aᵀ·Y − W·(Uᵀ·Y) − V·(Zᵀ·Y))·T
//
// Â is the trailing matrix after the deferred updates, and A is the trailing matrix before them.
func (k *generalBlock[T]) leftPanel(rec *vk.Recorder, c int, band, t vk.Slice[T]) {
	p, cols, rows := c-k.begin, min(k.B, k.N-c), k.M-c
	k.subtractPending(rec, c, c, rows, cols, p)
	y := k.a.Block(c, c, rows, cols)
	with := k.of(cols)
	// Element (i, j) of the triangular factor R of the panel is element (c+i, c+j) of the band.
	corner, ld := 3*k.B*c+2*k.B-1, 3*k.B-1
	upper := product.NewMatrix(band.Sub(corner, (cols-1)*ld+cols), cols, cols, max(ld, cols))
	tau := k.tau.In(k.ws)
	with.qr.record(rec, k.ws, y, upper, tau)
	factor := product.NewMatrix(t, cols, cols, k.B)

	after := c + k.B // the first column after the panel
	if after >= k.N {
		with.factor.Record(rec, k.ws, y, tau, factor)
		return
	}
	rest := k.N - after
	yy, zy := k.inner(rec, from(k.u, c, p+cols), from(k.z, c, p), y)
	with.factor.RecordFrom(rec, k.ws, yy.Block(p, 0, cols, cols), tau, factor)
	x := product.NewMatrix(k.x.In(k.ws), rest, cols, rest)
	k.ops.Gemm(rec, k.ws, product.Trans, product.NoTrans, 1, k.a.Block(c, after, rows, rest), y, 0, x)
	if p > 0 {
		k.ops.GemmPair(rec, k.ws, product.NoTrans, product.NoTrans, -1,
			product.Pair[T]{A: from(k.w, after, p), B: yy.Block(0, 0, p, cols)}, product.Pair[T]{A: from(k.v, after, p), B: zy}, 1, x)
	}
	k.ops.Gemm(rec, k.ws, product.NoTrans, product.NoTrans, 1, x, factor, 0, k.w.Block(after, p, rest, cols))
}

// rightPanel applies the deferred updates to the rows X to the right of the diagonal block at
// column c. It factors the transpose, Xᵀ = Q·R with Q = I − v·T·vᵀ, and appends v to V and z to Z:
//
//	Â·Q = Â − z·vᵀ     z = Â·v·T = (A·v − U·(Wᵀ·v) − Z·(Vᵀ·v))·T
//
// Â is the trailing matrix after the deferred updates, and A is the trailing matrix before them. U
// and W already have the columns of the left panel at column c, but Z and V do not have the columns
// of the right panel yet.
func (k *generalBlock[T]) rightPanel(rec *vk.Recorder, c int, t vk.Slice[T]) {
	p, b := c-k.begin, k.B
	after := c + b // the first row and column that remain
	rest, rows := k.N-after, k.M-after
	strip := k.a.Block(c, after, b, rest)
	v := k.v.Block(after, p, rest, b)
	k.transpose.Record(rec, strip, v)
	if p > 0 {
		k.ops.GemmPair(rec, k.ws, product.NoTrans, product.Trans, -1,
			product.Pair[T]{A: from(k.w, after, p), B: k.u.Block(c, 0, b, p)}, product.Pair[T]{A: from(k.v, after, p), B: k.z.Block(c, 0, b, p)}, 1, v)
	}
	k.ops.Gemm(rec, k.ws, product.NoTrans, product.Trans, -1, k.w.Block(after, p, rest, b), k.u.Block(c, p, b, b), 1, v)
	l := product.NewMatrix(k.l.In(k.ws).Sub(c/b*b*b, b*b), b, b, b)
	tau := k.tau.In(k.ws)
	k.full.qr.record(rec, k.ws, v, l, tau)
	if k.Vectors {
		k.transpose.Record(rec, v, strip)
	}

	vv, wv := k.inner(rec, from(k.v, after, p+b), from(k.w, after, p+b), v)
	factor := product.NewMatrix(t, b, b, b)
	k.full.factor.RecordFrom(rec, k.ws, vv.Block(p, 0, b, b), tau, factor)
	x := product.NewMatrix(k.x.In(k.ws), rows, b, rows)
	k.ops.Gemm(rec, k.ws, product.NoTrans, product.NoTrans, 1, k.a.Block(after, after, rows, rest), v, 0, x)
	if p > 0 {
		k.ops.GemmPair(rec, k.ws, product.NoTrans, product.NoTrans, -1,
			product.Pair[T]{A: from(k.u, after, p), B: wv.Block(0, 0, p, b)}, product.Pair[T]{A: from(k.z, after, p), B: vv.Block(0, 0, p, b)}, 1, x)
	}
	k.ops.Gemm(rec, k.ws, product.NoTrans, product.NoTrans, -1, k.u.Block(after, p, rows, b), wv.Block(p, 0, b, b), 1, x)
	k.ops.Gemm(rec, k.ws, product.NoTrans, product.NoTrans, 1, x, factor, 0, k.z.Block(after, p, rows, b))
}

// inner records the products fᵀ·y and gᵀ·y. It returns these products, which are packed matrices in
// the workspace.
func (k *generalBlock[T]) inner(rec *vk.Recorder, f, g, y product.Matrix[T]) (fy, gy product.Matrix[T]) {
	cols, room := y.Cols, k.s.Len()/2
	fy = product.NewMatrix(k.s.In(k.ws).Sub(0, room), f.Cols, cols, f.Cols)
	k.ops.Gemm(rec, k.ws, product.Trans, product.NoTrans, 1, f, y, 0, fy)
	if g.Cols == 0 {
		return fy, product.Matrix[T]{}
	}
	gy = product.NewMatrix(k.s.In(k.ws).Sub(room, room), g.Cols, cols, g.Cols)
	k.ops.Gemm(rec, k.ws, product.Trans, product.NoTrans, 1, g, y, 0, gy)
	return fy, gy
}
