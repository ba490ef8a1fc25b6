package stages

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// mergedPanels multiplies vectors by several neighbouring panels of reflectors at once,
//
//	X ← (I − Y·op(T)·Yᵀ)·X
//
// so that the products have a large inner dimension. X is stored transposed: Xt ← Xt −
// (Xt·Y)·op(T)ᵀ·Yᵀ. Panels can be merged because the columns of a panel are zero above its
// trapezoid.
type mergedPanels[T spirv.Scalar] struct {
	// b is the number of columns of a panel. width is the number of columns that are applied
	// together. They form whole panels, unless width is the number of all columns.
	b, width int
	ops      product.Ops[T]
	factor   *TFactor[T]

	// t is the merged T, width×width. xy and xyt are X·Y and X·Y·T, m×width each. xy and xyt share
	// memory with the workspace of factor, because factor needs its workspace only before them.
	t, xy, xyt vk.Region[T]
	work       *vk.Layout
}

// newMergedPanels prepares the product for cols reflectors of at most rows elements, and m vectors.
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

// eachFromLast calls apply for each range of columns that are applied together: width columns or
// fewer from begin on. There are cols columns in all. The last range comes first, as Q =
// Q(0)·Q(1)⋯.
func (q *mergedPanels[T]) eachFromLast(cols int, apply func(begin, width int)) {
	for begin := (cols - 1) / max(q.width, 1) * q.width; begin >= 0 && cols > 0; begin -= q.width {
		apply(begin, min(q.width, cols-begin))
	}
}

// record multiplies the vectors xt, m×y.Rows, by the panels in y. panels holds the factor T of each
// panel. op is the operation on the merged T: Trans for Q·X, and NoTrans for Qᵀ·X.
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

// columnsOfT is the number of columns of T that are multiplied at a time. Parts of T below the
// triangle are zero and are skipped: with p pieces this is the fraction (p−1)/2p of T.
const columnsOfT = 256

// timesT records the product of X and op(T), where T is upper triangular.
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
