package panel

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// MergedPanels multiplies vectors by the reflectors of several neighbouring panels of a QR
// factorisation in one step,
//
//	X ← (I − Y·T·Yᴴ)·X
//
// so that the products have a large inner dimension. T is the triangular factor of the merged
// panels. The merged Y is a trapezoid, because the columns of each panel are zero above the
// trapezoid of the panel. X is stored transposed: Xᵀ ← Xᵀ − (Xᵀ·conj(Y))·Tᵀ·Yᵀ.
type MergedPanels[T spirv.Scalar] struct {
	// b is the number of reflectors of a panel. Width is the number of reflectors that are applied
	// together: a multiple of b, or the number of all.
	b, Width int
	ops      product.Ops[T]
	factor   *TFactor[T]

	// t is the factor T of merged panels, width×width. xy is Xᵀ·conj(Y) and xyt is Xᵀ·conj(Y)·Tᵀ,
	// m×width each. xy and xyt share memory with the workspace of `factor`, which computes T first.
	t, xy, xyt vk.Region[T]
	Work       *vk.Layout
}

// NewMergedPanels is for at most m vectors, and for `cols` reflectors with at most `rows` elements.
func NewMergedPanels[T spirv.Scalar](dev *vk.Device, rows, cols, b, m int, ops product.Ops[T], t Tuning) (*MergedPanels[T], error) {
	q := &MergedPanels[T]{b: b, ops: ops, Width: min(max(1, t.Merge/b)*b, cols)}
	var err error
	if q.factor, err = NewTFactor(dev, rows, q.Width, ops, t); err != nil {
		return nil, err
	}
	q.t = vk.Reserve[T]("merged T", q.Width*q.Width)
	q.xy = vk.Reserve[T]("X·Y", m*q.Width)
	q.xyt = vk.Reserve[T]("X·Y·T", m*q.Width)
	q.Work = vk.Together(q.t, vk.InTurn(vk.Together(q.xy, q.xyt), q.factor.Work()))
	return q, ops.Reserve(
		product.Shape{M: m, N: q.Width, K: rows, Count: 1},                  // X·Y
		product.Shape{M: m, N: min(rowsOfT, q.Width), K: q.Width, Count: 1}, // X·Y·T
		product.Shape{M: m, N: rows, K: q.Width, Count: 1},                  // X − (X·Y·T)·Yᵀ
	)
}

// EachFromLast divides `cols` reflectors into ranges that are applied together, and calls `apply`
// for each. The last range comes first, because the product is Q = Q(0)·Q(1)⋯.
func (q *MergedPanels[T]) EachFromLast(cols int, apply func(begin, width int)) {
	for begin := (cols - 1) / max(q.Width, 1) * q.Width; begin >= 0 && cols > 0; begin -= q.Width {
		apply(begin, min(q.Width, cols-begin))
	}
}

// Record multiplies the vectors xt, m×y.Rows, by the reflectors in y. `panels` holds the factors T
// of the panels.
func (q *MergedPanels[T]) Record(
	rec *vk.Recorder, ws *vk.Arena, y product.Matrix[T], panels vk.Slice[T], xt product.Matrix[T],
) {
	m, width := xt.Rows, y.Cols
	t := product.NewMatrix(q.t.In(ws), width, width, width)
	q.factor.RecordMerge(rec, ws, y, q.b, panels, t)

	xy := product.NewMatrix(q.xy.In(ws), m, width, m)
	xyt := product.NewMatrix(q.xyt.In(ws), m, width, m)
	// X is stored as Xᵀ, not as Xᴴ. So the first product conjugates Y, and the other two transpose
	// without conjugation.
	q.ops.Gemm(rec, ws, product.NoTrans, product.Conj, 1, xt, y, 0, xy)
	for c := 0; c < width; c += rowsOfT {
		n := min(rowsOfT, width-c)
		q.ops.Gemm(rec, ws, product.NoTrans, product.Trans, 1, xy.Block(0, c, m, width-c), t.Block(c, c, n, width-c), 0, xyt.Block(0, c, m, n))
	}
	q.ops.Gemm(rec, ws, product.NoTrans, product.Trans, -1, xyt, y, 1, xt)
}

// rowsOfT is the number of rows of T in one product. T is upper triangular, so the products are p
// blocks of rows, and each of them leaves out the zeros left of its diagonal block. Together they
// leave out the fraction (p−1)/(2p) of T.
const rowsOfT = 256
