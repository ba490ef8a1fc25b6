package residual

import (
	"github.com/vkevd/vkevd/stages/factor"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Pencil measures the errors of eigenpairs of a generalized eigenproblem: for each column, the sum
// of the magnitudes of the elements of
//
//	A·X − B·X·diag(λ)   and   XᴴBX − I         AxLBx
//	A·B·X − X·diag(λ)   and   XᴴBX − I         ABxLx
//	B·A·X − X·diag(λ)   and   XᴴB⁻¹X − I       BAxLx
//
// In the second matrix, row i is multiplied by a weight, which is usually 1/‖x_i‖. A and B are n×n
// with both triangles stored, and X is n×m.
type Pencil[T spirv.Scalar] struct {
	sums    columnSums[T]
	pencil  factor.Pencil
	copies  *move.Copying[T]
	second  vk.Region[T] // of some columns: B·X, A·X or B⁻¹·X
	weights vk.Region[T]
	columns [2]vk.Region[T] // column sums of |A| and |B|
}

// PencilColumns is the largest number of columns that are measured at a time. The products with the
// Cholesky factor of the matrix B of a pencil must be reserved for so many right-hand sides.
const PencilColumns = residualBlock

// NewPencil prepares for up to m ≤ n eigenvectors of length n.
func NewPencil[T spirv.Scalar](dev *vk.Device, p factor.Pencil, n, m int, ops product.Ops[T]) (*Pencil[T], error) {
	sums, err := newColumnSums(dev, n, m, ops)
	if err != nil {
		return nil, err
	}
	cols := min(m, residualBlock)
	r := &Pencil[T]{sums: sums, pencil: p, second: vk.Reserve[T]("second residual", n*cols), weights: vk.Reserve[T]("weights", m)}
	for i := range r.columns {
		r.columns[i] = vk.Reserve[T]("column sums", n)
	}
	if r.copies, err = move.NewCopying[T](dev); err != nil {
		return nil, err
	}
	return r, ops.Reserve(product.Shape{M: n, N: cols, K: n, Count: 1})
}

// Work is at most 2·n·256 + 2·n + m elements.
func (r *Pencil[T]) Work() *vk.Layout {
	return vk.Together(r.sums.product, r.second, r.weights, r.columns[0], r.columns[1])
}

func (r *Pencil[T]) Flops() float64 {
	n, m := float64(r.sums.n), float64(r.sums.m)
	return 4*n*n*m + 2*n*m*m
}

// Weights is the memory of the weights, one for each eigenvector.
func (r *Pencil[T]) Weights(ws *vk.Arena) vk.Slice[T] { return r.weights.In(ws) }

// Columns is the memory of the sums of the magnitudes in the columns of the two matrices of the
// pencil. The largest sums are ‖A‖₁ and ‖B‖₁.
func (r *Pencil[T]) Columns(ws *vk.Arena) [2]vk.Slice[T] {
	return [2]vk.Slice[T]{r.columns[0].In(ws), r.columns[1].In(ws)}
}

// Record measures the norms of A and B, and the errors of the columns of x, of which there must be
// at most m. A NaN in an input gives NaN in all sums that depend on it. Only BAxLx reads f.
func (r *Pencil[T]) Record(rec *vk.Recorder, ws *vk.Arena, a, b product.Matrix[T], f factor.Factor[T], x product.Matrix[T], s Sums[T]) {
	s.hold(x.Cols)
	n := r.sums.n
	for i, matrix := range []product.Matrix[T]{a, b} {
		r.sums.identity(rec, matrix, 0, n, r.Columns(ws)[i])
	}
	times := func(m, v, to product.Matrix[T]) {
		r.sums.ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1, m, v, 0, to)
	}
	r.sums.each(x.Cols, func(j, cols int) {
		xj := x.Block(0, j, n, cols)
		p := product.NewMatrix(r.sums.product.In(ws), n, cols, n)
		q := product.NewMatrix(r.second.In(ws), n, cols, n)
		lambda, residual := s.Lambda.From(j), s.Residual.From(j)
		switch r.pencil {
		case factor.AxLBx:
			times(a, xj, p)
			times(b, xj, q)
			r.sums.compare(rec, p, q, lambda, residual)
		case factor.ABxLx:
			times(b, xj, q)
			times(a, q, p)
			r.sums.compare(rec, p, xj, lambda, residual)
		case factor.BAxLx:
			times(a, xj, q)
			times(b, q, p)
			r.sums.compare(rec, p, xj, lambda, residual)
			r.copies.Record(rec, xj, q)
			f.Solve(rec, ws, factor.Left, product.NoTrans, q, p)
			f.Solve(rec, ws, factor.Left, product.Adjoint, p, q)
		}
		r.weighted(rec, ws, x, q, j, s.Orthogonality.From(j))
	})
}

// weighted records the sums for some columns of XᴴQ − I, from column j on. Q is B·X, or B⁻¹·X for
// the problem B·A·x = λ·x, and q has these columns of Q. The method overwrites the memory of the
// first product.
func (r *Pencil[T]) weighted(rec *vk.Recorder, ws *vk.Arena, x, q product.Matrix[T], j int, sums vk.Slice[T]) {
	g := product.NewMatrix(r.sums.product.In(ws), x.Cols, q.Cols, x.Cols)
	r.sums.ops.Gemm(rec, ws, product.Adjoint, product.NoTrans, 1, x, q, 0, g)
	r.sums.identity(rec, g, r.weights.In(ws).Addr(), j, sums)
}
