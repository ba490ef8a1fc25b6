package reduce

import (
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// generalBlock is a block of k columns of A that begins at column `begin`, while it is reduced. The
// current trailing matrix is A − U·Wᴴ − Z·Vᴴ. U is stored in A, in the columns of the panels. W, Z
// and V are in the workspace. Row i of U and of Z belongs to row i of A. Row j of W and of V
// belongs to column j of A.
//
// xw has the b columns that lie before W in memory, and xz has the b columns before Z. They hold
// the product of A and the reflectors of the newest panel, so that one product multiplies [xw W] or
// [xz Z] by a small matrix.
type generalBlock[T spirv.Scalar] struct {
	*GeneralBandReduction[T]
	ws       *vk.Arena
	a, u, v  product.Matrix[T]
	xw, xz   product.Matrix[T] // [xw W] and [xz Z], with b + k columns
	w, z     product.Matrix[T]
	begin, b int
}

func (r *GeneralBandReduction[T]) block(ws *vk.Arena, a product.Matrix[T], begin int) *generalBlock[T] {
	k := min(r.K, r.N)
	matrix := func(region vk.Region[T], rows, cols int) product.Matrix[T] {
		return product.NewMatrix(region.In(ws), rows, cols, max(rows, 1))
	}
	xw, xz := matrix(r.w, r.N, r.B+k), matrix(r.z, r.M, r.B+k)
	return &generalBlock[T]{
		GeneralBandReduction: r, ws: ws, a: a, u: a.Block(0, begin, r.M, min(k, r.N-begin)), v: matrix(r.v, r.N, k),
		xw: xw, xz: xz, w: xw.Block(0, r.B, r.N, k), z: xz.Block(0, r.B, r.M, k), begin: begin, b: r.B,
	}
}

// `from` returns the first `cols` columns of x without the rows above row number `row`.
func from[T spirv.Scalar](x product.Matrix[T], row, cols int) product.Matrix[T] {
	return x.Block(row, 0, x.Rows-row, cols)
}

// subtractPending applies the deferred update, A ← A − U·Wᴴ − Z·Vᴴ, to the rows×cols block of A
// that begins at (i, j). It uses the first p columns of U, W, Z and V. `by` computes the products.
func (k *generalBlock[T]) subtractPending(rec *vk.Recorder, by product.Ops[T], i, j, rows, cols, p int) {
	if p == 0 {
		return
	}
	by.GemmPair(rec, k.ws, product.NoTrans, product.Adjoint, -1,
		product.Pair[T]{A: k.u.Block(i, 0, rows, p), B: k.w.Block(j, 0, cols, p)},
		product.Pair[T]{A: k.z.Block(i, 0, rows, p), B: k.v.Block(j, 0, cols, p)},
		1, k.a.Block(i, j, rows, cols))
}

// leftPanel applies the deferred updates to the panel P at column c. It factors P = Q·R with Q = I
// − Y·T·Yᴴ, and writes R to the band. It appends Y to U, and w to W. It also copies the rows of the
// right panel at column c, without the deferred updates, to the columns that this panel will have
// in V.
//
//	Qᴴ·Â = Â − Y·wᴴ     w = Âᴴ·Y·T = (Aᴴ·Y)·T − W·(Uᴴ·Y·T) − V·(Zᴴ·Y·T)
//
// Â is the trailing matrix after the deferred updates, and A is the trailing matrix before them. U
// lies in memory just before the columns of A that remain, with Y between the two. So one product
// computes Uᴴ·Y, Yᴴ·Y and Aᴴ·Y.
func (k *generalBlock[T]) leftPanel(rec *vk.Recorder, c int, band, t vk.Slice[T]) {
	p, cols, rows := c-k.begin, min(k.b, k.N-c), k.M-c
	k.subtractPending(rec, k.ops, c, c, rows, cols, p)
	y := k.a.Block(c, c, rows, cols)
	with := k.Of(cols)
	// Element (i, j) of the triangular factor R of the panel is element (c+i, c+j) of the band.
	corner, ld := 3*k.b*c+2*k.b-1, 3*k.b-1
	upper := product.NewMatrix(band.Sub(corner, (cols-1)*ld+cols), cols, cols, max(ld, cols))
	tau := k.tau.In(k.ws)
	with.QR.RecordNext(rec, k.ws, y, upper, tau)
	factor := product.NewMatrix(t, cols, cols, k.b)

	after := c + k.b // the first column after the panel
	if after >= k.N {
		with.Factor.Record(rec, k.ws, y, tau, factor)
		return
	}
	rest := k.N - after
	// Row j of this product belongs to column j of A.
	products := k.xw.Block(0, 0, k.N, k.b)
	zy := k.small(0, p)
	k.ops.GemmTogether(rec, k.ws,
		product.Product[T]{OpA: product.Adjoint, A: k.a.Block(c, k.begin, rows, k.N-k.begin), B: y, C: from(products, k.begin, k.b)},
		product.Product[T]{OpA: product.Adjoint, A: from(k.z, c, p), B: y, C: zy})
	uy, yy := products.Block(k.begin, 0, p, k.b), products.Block(c, 0, k.b, k.b)
	tw, tv := k.small(1, k.b+p), k.small(2, p) // [T; −Uᴴ·Y·T] and −Zᴴ·Y·T
	x := k.v.Block(after, p, rest, k.b)
	rec.Concurrently(func() {
		k.rows.Record(rec, yy, tau, factor, tw.Block(0, 0, k.b, k.b),
			panel.TimesFactor[T]{S: uy, R: tw.Block(k.b, 0, p, k.b)}, panel.TimesFactor[T]{S: zy, R: tv})
		k.transpose.Record(rec, k.strip(c), x) // copies the rows of the right panel
	})
	k.conjugate.Record(rec, x)
	k.ops.GemmPair(rec, k.ws, product.NoTrans, product.NoTrans, 1,
		product.Pair[T]{A: from(k.xw, after, k.b+p), B: tw}, product.Pair[T]{A: from(k.v, after, p), B: tv},
		0, k.w.Block(after, p, rest, k.b))
}

// rightPanel applies the deferred updates to the rows X to the right of the diagonal block at
// column c. It factors the adjoint, Xᴴ = Q·R with Q = I − v·T·vᴴ, and appends v to V and z to Z:
//
//	Â·Q = Â − z·vᴴ     z = Â·v·T = (A·v)·T − U·(Wᴴ·v·T) − Z·(Vᴴ·v·T)
//
// Â is the trailing matrix after the deferred updates, and A is the trailing matrix before them. U
// and W already have the columns of the left panel at column c, but Z and V do not have the columns
// of the right panel yet.
func (k *generalBlock[T]) rightPanel(rec *vk.Recorder, c int, t vk.Slice[T]) {
	p, b := c-k.begin, k.b
	after := c + b // the first row and column that remain
	rest, rows := k.N-after, k.M-after
	v := k.v.Block(after, p, rest, b) // leftPanel has copied the rows X to it
	k.ops.GemmPair(rec, k.ws, product.NoTrans, product.Adjoint, -1,
		product.Pair[T]{A: from(k.w, after, p+b), B: k.u.Block(c, 0, b, p+b)}, product.Pair[T]{A: from(k.v, after, p), B: k.z.Block(c, 0, b, p)}, 1, v)
	l := product.NewMatrix(k.l.In(k.ws).Sub(c/b*b*b, b*b), b, b, b)
	tau := k.tau.In(k.ws)
	k.Full.QR.RecordNext(rec, k.ws, v, l, tau)

	x := k.xz.Block(after, 0, rows, b)
	vv, wv := k.small(0, p+b), k.small(1, p+b)
	k.ops.GemmTogether(rec, k.ws,
		product.Product[T]{A: k.a.Block(after, after, rows, rest), B: v, C: x},
		product.Product[T]{OpA: product.Adjoint, A: from(k.v, after, p+b), B: v, C: vv},
		product.Product[T]{OpA: product.Adjoint, A: from(k.w, after, p+b), B: v, C: wv})
	tz, tu := k.small(2, b+p), k.small(3, p+b) // [T; −Vᴴ·v·T] and −Wᴴ·v·T
	rec.Concurrently(func() {
		k.rows.Record(rec, vv.Block(p, 0, b, b), tau, product.NewMatrix(t, b, b, b), tz.Block(0, 0, b, b),
			panel.TimesFactor[T]{S: vv.Block(0, 0, p, b), R: tz.Block(b, 0, p, b)}, panel.TimesFactor[T]{S: wv, R: tu})
		if k.Vectors {
			k.transpose.Record(rec, v, k.strip(c))
		}
	})
	k.ops.GemmPair(rec, k.ws, product.NoTrans, product.NoTrans, 1,
		product.Pair[T]{A: from(k.u, after, p+b), B: tu}, product.Pair[T]{A: from(k.xz, after, b+p), B: tz},
		0, k.z.Block(after, p, rows, b))
}

func (k *generalBlock[T]) strip(c int) product.Matrix[T] {
	after := c + k.b
	return k.a.Block(c, after, k.b, k.N-after)
}

// small returns number i of the small matrices in the workspace, packed, with b columns.
func (k *generalBlock[T]) small(i, rows int) product.Matrix[T] {
	room := k.s.Len() / smallMatrices
	return product.NewMatrix(k.s.In(k.ws).Sub(i*room, room), rows, k.b, max(rows, 1))
}

// smallMatrices is the number of matrices with at most k + b rows and b columns that a panel needs
// at the same time.
const smallMatrices = 4
