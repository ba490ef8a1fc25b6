package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// ApplyQ1 multiplies m vectors by the orthogonal matrix Q1 of a reduction to a band. It is for the
// reduction dsytrd_sy2sb what LAPACK's dormtr is for dsytrd:
//
//	X ← Q1·X   or   X ← Q1ᵀ·X     Q1 = Q(0)·Q(1)⋯,  Q(p) = I − Y·T·Yᵀ
//
// X is n×m and is stored transposed: Xt is m×n, and component r of vector c lies at c + r·ld. The
// columns of Y are the Householder reflectors of panel p, and T is the triangular factor of panel
// p. Record merges neighbouring panels into one Y and one T, because products with a large inner
// dimension are faster. The merged Y is again a trapezoid, because the columns of each panel are
// zero above the trapezoid of the panel.
//
// The cost is 2·n²·m flops, and n²·Merge flops more for the merged Y and T, which have up to Merge
// columns.
type ApplyQ1[T spirv.Scalar] struct {
	BackSize
	merged *mergedPanels[T]
}

// BackSize holds the sizes of a back transformation: the order of the matrix, its half-bandwidth
// and the number of vectors.
type BackSize struct {
	N int // order of the matrix
	B int // half-bandwidth, at least 1
	M int // largest number of vectors
}

// NewApplyQ1 prepares the multiplication of vectors by Q1 for one size.
func NewApplyQ1[T spirv.Scalar](dev *vk.Device, size BackSize, ops product.Ops[T], t PanelTuning) (*ApplyQ1[T], error) {
	n, b, m := size.N, size.B, size.M
	if n < 0 || b < 1 || m < 0 {
		return nil, fmt.Errorf("stages: Q1 of order %d, half-bandwidth %d, for %d vectors", n, b, m)
	}
	q := &ApplyQ1[T]{BackSize: size}
	var err error
	q.merged, err = newMergedPanels(dev, n, q.columns(), b, m, ops, t)
	return q, err
}

// columns returns the number of Householder reflectors in Q1: b for each panel of the band
// reduction.
func (q *ApplyQ1[T]) columns() int { return max(0, (q.N-1)/q.B) * q.B }

// Work is the layout of the workspace. The workspace of the products (Ops.Work) must be in the
// arena, too.
func (q *ApplyQ1[T]) Work() *vk.Layout { return q.merged.work }

// Flops returns the cost in flops of multiplying all vectors by Q1, without the cost of merging
// panels.
func (q *ApplyQ1[T]) Flops() float64 { return q.flops(0) }

// flops returns the cost in flops of applying the reflectors c … n−1 to all vectors. Reflector j is
// column j of Y.
func (q *ApplyQ1[T]) flops(c int) float64 { return 2 * float64(q.N-c) * float64(q.N-c) * float64(q.M) }

// Record replaces X by Q1·X. y is the matrix A as BandReduction left it, and t holds the factors T
// of BandReduction. xt is m×n, or has fewer rows if there are fewer vectors.
func (q *ApplyQ1[T]) Record(rec *vk.Recorder, ws *vk.Arena, y product.Matrix[T], t vk.Slice[T], xt product.Matrix[T]) {
	q.merged.eachFromLast(q.columns(), func(begin, width int) {
		q.apply(rec, ws, y, t, xt, begin, width, product.Trans)
	})
}

// RecordTransposed replaces X by Q1ᵀ·X. The arguments are those of Record.
func (q *ApplyQ1[T]) RecordTransposed(
	rec *vk.Recorder, ws *vk.Arena, y product.Matrix[T], t vk.Slice[T], xt product.Matrix[T],
) {
	for begin := 0; begin < q.columns(); begin += q.merged.width {
		q.apply(rec, ws, y, t, xt, begin, min(q.merged.width, q.columns()-begin), product.NoTrans)
	}
}

// apply multiplies X by the block reflector of columns begin … begin+width−1 of Y, which may belong
// to several panels. Only the rows of X from the first row of the first of these panels on change.
// The operation op applies to the triangular factor T of the block: Trans gives Q1, and NoTrans
// gives Q1ᵀ.
func (q *ApplyQ1[T]) apply(
	rec *vk.Recorder, ws *vk.Arena, a product.Matrix[T], panels vk.Slice[T], xt product.Matrix[T], begin, width int, op product.Op,
) {
	if xt.Rows > q.M || xt.Cols != q.N {
		panic(fmt.Sprintf("stages: Q1 of order %d for %d vectors applied to %d×%d", q.N, q.M, xt.Cols, xt.Rows))
	}
	b, m := q.B, xt.Rows
	if m == 0 {
		return
	}
	top := begin + b
	done := q.Flops() - q.flops(begin)
	if op == product.Trans { // for Q1 the last panels come first
		done = q.flops(begin + width)
	}
	rec.Phase(PhaseApplyQ1, done, q.Flops())
	q.merged.record(rec, ws, a.Block(top, begin, q.N-top, width), panels.Sub(begin/b*b*b, width/b*b*b),
		xt.Block(0, top, m, q.N-top), op)
}
