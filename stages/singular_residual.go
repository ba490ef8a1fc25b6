package stages

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// SingularResidual measures singular vectors on the device (as dbdt01, dort01): the sums of
// magnitudes of each column of
//
//	A·V − U·diag(σ),   UᵀU − I   and   VᵀV − I
//
// A is m×n; U has m rows, V has n.
type SingularResidual[T spirv.Scalar] struct {
	m, n, k int // k: columns of U or of V, at most
	sums    columnSums[T]
}

// NewSingularResidual prepares for an m×n matrix and at most k columns of U and of V, k ≤ max(m, n).
func NewSingularResidual[T spirv.Scalar](dev *vk.Device, m, n, k int, ops product.Ops[T]) (*SingularResidual[T], error) {
	sums, err := newColumnSums(dev, max(m, n), k, ops)
	if err != nil {
		return nil, err
	}
	return &SingularResidual[T]{m, n, k, sums}, ops.Reserve(product.Shape{M: m, N: min(k, residualBlock), K: n, Count: 1})
}

// Work is the workspace, max(m, n)·256 elements at most. That of the products (Ops.Work) must be in
// the arena, too.
func (r *SingularResidual[T]) Work() *vk.Layout { return vk.Together(r.sums.product) }

// Record measures A·V − U·diag(σ): u has at least as many columns as v, of which the first belong
// to v's. sigma and sums have an element for each column of v. sums must not overlap an input.
func (r *SingularResidual[T]) Record(rec *vk.Recorder, ws *vk.Arena, a, u, v product.Matrix[T], sigma, sums vk.Slice[T]) {
	holds("the singular values", sigma, v.Cols)
	holds("the residuals", sums, v.Cols)
	r.sums.each(v.Cols, func(j, cols int) {
		p := product.NewMatrix(r.sums.product.In(ws), r.m, cols, r.m)
		r.sums.ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1, a, v.Block(0, j, r.n, cols), 0, p)
		r.sums.compare(rec, p, u.Block(0, j, r.m, cols), sigma.From(j), sums.From(j))
	})
}

// RecordOrthogonality measures ZᵀZ − I for U or V, of at most k columns.
func (r *SingularResidual[T]) RecordOrthogonality(rec *vk.Recorder, ws *vk.Arena, z product.Matrix[T], sums vk.Slice[T]) {
	holds("the sums of ZᵀZ − I", sums, z.Cols)
	r.sums.each(z.Cols, func(j, cols int) {
		r.sums.gram(rec, ws, z, z.Block(0, j, z.Rows, cols), j, sums.From(j))
	})
}
