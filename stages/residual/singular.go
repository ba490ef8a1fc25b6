package residual

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// SingularResidual measures the errors of singular vectors on the device (as dbdt01 and dort01 do).
// It computes, for each column, the sum of the magnitudes of the elements of
//
//	A·V − U·diag(σ),   UᴴU − I   and   VᴴV − I
//
// A is m×n, U has m rows, and V has n rows.
type SingularResidual[T spirv.Scalar] struct {
	m, n, k int // k: largest number of columns of U and of V
	sums    columnSums[T]
}

// NewSingularResidual prepares for an m×n matrix A and up to k ≤ max(m, n) columns of U and of V.
func NewSingularResidual[T spirv.Scalar](dev *vk.Device, m, n, k int, ops product.Ops[T]) (*SingularResidual[T], error) {
	sums, err := newColumnSums(dev, max(m, n), k, ops)
	if err != nil {
		return nil, err
	}
	return &SingularResidual[T]{m, n, k, sums}, ops.Reserve(product.Shape{M: m, N: min(k, residualBlock), K: n, Count: 1})
}

// Work is at most max(m, n)·256 elements.
func (r *SingularResidual[T]) Work() *vk.Layout { return vk.Together(r.sums.product) }

// Record measures A·V − U·diag(σ). u has at least as many columns as v; column j of u belongs to
// column j of v. `sigma` and `sums` have one element for each column of v.
func (r *SingularResidual[T]) Record(rec *vk.Recorder, ws *vk.Arena, a, u, v product.Matrix[T], sigma, sums vk.Slice[T]) {
	stages.Holds("the singular values", sigma, v.Cols)
	stages.Holds("the residuals", sums, v.Cols)
	r.sums.each(v.Cols, func(j, cols int) {
		p := product.NewMatrix(r.sums.product.In(ws), r.m, cols, r.m)
		r.sums.ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1, a, v.Block(0, j, r.n, cols), 0, p)
		r.sums.compare(rec, p, u.Block(0, j, r.m, cols), sigma.From(j), sums.From(j))
	})
}

// RecordOrthogonality measures ZᴴZ − I, where z is U or V with at most k columns.
func (r *SingularResidual[T]) RecordOrthogonality(rec *vk.Recorder, ws *vk.Arena, z product.Matrix[T], sums vk.Slice[T]) {
	stages.Holds("the sums of ZᴴZ − I", sums, z.Cols)
	r.sums.each(z.Cols, func(j, cols int) {
		r.sums.gram(rec, ws, z, z.Block(0, j, z.Rows, cols), j, sums.From(j))
	})
}
