package back

import (
	"fmt"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// ApplyQ1 multiplies m vectors by the orthogonal matrix Q1 of a reduction to a band. ApplyQ1
// belongs to the reduction dsytrd_sy2sb, as LAPACK's dormtr belongs to dsytrd:
//
//	X ← Q1·X     Q1 = Q(0)·Q(1)⋯,  Q(p) = I − Y·T·Yᴴ
//
// X is n×m and is stored transposed: Xt is m×n, and component r of vector c lies at c + r·ld. The
// columns of Y are the Householder reflectors of panel p, and T is the triangular factor of panel
// p. Record merges neighbouring panels into one Y and one T, because products with a large inner
// dimension are faster. The merged Y is again a trapezoid, because the columns of each panel are
// zero above the trapezoid of the panel.
//
// The cost is 2·n²·m flops, and n²·Merge flops more for the merged Y and T of up to Merge columns.
type ApplyQ1[T spirv.Scalar] struct {
	Size
	merged *panel.MergedPanels[T]
}

// Size holds the sizes of a back transformation: the order of the matrix, its half-bandwidth
// and the number of vectors.
type Size struct {
	N int // order of the matrix
	B int // half-bandwidth, at least 1
	M int // largest number of vectors
}

func NewApplyQ1[T spirv.Scalar](dev *vk.Device, size Size, ops product.Ops[T], t panel.Tuning) (*ApplyQ1[T], error) {
	return NewApplyQ1InBlocks(dev, size, size.N, ops, t)
}

// NewApplyQ1InBlocks is NewApplyQ1 for a matrix whose columns are divided into blocks, for example
// among several devices (reduce.ColumnBlocks). RecordBlock then applies the reflectors of one block
// of at most `width` columns. `width` must be a multiple of the half-bandwidth, or at least the
// order.
func NewApplyQ1InBlocks[T spirv.Scalar](dev *vk.Device, size Size, width int, ops product.Ops[T], t panel.Tuning) (*ApplyQ1[T], error) {
	n, b, m := size.N, size.B, size.M
	if n < 0 || b < 1 || m < 0 || width < n && (width < 1 || width%b != 0) {
		return nil, fmt.Errorf("stages: Q1 of order %d, half-bandwidth %d, for %d vectors, in blocks of %d", n, b, m, width)
	}
	q := &ApplyQ1[T]{Size: size}
	var err error
	q.merged, err = panel.NewMergedPanels(dev, n, min(width, q.columns()), b, m, ops, t)
	return q, err
}

func (q *ApplyQ1[T]) columns() int { return max(0, (q.N-1)/q.B) * q.B }

func (q *ApplyQ1[T]) Work() *vk.Layout { return q.merged.Work }

// Flops returns the cost of applying all reflectors. It does not count the merging of panels.
func (q *ApplyQ1[T]) Flops() float64 { return q.flops(0) }

// flops returns the cost of applying the reflectors c … n−1.
func (q *ApplyQ1[T]) flops(c int) float64 { return 2 * float64(q.N-c) * float64(q.N-c) * float64(q.M) }

// Record multiplies the vectors X by Q1, the product of the reflectors of all panels. y is the
// matrix A as BandReduction left it, and t holds the triangular factors of the panels. xt is Xᵀ:
// m×n, or with fewer rows if there are fewer vectors.
func (q *ApplyQ1[T]) Record(rec *vk.Recorder, ws *vk.Arena, y product.Matrix[T], t vk.Slice[T], xt product.Matrix[T]) {
	q.merged.EachFromLast(q.columns(), func(begin, width int) {
		q.apply(rec, ws, q.below(y, 0, begin, width), t, xt, begin)
	})
}

// RecordBlock multiplies the vectors X by the reflectors of one block of columns of A. y is the
// block as BandShare.Block returns it: column 0 and row 0 of y are column and row `first` of A. The
// calls for all blocks, from the last block to the first, multiply X by Q1.
func (q *ApplyQ1[T]) RecordBlock(
	rec *vk.Recorder, ws *vk.Arena, y product.Matrix[T], first int, t vk.Slice[T], xt product.Matrix[T],
) {
	if cols := min(y.Cols, q.columns()-first); cols > 0 {
		q.merged.EachFromLast(cols, func(begin, width int) {
			q.apply(rec, ws, q.below(y, first, first+begin, width), t, xt, first+begin)
		})
	}
}

// `below` returns the reflectors that lie in columns begin … begin+width−1 of A, without the rows
// above the first of them. y is a block of A that begins at row and column `first`.
func (q *ApplyQ1[T]) below(y product.Matrix[T], first, begin, width int) product.Matrix[T] {
	top := begin + q.B
	return y.Block(top-first, begin-first, q.N-top, width)
}

// apply multiplies the vectors X by the block reflector of the columns of y, which may belong to
// several panels. The first of these columns is column `begin` of A, and row 0 of y is the first
// row below the diagonal block of this column. Only the rows of X from this row on change.
func (q *ApplyQ1[T]) apply(
	rec *vk.Recorder, ws *vk.Arena, y product.Matrix[T], panels vk.Slice[T], xt product.Matrix[T], begin int,
) {
	if xt.Rows > q.M || xt.Cols != q.N {
		panic(fmt.Sprintf("stages: Q1 of order %d for %d vectors applied to %d×%d", q.N, q.M, xt.Cols, xt.Rows))
	}
	b, m, width := q.B, xt.Rows, y.Cols
	if m == 0 {
		return
	}
	top := begin + b
	rec.Phase(stages.PhaseApplyQ1, q.flops(begin+width), q.Flops()) // the last panels come first
	q.merged.Record(rec, ws, y, panels.Sub(begin/b*b*b, width/b*b*b), xt.Block(0, top, m, q.N-top))
}
