package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// ApplyQ1 multiplies m vectors by the orthogonal matrix of a band reduction (the
// first back transformation; dormtr for dsytrd_sy2sb):
//
//	X ← Q1·X   or   X ← Q1ᵀ·X     Q1 = Q(0)·Q(1)⋯,  Q(p) = I − Y·T·Yᵀ
//
// X is n×m and held transposed: Xt, m×n, has component r of vector c at c + r·ld.
// Neighbouring panels are merged into one Y and one T, so that the products have a
// large inner dimension: a panel's columns are zero above its trapezoid.
//
// It costs 2·n²·m flops and, for the merged factors, n²·Merge.
type ApplyQ1 struct {
	n, b, m int
	width   int // columns of Y applied together
	ops     product.Ops
	factor  *TFactor

	t, xy, xyt vk.Region[float64] // width×width; m×width, two
	work       *vk.Layout
}

// NewApplyQ1 prepares for a reduction of order n to half-bandwidth b, and m vectors.
func NewApplyQ1(dev *vk.Device, n, b, m int, ops product.Ops, t Tuning) (*ApplyQ1, error) {
	if n < 0 || b < 1 || m < 0 {
		return nil, fmt.Errorf("stages: Q1 of order %d, half-bandwidth %d, for %d vectors", n, b, m)
	}
	q := &ApplyQ1{n: n, b: b, m: m, ops: ops}
	q.width = min(max(1, t.Panel.Merge/b), q.panels()) * b
	var err error
	if q.factor, err = NewTFactor(dev, q.width, ops, t); err != nil {
		return nil, err
	}
	q.t = vk.Reserve[float64]("merged T", q.width*q.width)
	q.xy = vk.Reserve[float64]("X·Y", m*q.width)
	q.xyt = vk.Reserve[float64]("X·Y·T", m*q.width)
	q.work = vk.Together(q.t, vk.InTurn(vk.Together(q.xy, q.xyt), q.factor.Work()))
	return q, nil
}

func (q *ApplyQ1) panels() int { return max(0, (q.n-1)/q.b) }

// Work is the workspace; that of the products (Ops.Work) must be in the arena, too.
func (q *ApplyQ1) Work() *vk.Layout { return q.work }

// Flops counts those of all vectors, without the merging of the factors.
func (q *ApplyQ1) Flops() float64 { return q.flops(0) }

// flops of the columns of Y from c on.
func (q *ApplyQ1) flops(c int) float64 { return 2 * float64(q.n-c) * float64(q.n-c) * float64(q.m) }

// Record replaces X by Q1·X. y is A as BandReduction left it, t its factors, xt m×n,
// or has fewer rows for fewer vectors.
func (q *ApplyQ1) Record(rec *vk.Recorder, ws *vk.Arena, y product.Matrix, t vk.Slice[float64], xt product.Matrix) {
	columns := q.panels() * q.b
	for begin := (columns - 1) / max(q.width, 1) * q.width; begin >= 0 && columns > 0; begin -= q.width {
		q.apply(rec, ws, y, t, xt, begin, product.Trans)
	}
}

// RecordTransposed replaces X by Q1ᵀ·X.
func (q *ApplyQ1) RecordTransposed(rec *vk.Recorder, ws *vk.Arena, y product.Matrix, t vk.Slice[float64], xt product.Matrix) {
	for begin := 0; begin < q.panels()*q.b; begin += q.width {
		q.apply(rec, ws, y, t, xt, begin, product.NoTrans)
	}
}

// apply does the panels of the columns from begin on. X ← (I − Y·T·Yᵀ)·X, transposed,
// is Xt ← Xt − (Xt·Y)·Tᵀ·Yᵀ; it changes rows of X from the first panel's top on.
func (q *ApplyQ1) apply(rec *vk.Recorder, ws *vk.Arena, a product.Matrix, panels vk.Slice[float64], xt product.Matrix, begin int, op product.Op) {
	if xt.Rows > q.m || xt.Cols != q.n {
		panic(fmt.Sprintf("stages: Q1 of order %d for %d vectors applied to %d×%d", q.n, q.m, xt.Cols, xt.Rows))
	}
	b, m := q.b, xt.Rows
	if m == 0 {
		return
	}
	width, top := min(q.width, q.panels()*b-begin), begin+b
	done := q.Flops() - q.flops(begin)
	if op == product.Trans { // the other way round
		done = q.flops(begin + width)
	}
	rec.Phase(PhaseApplyQ1, done, q.Flops())
	y := a.Block(top, begin, q.n-top, width)
	x := xt.Block(0, top, m, q.n-top)
	t := product.NewMatrix(q.t.In(ws), width, width, width)
	q.factor.RecordMerge(rec, ws, y, b, panels.Sub(begin/b*b*b, width/b*b*b), t)

	xy := product.NewMatrix(q.xy.In(ws), m, width, m)
	xyt := product.NewMatrix(q.xyt.In(ws), m, width, m)
	q.ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1, x, y, 0, xy)
	q.timesT(rec, ws, op, xy, t, xyt)
	q.ops.Gemm(rec, ws, product.NoTrans, product.Trans, -1, xyt, y, 1, x)
}

// columnsOfT are multiplied at a time: of a triangle that is cut into n such pieces
// (n−1)/2n need not be looked at.
const columnsOfT = 256

// timesT makes X·op(T), T upper triangular.
func (q *ApplyQ1) timesT(rec *vk.Recorder, ws *vk.Arena, op product.Op, x, t, xt product.Matrix) {
	for c := 0; c < t.Cols; c += columnsOfT {
		n := min(columnsOfT, t.Cols-c)
		above, factor := x.Block(0, 0, x.Rows, c+n), t.Block(0, c, c+n, n)
		if op == product.Trans {
			above, factor = x.Block(0, c, x.Rows, t.Cols-c), t.Block(c, c, n, t.Cols-c)
		}
		q.ops.Gemm(rec, ws, product.NoTrans, op, 1, above, factor, 0, xt.Block(0, c, x.Rows, n))
	}
}
