package refine

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Orthonormal measures whether vectors are orthonormal, and makes them so if they nearly are. The
// vectors are the m rows of a matrix X with n columns, and G = X·Xᴴ. A step is one of Newton's
// iteration for the polar factor of X, which is the nearest matrix with orthonormal rows:
//
//	X ← ½·(3·I − G)·X
//
// The new G − I is about ¾·(G − I)². The step adds to a vector at most half of its product with
// another one, times the other one. The product of two computed eigenvectors is at most a rounding
// error divided by the distance of their eigenvalues, so residuals grow by rounding errors only.
type Orthonormal[T spirv.Scalar] struct {
	n, m          int
	ops           product.Ops[T]
	copies        *move.Copying[T]
	w, sums, part vk.Region[T]
	couplings     vk.Region[T]
}

const (
	// OrthonormalProbes is the number of columns of W in RecordCouplings.
	OrthonormalProbes = 4

	orthonormalColumns = 256 // of X that a step computes at a time, at most
)

// NewOrthonormal prepares for up to m ≤ n vectors of length n.
func NewOrthonormal[T spirv.Scalar](dev *vk.Device, n, m int, ops product.Ops[T]) (*Orthonormal[T], error) {
	const probes = OrthonormalProbes
	copies, err := move.NewCopying[T](dev)
	if err != nil {
		return nil, err
	}
	cols := min(n, orthonormalColumns)
	o := &Orthonormal[T]{
		n: n, m: m, ops: ops, copies: copies,
		w: vk.Reserve[T]("probes of vectors", m*probes), sums: vk.Reserve[T]("sums of vectors", n*probes),
		couplings: vk.Reserve[T]("couplings of vectors", m*probes), part: vk.Reserve[T]("vectors before a step", m*cols),
	}
	return o, ops.Reserve(product.Shape{M: n, N: probes, K: m, Count: 1}, product.Shape{M: m, N: probes, K: n, Count: 1},
		product.Shape{M: m, N: m, K: n, Count: 1}, product.Shape{M: m, N: cols, K: m, Count: 1})
}

// Work is the workspace of both methods, about m·256 elements.
func (o *Orthonormal[T]) Work() *vk.Layout { return vk.Together(o.w, o.sums, o.couplings, o.part) }

// RecordCouplings computes (G − I)·W for a matrix W with as many rows as x and OrthonormalProbes
// columns, packed. The result has the same shape. If W has random signs, the squares of row j of
// the result are on average ‖G_j − e_j‖², where G_j is column j of G. If column k of W is e_j,
// column k of the result is G_j − e_j.
func (o *Orthonormal[T]) RecordCouplings(rec *vk.Recorder, ws *vk.Arena, x product.Matrix[T], w []T) vk.Slice[T] {
	m, probes := x.Rows, OrthonormalProbes
	columns := func(r vk.Region[T], rows int) product.Matrix[T] {
		return product.NewMatrix(r.In(ws), rows, probes, rows)
	}
	stages.Holds("the probes", columns(o.w, m).At, len(w))
	vk.Send(rec, o.w.In(ws), w) // not SendFirst: earlier commands may use the same workspace
	vk.Copy(rec, columns(o.couplings, m).At, columns(o.w, m).At)
	sums, couplings := columns(o.sums, x.Cols), columns(o.couplings, m)
	o.ops.Gemm(rec, ws, product.Adjoint, product.NoTrans, 1, x, columns(o.w, m), 0, sums)
	o.ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1, x, sums, -1, couplings)
	return couplings.At
}

// RecordStep makes the rows of x orthonormal. It overwrites g, which has as many rows and columns
// as x has rows.
func (o *Orthonormal[T]) RecordStep(rec *vk.Recorder, ws *vk.Arena, x, g product.Matrix[T]) {
	o.ops.Gemm(rec, ws, product.NoTrans, product.Adjoint, 1, x, x, 0, g)
	for j := 0; j < x.Cols; j += orthonormalColumns {
		cols := min(orthonormalColumns, x.Cols-j)
		xj, old := x.Block(0, j, x.Rows, cols), product.NewMatrix(o.part.In(ws), x.Rows, cols, x.Rows)
		o.copies.Record(rec, xj, old)
		o.ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, -0.5, g, old, 1.5, xj)
	}
}
