package residual

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Residual measures the errors of eigenpairs on the device (the two tests of dsyt22). Z has the
// eigenvectors as columns. Residual computes, for each column, the sum of the magnitudes of the
// elements of
//
//	A·Z − Z·diag(λ)   and   ZᴴZ − I
//
// The largest sum of each matrix is its 1-norm. A is n×n with both triangles stored, and Z is n×m.
type Residual[T spirv.Scalar] struct{ sums columnSums[T] }

// Sums holds the eigenvalues λ that the stage Residual reads, and the sums of magnitudes that it
// writes: one real number of each for every eigenvector.
type Sums[T spirv.Scalar] struct {
	Lambda        vk.Slice[T] // in: λ
	Residual      vk.Slice[T] // out: sums of |A·Z − Z·diag(λ)|
	Orthogonality vk.Slice[T] // out: sums of |ZᴴZ − I|
}

// hold panics if the memory is too small for m eigenpairs.
func (s Sums[T]) hold(m int) {
	stages.Holds("the eigenvalues", s.Lambda, m)
	stages.Holds("the residuals", s.Residual, m)
	stages.Holds("the sums of ZᴴZ − I", s.Orthogonality, m)
}

// NewResidual prepares for up to m ≤ n eigenvectors of length n.
func NewResidual[T spirv.Scalar](dev *vk.Device, n, m int, ops product.Ops[T]) (*Residual[T], error) {
	sums, err := newColumnSums(dev, n, m, ops)
	if err != nil {
		return nil, err
	}
	return &Residual[T]{sums}, ops.Reserve(product.Shape{M: n, N: min(m, residualBlock), K: n, Count: 1})
}

// Work is at most n·256 elements.
func (r *Residual[T]) Work() *vk.Layout { return vk.Together(r.sums.product) }

func (r *Residual[T]) Flops() float64 {
	n, m := float64(r.sums.n), float64(r.sums.m)
	return 2*n*n*m + 2*n*m*m
}

// Record measures the errors of the columns of z, at most m. A NaN in an input gives NaN in all
// sums that depend on it.
func (r *Residual[T]) Record(rec *vk.Recorder, ws *vk.Arena, a, z product.Matrix[T], s Sums[T]) {
	r.sums.record(rec, ws, z, s, func(zj, p product.Matrix[T]) {
		r.sums.ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1, a, zj, 0, p)
	})
}

// TridiagonalResidual is Residual for a symmetric tridiagonal matrix T of doubles instead of A
// (dstt22).
type TridiagonalResidual struct {
	sums  columnSums[float64]
	times *vk.Kernel[shaders.LagtmSpec, shaders.LagtmPush]
}

func NewTridiagonalResidual(dev *vk.Device, n, m int, ops product.Ops[float64]) (*TridiagonalResidual, error) {
	sums, err := newColumnSums(dev, n, m, ops)
	if err != nil {
		return nil, err
	}
	b := stages.Builder{Dev: dev}
	times := stages.Build(&b, shaders.Lagtm(), shaders.LagtmSpec{LocalSize: b.Threads(residualThreads)})
	return &TridiagonalResidual{sums, times}, b.Err
}

func (r *TridiagonalResidual) Work() *vk.Layout { return vk.Together(r.sums.product) }

func (r *TridiagonalResidual) Flops() float64 {
	n, m := float64(r.sums.n), float64(r.sums.m)
	return lagtmFlops*n*m + 2*n*m*m
}

const lagtmFlops = 5 // of an element of T·Z: three products and two sums

func (r *TridiagonalResidual) Record(
	rec *vk.Recorder, ws *vk.Arena, t stages.Tridiagonal[float64], z stages.Matrix, s Sums[float64],
) {
	n := r.sums.n
	stages.Holds("the diagonal", t.D, n)
	stages.Holds("the off-diagonal", t.E, n-1)
	r.sums.record(rec, ws, z, s, func(zj, p stages.Matrix) {
		r.times.Dispatch(rec, vk.Folded(vk.Tiles(n, r.times.Spec.LocalSize)*zj.Cols), shaders.LagtmPush{
			D: t.D.Addr(), E: t.E.Addr(), Z: zj.Addr(), P: p.Addr(),
			N: uint32(n), Cols: uint32(zj.Cols), Ldz: uint32(zj.Ld), Ldp: uint32(p.Ld),
		})
	})
}

