package back

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// ApplyPanels multiplies m vectors by one of the orthogonal matrices that transform a general
// matrix: Q1 or P1 of a reduction to an upper band, or Q0 of a QR factorisation (dormqr, dormlq),
//
//	X ← Q·X     Q = Q(0)·Q(1)⋯,  Q(p) = I − Y·T·Yᴴ
//
// X is stored transposed: Xt is m×Rows, and component r of vector c lies at c + r·ld. Panel p has b
// Householder reflectors: the columns of Y, which act on rows [p·b, Rows) of X. Memory holds them
// as a unit lower trapezoid, whose ones are stored. Other data may lie above the trapezoid. Record
// replaces them by zeros, or uses a copy with zeros (see Record). Record also merges neighbouring
// panels into one Y and one T, because products with a large inner dimension are faster.
//
// The cost is 2·(2·Rows − Cols)·Cols·m flops.
type ApplyPanels[T spirv.Scalar] struct {
	PanelsSize
	phase     string
	merged    *panel.MergedPanels[T]
	cut       *vk.Kernel[shaders.LacpyUpperSpec, shaders.LacpyUpperPush[T]]
	transpose *move.Transpose[T]
	y         vk.Region[T] // the merged panels as columns; only with Across
}

// PanelsSize holds the sizes of an ApplyPanels: the shape of the matrix whose columns or rows are
// the Householder reflectors, and the number of vectors.
type PanelsSize struct {
	Rows, Cols int  // elements of the first reflector, number of reflectors; Cols < Rows + B
	B          int  // reflectors of a panel, at least 1; the last panel may have fewer
	M          int  // largest number of vectors
	Across     bool // whether the reflectors are rows instead of columns
}

// NewApplyPanels prepares a stage that reports its progress under the name `phase`.
func NewApplyPanels[T spirv.Scalar](dev *vk.Device, phase string, size PanelsSize, ops product.Ops[T], t panel.Tuning) (*ApplyPanels[T], error) {
	if size.Cols < 0 || size.B < 1 || size.Rows < 0 || size.Rows <= size.Cols-size.B || size.M < 0 {
		return nil, fmt.Errorf("stages: panels of %d, %d reflectors of %d elements, for %d vectors", size.B, size.Cols, size.Rows, size.M)
	}
	q := &ApplyPanels[T]{PanelsSize: size, phase: phase}
	var err error
	if q.merged, err = panel.NewMergedPanels(dev, size.Rows, size.Cols, size.B, size.M, ops, t); err != nil {
		return nil, err
	}
	if q.transpose, err = move.NewTranspose[T](dev); err != nil {
		return nil, err
	}
	kernels := stages.Builder{Dev: dev}
	q.cut = panel.BuildCut[T](&kernels)
	across := 0
	if size.Across {
		across = size.Rows * q.merged.Width
	}
	q.y = vk.Reserve[T]("Y", across)
	return q, kernels.Err
}

func (q *ApplyPanels[T]) Work() *vk.Layout { return vk.Together(q.merged.Work, q.y) }

// Flops returns the cost of applying all reflectors. It does not count the merging of panels.
func (q *ApplyPanels[T]) Flops() float64 { return q.flops(0) }

// flops returns the cost of applying the reflectors c … Cols−1. Reflector j costs 4·(Rows − j)·m
// flops, and flops integrates this over j.
func (q *ApplyPanels[T]) flops(c int) float64 {
	first, last := float64(q.Rows-c), float64(max(0, q.Rows-q.Cols))
	return 2 * (first*first - last*last) * float64(q.M)
}

// Record multiplies the vectors X by Q, the product of the reflectors in the matrix a. If
// PanelsSize.Across is false, a is Rows×Cols, and Record sets its elements above the trapezoids to
// zero. If PanelsSize.Across is true, a is Cols×Rows, its rows are the reflectors, and Record does
// not write a. t holds the triangular factors T of the panels, b×b each. xt is Xᵀ: m×Rows, or with
// fewer rows if there are fewer vectors.
func (q *ApplyPanels[T]) Record(rec *vk.Recorder, ws *vk.Arena, a product.Matrix[T], t vk.Slice[T], xt product.Matrix[T]) {
	rows, cols := a.Rows, a.Cols
	if q.Across {
		rows, cols = cols, rows
	}
	if rows != q.Rows || cols != q.Cols || xt.Rows > q.M || xt.Cols != q.Rows {
		panic(fmt.Sprintf("stages: %d reflectors of %d elements applied to %d×%d: prepared for %+v", cols, rows, xt.Cols, xt.Rows, q.PanelsSize))
	}
	if xt.Rows == 0 {
		return
	}
	b := q.B
	q.merged.EachFromLast(cols, func(begin, width int) {
		rec.Phase(q.phase, q.flops(begin+width), q.Flops())
		y := q.trapezoids(rec, ws, a, begin, width)
		factors := t.Sub(begin/b*b*b, vk.Tiles(width, uint32(b))*b*b)
		q.merged.Record(rec, ws, y, factors, xt.Block(0, begin, xt.Rows, rows-begin))
	})
}

// trapezoids returns the reflectors begin … begin+width−1 as columns of a matrix. The reflectors of
// each panel form a lower trapezoid, and the matrix has zeros above it. If PanelsSize.Across is
// true, the matrix lies in the workspace; otherwise it is a block of the matrix a.
func (q *ApplyPanels[T]) trapezoids(rec *vk.Recorder, ws *vk.Arena, a product.Matrix[T], begin, width int) product.Matrix[T] {
	rows := q.Rows - begin
	y := a
	if q.Across {
		y = product.NewMatrix(q.y.In(ws), rows, width, rows)
		q.transpose.Record(rec, a.Block(begin, begin, width, rows), y)
	} else {
		y = a.Block(begin, begin, rows, width)
	}
	panel.RecordCut(rec, q.cut, y.Block(0, 0, min(rows, width), width), product.Matrix[T]{}, 0, q.B)
	return y
}
