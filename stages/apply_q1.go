package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// ApplyQ1 multiplies m vectors by the orthogonal matrix of a band reduction (the first back
// transformation; dormtr for dsytrd_sy2sb):
//
//	X ← Q1·X   or   X ← Q1ᵀ·X     Q1 = Q(0)·Q(1)⋯,  Q(p) = I − Y·T·Yᵀ
//
// X is n×m and is stored transposed: Xt is m×n, and component r of vector c lies at c + r·ld.
// Neighbouring panels are merged into one Y and one T, so that the products have a large inner
// dimension. This is possible because a panel's columns are zero above its trapezoid.
//
// It costs 2·n²·m flops, and n²·Merge for the merged factors.
type ApplyQ1[T spirv.Scalar] struct {
	BackSize

	// width is the number of columns of Y that are applied together: those of some panels.
	width  int
	ops    product.Ops[T]
	factor *TFactor[T]

	// t is the merged T, width×width; xy and xyt are X·Y and X·Y·T, m×width each. xy and xyt lie
	// where the workspace of factor does, which needs it before.
	t, xy, xyt vk.Region[T]
	work       *vk.Layout
}

// BackSize is the size of a back transformation.
type BackSize struct {
	N int // order of the matrix
	B int // half-bandwidth, at least 1
	M int // vectors, at most
}

// NewApplyQ1 prepares for one size.
func NewApplyQ1[T spirv.Scalar](dev *vk.Device, size BackSize, ops product.Ops[T], t PanelTuning) (*ApplyQ1[T], error) {
	n, b, m := size.N, size.B, size.M
	if n < 0 || b < 1 || m < 0 {
		return nil, fmt.Errorf("stages: Q1 of order %d, half-bandwidth %d, for %d vectors", n, b, m)
	}
	q := &ApplyQ1[T]{BackSize: size, ops: ops}
	// Whole panels, and no more than there are.
	q.width = min(max(1, t.Merge/b), q.panels()) * b
	var err error
	if q.factor, err = NewTFactor(dev, n, q.width, ops, t); err != nil {
		return nil, err
	}
	q.t = vk.Reserve[T]("merged T", q.width*q.width)
	q.xy = vk.Reserve[T]("X·Y", m*q.width)
	q.xyt = vk.Reserve[T]("X·Y·T", m*q.width)
	q.work = vk.Together(q.t, vk.InTurn(vk.Together(q.xy, q.xyt), q.factor.Work()))
	return q, ops.Reserve(
		product.Shape{M: m, N: q.width, K: n, Count: 1},                        // X·Y
		product.Shape{M: m, N: min(columnsOfT, q.width), K: q.width, Count: 1}, // X·Y·T
		product.Shape{M: m, N: n, K: q.width, Count: 1},                        // X − (X·Y·T)·Yᵀ
	)
}

// panels is the number of panels of the reduction.
func (q *ApplyQ1[T]) panels() int { return max(0, (q.N-1)/q.B) }

// Work is the workspace. That of the products (Ops.Work) must be in the arena, too.
func (q *ApplyQ1[T]) Work() *vk.Layout { return q.work }

// Flops is the cost for all vectors, without merging the factors.
func (q *ApplyQ1[T]) Flops() float64 { return q.flops(0) }

// flops is the cost of the columns of Y from c on.
func (q *ApplyQ1[T]) flops(c int) float64 { return 2 * float64(q.N-c) * float64(q.N-c) * float64(q.M) }

// Record replaces X by Q1·X. y is A as BandReduction left it, t its factors. xt is m×n, or has
// fewer rows for fewer vectors.
func (q *ApplyQ1[T]) Record(rec *vk.Recorder, ws *vk.Arena, y product.Matrix[T], t vk.Slice[T], xt product.Matrix[T]) {
	columns := q.panels() * q.B
	// Q1 = Q(0)·Q(1)⋯: the last panels act first.
	for begin := (columns - 1) / max(q.width, 1) * q.width; begin >= 0 && columns > 0; begin -= q.width {
		q.apply(rec, ws, y, t, xt, begin, product.Trans)
	}
}

// RecordTransposed replaces X by Q1ᵀ·X. The arguments are those of Record.
func (q *ApplyQ1[T]) RecordTransposed(
	rec *vk.Recorder, ws *vk.Arena, y product.Matrix[T], t vk.Slice[T], xt product.Matrix[T],
) {
	for begin := 0; begin < q.panels()*q.B; begin += q.width {
		q.apply(rec, ws, y, t, xt, begin, product.NoTrans)
	}
}

// apply does the panels of the columns from begin on. X ← (I − Y·T·Yᵀ)·X, transposed, is Xt ← Xt −
// (Xt·Y)·Tᵀ·Yᵀ; for Q1ᵀ, T takes the place of Tᵀ, so that op is the operation on T. It changes rows
// of X from the first panel's top on.
func (q *ApplyQ1[T]) apply(
	rec *vk.Recorder, ws *vk.Arena, a product.Matrix[T], panels vk.Slice[T], xt product.Matrix[T], begin int, op product.Op,
) {
	if xt.Rows > q.M || xt.Cols != q.N {
		panic(fmt.Sprintf("stages: Q1 of order %d for %d vectors applied to %d×%d", q.N, q.M, xt.Cols, xt.Rows))
	}
	b, m := q.B, xt.Rows
	if m == 0 {
		return
	}
	width, top := min(q.width, q.panels()*b-begin), begin+b
	done := q.Flops() - q.flops(begin)
	if op == product.Trans { // the last panels come first
		done = q.flops(begin + width)
	}
	rec.Phase(PhaseApplyQ1, done, q.Flops())
	y := a.Block(top, begin, q.N-top, width)
	x := xt.Block(0, top, m, q.N-top)
	t := product.NewMatrix(q.t.In(ws), width, width, width)
	q.factor.RecordMerge(rec, ws, y, b, panels.Sub(begin/b*b*b, width/b*b*b), t)

	xy := product.NewMatrix(q.xy.In(ws), m, width, m)
	xyt := product.NewMatrix(q.xyt.In(ws), m, width, m)
	q.ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1, x, y, 0, xy)
	q.timesT(rec, ws, op, xy, t, xyt)
	q.ops.Gemm(rec, ws, product.NoTrans, product.Trans, -1, xyt, y, 1, x)
}

// columnsOfT is the number of columns of T that are multiplied at a time. If that makes p pieces of
// the triangle, the fraction (p−1)/2p of the square, which is zero, is skipped.
const columnsOfT = 256

// timesT is X·op(T) with T upper triangular.
func (q *ApplyQ1[T]) timesT(rec *vk.Recorder, ws *vk.Arena, op product.Op, x, t, xt product.Matrix[T]) {
	for c := 0; c < t.Cols; c += columnsOfT {
		n := min(columnsOfT, t.Cols-c)
		above, factor := x.Block(0, 0, x.Rows, c+n), t.Block(0, c, c+n, n)
		if op == product.Trans {
			above, factor = x.Block(0, c, x.Rows, t.Cols-c), t.Block(c, c, n, t.Cols-c)
		}
		q.ops.Gemm(rec, ws, product.NoTrans, op, 1, above, factor, 0, xt.Block(0, c, x.Rows, n))
	}
}