// columnSums is the common part of Residual, ResidualPanels, TridiagonalResidual, SingularResidual
// and Pencil. For some columns of Z at a time, it forms a product such as A·Z or ZᴴZ, subtracts the
// expected matrix, and sums the magnitudes of each column.
type columnSums[T spirv.Scalar] struct {
	n, m    int // order; vectors, at most
	ops     product.Ops[T]
	columns *vk.Kernel[shaders.ColumnResidualSpec, shaders.ColumnResidualPush[T]]
	product vk.Region[T] // of some columns: A·Z or ZᴴZ
}

const (
	residualThreads = 256 // invocations of a workgroup, at most
	residualBlock   = 256 // columns that are measured at a time; the workspace is n times as large
)

// newColumnSums reserves the product ZᴴZ in ops, for n×m matrices Z. Its callers reserve the
// product A·Z.
func newColumnSums[T spirv.Scalar](dev *vk.Device, n, m int, ops product.Ops[T]) (columnSums[T], error) {
	b := stages.Builder{Dev: dev}
	cols := min(m, residualBlock)
	columns := stages.Build(&b, shaders.ColumnResidual[T](), shaders.ColumnResidualSpec{LocalSize: b.Threads(residualThreads)})
	if b.Err == nil && ops != nil {
		b.Err = ops.Reserve(product.Shape{M: m, N: cols, K: n, Count: 1})
	}
	return columnSums[T]{n, m, ops, columns, vk.Reserve[T]("residual", n*cols)}, b.Err
}

// record records the sums for all columns of z, some at a time. `times` records the product p ←
// A·zj for a range zj of them.
func (r columnSums[T]) record(
	rec *vk.Recorder, ws *vk.Arena, z product.Matrix[T], s Sums[T], times func(zj, p product.Matrix[T]),
) {
	m := z.Cols
	s.hold(m)
	r.each(m, func(j, cols int) {
		zj := z.Block(0, j, r.n, cols)
		p := product.NewMatrix(r.product.In(ws), r.n, cols, r.n)
		times(zj, p)
		r.compare(rec, p, zj, s.Lambda.From(j), s.Residual.From(j))
		r.gram(rec, ws, z, zj, j, s.Orthogonality.From(j))
	})
}

func (r columnSums[T]) each(m int, measure func(j, cols int)) {
	for j := 0; j < m; j += residualBlock {
		measure(j, min(residualBlock, m-j))
	}
}

func (r columnSums[T]) compare(rec *vk.Recorder, p, y product.Matrix[T], lambda, sums vk.Slice[T]) {
	r.columns.Dispatch(rec, vk.Folded(p.Cols), shaders.ColumnResidualPush[T]{
		X: p.Addr(), Y: y.Addr(), Lambda: lambda.Addr(), Sums: sums.Addr(),
		Rows: uint32(p.Rows), Cols: uint32(p.Cols), Ldx: uint32(p.Ld), Ldy: uint32(y.Ld),
	})
}

// gram records the sums for some columns of ZᴴZ − I, where the columns of Z are the vectors. zj
// holds these columns of z, from column j on.
func (r columnSums[T]) gram(rec *vk.Recorder, ws *vk.Arena, z, zj product.Matrix[T], j int, sums vk.Slice[T]) {
	g := product.NewMatrix(r.product.In(ws), z.Cols, zj.Cols, z.Cols)
	r.ops.Gemm(rec, ws, product.Adjoint, product.NoTrans, 1, z, zj, 0, g)
	r.identity(rec, g, 0, j, sums)
}

// identity records the sums of the magnitudes in each column of G − E, after row i was multiplied
// by weights[i]. If `weights` is 0, all weights are 1. Column c of E is column first + c of the
// identity matrix. If this number is negative, column c of E has no 1: the kernel's unsigned
// numbers make it larger than the number of every row.
func (r columnSums[T]) identity(rec *vk.Recorder, g product.Matrix[T], weights spirv.Addr[T], first int, sums vk.Slice[T]) {
	r.columns.Dispatch(rec, vk.Folded(g.Cols), shaders.ColumnResidualPush[T]{ // no λ stands for the identity
		X: g.Addr(), Y: weights, Sums: sums.Addr(),
		Rows: uint32(g.Rows), Cols: uint32(g.Cols), Ldx: uint32(g.Ld), First: uint32(first),
	})
}
