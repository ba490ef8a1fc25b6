package stages

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// mergedPanels multiplies vectors by neighbouring panels of reflectors as by one,
//
//	X ← (I − Y·op(T)·Yᵀ)·X
//
// so that the products have a large inner dimension. X is stored transposed: Xt ← Xt −
// (Xt·Y)·op(T)ᵀ·Yᵀ. This is possible because a panel's columns are zero above its trapezoid.
type mergedPanels[T spirv.Scalar] struct {
	// b is the number of columns of a panel, width that of the panels that are applied together:
	// whole panels, unless all columns are applied together.
	b, width int
	ops      product.Ops[T]
	factor   *TFactor[T]

	// t is the merged T, width×width; xy and xyt are X·Y and X·Y·T, m×width each. xy and xyt lie
	// where the workspace of factor does, which needs it before.
	t, xy, xyt vk.Region[T]
	work       *vk.Layout
}

// newMergedPanels prepares for cols reflectors of at most rows elements, and m vectors.
func newMergedPanels[T spirv.Scalar](dev *vk.Device, rows, cols, b, m int, ops product.Ops[T], t PanelTuning) (*mergedPanels[T], error) {
	q := &mergedPanels[T]{b: b, ops: ops, width: min(max(1, t.Merge/b)*b, cols)}
	var err error
	if q.factor, err = NewTFactor(dev, rows, q.width, ops, t); err != nil {
		return nil, err
	}
	q.t = vk.Reserve[T]("merged T", q.width*q.width)
	q.xy = vk.Reserve[T]("X·Y", m*q.width)
	q.xyt = vk.Reserve[T]("X·Y·T", m*q.width)
	q.work = vk.Together(q.t, vk.InTurn(vk.Together(q.xy, q.xyt), q.factor.Work()))
	return q, ops.Reserve(
		product.Shape{M: m, N: q.width, K: rows, Count: 1},                     // X·Y
		product.Shape{M: m, N: min(columnsOfT, q.width), K: q.width, Count: 1}, // X·Y·T
		product.Shape{M: m, N: rows, K: q.width, Count: 1},                     // X − (X·Y·T)·Yᵀ
	)
}

// eachFromLast calls apply for the columns that are applied together, width of them or fewer from
// begin on, of cols in all. Q = Q(0)·Q(1)⋯: the last panels act first.
func (q *mergedPanels[T]) eachFromLast(cols int, apply func(begin, width int)) {
	for begin := (cols - 1) / max(q.width, 1) * q.width; begin >= 0 && cols > 0; begin -= q.width {
		apply(begin, min(q.width, cols-begin))
	}
}

// record applies the panels in y, whose own factors T are in panels, to x: xt is m×y.Rows. op is
// the operation on T: Trans for Q·X, and NoTrans for Qᵀ·X.
func (q *mergedPanels[T]) record(
	rec *vk.Recorder, ws *vk.Arena, y product.Matrix[T], panels vk.Slice[T], xt product.Matrix[T], op product.Op,
) {
	m, width := xt.Rows, y.Cols
	t := product.NewMatrix(q.t.In(ws), width, width, width)
	q.factor.RecordMerge(rec, ws, y, q.b, panels, t)

	xy := product.NewMatrix(q.xy.In(ws), m, width, m)
	xyt := product.NewMatrix(q.xyt.In(ws), m, width, m)
	q.ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1, xt, y, 0, xy)
	q.timesT(rec, ws, op, xy, t, xyt)
	q.ops.Gemm(rec, ws, product.NoTrans, product.Trans, -1, xyt, y, 1, xt)
}

// columnsOfT is the number of columns of T that are multiplied at a time. If that makes p pieces of
// the triangle, the fraction (p−1)/2p of the square, which is zero, is skipped.
const columnsOfT = 256

// timesT is X·op(T) with T upper triangular.
func (q *mergedPanels[T]) timesT(rec *vk.Recorder, ws *vk.Arena, op product.Op, x, t, xt product.Matrix[T]) {
	for c := 0; c < t.Cols; c += columnsOfT {
		n := min(columnsOfT, t.Cols-c)
		above, factor := x.Block(0, 0, x.Rows, c+n), t.Block(0, c, c+n, n)
		if op == product.Trans {
			above, factor = x.Block(0, c, x.Rows, t.Cols-c), t.Block(c, c, n, t.Cols-c)
		}
		q.ops.Gemm(rec, ws, product.NoTrans, op, 1, above, factor, 0, xt.Block(0, c, x.Rows, n))
	}
}
