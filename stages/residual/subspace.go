package residual

import (
	"github.com/vkevd/vkevd/stages/factor"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Subspace measures the errors of eigenpairs of A·x = λ·B·x that were computed in the space of the
// orthonormal columns of a matrix V (Galerkin's method): for each column, the sum of the magnitudes
// of the elements of
//
//	Vᴴ·(A·X − B·X·diag(λ))   and   XᴴBX − I   and   X − V·(VᴴX)
//
// The rows of the second matrix are multiplied by weights, as in Pencil. The third matrix is 0 if
// the vectors are in that space. A and B are n×n with both triangles stored, X is n×k, and V has n
// rows and at most n columns.
type Subspace[T spirv.Scalar] struct {
	*Pencil[T]
	projected [2]vk.Region[T] // of some columns: Vᴴ·A·X and Vᴴ·B·X
}

// NewSubspace prepares for up to k ≤ n eigenvectors of length n.
func NewSubspace[T spirv.Scalar](dev *vk.Device, n, k int, ops product.Ops[T]) (*Subspace[T], error) {
	p, err := NewPencil(dev, factor.AxLBx, n, k, ops)
	if err != nil {
		return nil, err
	}
	s, cols := &Subspace[T]{Pencil: p}, min(k, residualBlock)
	for i := range s.projected {
		s.projected[i] = vk.Reserve[T]("projected residual", n*cols)
	}
	return s, ops.Reserve(product.Shape{M: n, N: cols, K: n, Count: 1})
}

// Work is at most 4·n·256 + 2·n + k elements.
func (r *Subspace[T]) Work() *vk.Layout {
	return vk.Together(r.Pencil.Work(), r.projected[0], r.projected[1])
}

// Record measures the norms of A and B, and the errors of the columns of x, which are eigenvectors
// of the pencil. The sums of the magnitudes in X − V·(VᴴX) are written to `outside`.
func (r *Subspace[T]) Record(rec *vk.Recorder, ws *vk.Arena, a, b, v, x product.Matrix[T], s Sums[T], outside vk.Slice[T]) {
	s.hold(x.Cols)
	n, m, ops := r.sums.n, v.Cols, r.sums.ops
	for i, matrix := range []product.Matrix[T]{a, b} {
		r.sums.identity(rec, matrix, 0, n, r.Columns(ws)[i])
	}
	r.sums.each(x.Cols, func(j, cols int) {
		xj := x.Block(0, j, n, cols)
		p, q := product.NewMatrix(r.sums.product.In(ws), n, cols, n), product.NewMatrix(r.second.In(ws), n, cols, n)
		vp, vq := product.NewMatrix(r.projected[0].In(ws), m, cols, m), product.NewMatrix(r.projected[1].In(ws), m, cols, m)
		project := func(y, to product.Matrix[T]) {
			ops.Gemm(rec, ws, product.Adjoint, product.NoTrans, 1, v, y, 0, to)
		}
		r.copies.Record(rec, xj, p)
		project(xj, vp)
		ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, -1, v, vp, 1, p)
		r.sums.identity(rec, p, 0, n, outside.From(j))
		ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1, a, xj, 0, p)
		ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1, b, xj, 0, q)
		project(p, vp)
		project(q, vq)
		r.sums.compare(rec, vp, vq, s.Lambda.From(j), s.Residual.From(j))
		r.weighted(rec, ws, x, q, j, s.Orthogonality.From(j))
	})
}
