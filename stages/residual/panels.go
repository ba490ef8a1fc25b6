package residual

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// ResidualPanels measures the errors of some of the eigenvectors of A, the columns of Z, on a
// device that has neither A nor the other eigenvectors W. The host sends A, and all of W, some
// columns (a panel P) at a time. A panel gives some rows of the two matrices
//
//	A·Z − Z·diag(λ)   and   WᴴZ − I
//
// because A is Hermitian: the rows are Pᴴ·Z, minus rows of Z·diag(λ) or of the identity. A Record
// method computes the sums of the magnitudes in each column of these rows. The sum over all panels
// is what Residual computes.
type ResidualPanels[T spirv.Scalar] struct {
	sums  columnSums[T]
	panel vk.Region[T]
	out   vk.Region[T]
}

func NewResidualPanels[T spirv.Scalar](dev *vk.Device, n, m int, ops product.Ops[T]) (*ResidualPanels[T], error) {
	sums, err := newColumnSums(dev, n, m, ops)
	if err != nil {
		return nil, err
	}
	cols := min(n, residualBlock)
	sums.product = vk.Reserve[T]("products of a panel", cols*m)
	r := &ResidualPanels[T]{sums, vk.Reserve[T]("panel of a residual", n*cols), vk.Reserve[T]("sums of a panel", m)}
	return r, ops.Reserve(product.Shape{M: cols, N: m, K: n, Count: 1})
}

func (r *ResidualPanels[T]) Columns() int { return min(r.sums.n, residualBlock) }

// Work is at most 256·(n+m) + m elements.
func (r *ResidualPanels[T]) Work() *vk.Layout { return vk.Together(r.panel, r.sums.product, r.out) }

// RecordResidual records the sums for the rows from, from+1, … of A·Z − Z·diag(λ). The panel P has
// the columns of A with these numbers, n elements each. lambda has an element for each column of z,
// which has the vectors as columns. `sums` receives one number for each vector.
func (r *ResidualPanels[T]) RecordResidual(
	rec *vk.Recorder, ws *vk.Arena, panel []T, from int, z product.Matrix[T], lambda vk.Slice[T], sums []T,
) {
	p := r.record(rec, ws, panel, z)
	r.sums.compare(rec, p, z.Block(from, 0, p.Rows, z.Cols), lambda, r.out.In(ws))
	vk.ReceiveLast(rec, sums, r.out.In(ws))
}

// RecordGram records the sums for the rows from, from+1, … of WᴴZ − I. The panel has the vectors
// with these numbers among all vectors W. z has the vectors of W from number `first` on.
func (r *ResidualPanels[T]) RecordGram(
	rec *vk.Recorder, ws *vk.Arena, panel []T, from int, z product.Matrix[T], first int, sums []T,
) {
	p := r.record(rec, ws, panel, z)
	r.sums.identity(rec, p, 0, first-from, r.out.In(ws))
	vk.ReceiveLast(rec, sums, r.out.In(ws))
}

func (r *ResidualPanels[T]) record(rec *vk.Recorder, ws *vk.Arena, panel []T, z product.Matrix[T]) product.Matrix[T] {
	cols := len(panel) / r.sums.n
	at := product.NewMatrix(r.panel.In(ws), r.sums.n, cols, r.sums.n)
	vk.SendFirst(rec, at.At, panel)
	p := product.NewMatrix(r.sums.product.In(ws), cols, z.Cols, cols)
	r.sums.ops.Gemm(rec, ws, product.Adjoint, product.NoTrans, 1, at, z, 0, p)
	return p
}
