package stages

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Residual measures a set of eigenpairs on the device (dsyt22's two tests): the sums
// of magnitudes down each column of
//
//	A·Z − Z·diag(λ)   and   ZᵀZ − I
//
// whose largest are 1-norms. A is n×n with both triangles, Z n×m.
type Residual struct{ sums columnSums }

// NewResidual prepares for m ≤ n vectors of length n.
func NewResidual(dev *vk.Device, n, m int, ops product.Ops) (*Residual, error) {
	b := builder{dev: dev}
	return &Residual{newColumnSums(&b, n, m, ops)}, b.err
}

// Work is n·256 elements at most.
func (r *Residual) Work() *vk.Layout { return vk.Together(r.sums.product) }

// Flops is the cost of the two products.
func (r *Residual) Flops() float64 {
	n, m := float64(r.sums.n), float64(r.sums.m)
	return 2*n*n*m + 2*n*m*m
}

// Record measures the columns of Z, m or fewer. residual and orthogonality receive a sum
// for each; a NaN in an input is a NaN in its sum. Outputs must not overlap inputs.
func (r *Residual) Record(rec *vk.Recorder, ws *vk.Arena, a, z product.Matrix, lambda, residual, orthogonality vk.Slice[float64]) {
	r.sums.record(rec, ws, z, lambda, residual, orthogonality, func(zj, p product.Matrix) {
		r.sums.ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1, a, zj, 0, p)
	})
}

// TridiagonalResidual is Residual for T in A's place, T symmetric tridiagonal (dstt22).
type TridiagonalResidual struct {
	sums  columnSums
	times *vk.Kernel[shaders.LagtmSpec, shaders.LagtmPush]
}

// NewTridiagonalResidual prepares for m ≤ n vectors of length n.
func NewTridiagonalResidual(dev *vk.Device, n, m int, ops product.Ops) (*TridiagonalResidual, error) {
	b := builder{dev: dev}
	times := build(&b, shaders.Lagtm(), shaders.LagtmSpec{LocalSize: b.threads(residualThreads)})
	return &TridiagonalResidual{newColumnSums(&b, n, m, ops), times}, b.err
}

// Work is n·256 elements at most.
func (r *TridiagonalResidual) Work() *vk.Layout { return vk.Together(r.sums.product) }

// Flops is the cost of the two products.
func (r *TridiagonalResidual) Flops() float64 {
	n, m := float64(r.sums.n), float64(r.sums.m)
	return lagtmFlops*n*m + 2*n*m*m
}

const lagtmFlops = 5 // three products and two sums an element

// Record is Residual.Record for T(d[n], e[n−1]).
func (r *TridiagonalResidual) Record(rec *vk.Recorder, ws *vk.Arena, d, e vk.Slice[float64], z product.Matrix, lambda, residual, orthogonality vk.Slice[float64]) {
	n := r.sums.n
	holds("the diagonal", d, n)
	holds("the off-diagonal", e, n-1)
	r.sums.record(rec, ws, z, lambda, residual, orthogonality, func(zj, p product.Matrix) {
		r.times.Dispatch(rec, vk.Folded(vk.Tiles(n, r.times.Spec.LocalSize)*zj.Cols), shaders.LagtmPush{
			D: d.Addr(), E: e.Addr(), Z: zj.Addr(), P: p.Addr(),
			N: uint32(n), Cols: uint32(zj.Cols), Ldz: uint32(zj.Ld), Ldp: uint32(p.Ld),
		})
	})
}

// columnSums is what residuals have in common: some columns of Z at a time are multiplied
// and the difference summed.
type columnSums struct {
	n, m    int
	ops     product.Ops
	columns *vk.Kernel[shaders.ColumnResidualSpec, shaders.ColumnResidualPush[float64]]
	product vk.Region[float64]
}

const (
	residualThreads = 256 // at most
	residualBlock   = 256 // columns measured at a time: the workspace is n times this
)

func newColumnSums(b *builder, n, m int, ops product.Ops) columnSums {
	columns := build(b, shaders.ColumnResidual[float64](), shaders.ColumnResidualSpec{LocalSize: b.threads(residualThreads)})
	return columnSums{n, m, ops, columns, vk.Reserve[float64]("residual", n*min(m, residualBlock))}
}

func (r columnSums) record(rec *vk.Recorder, ws *vk.Arena, z product.Matrix, lambda, residual, orthogonality vk.Slice[float64], times func(zj, p product.Matrix)) {
	m := z.Cols
	holds("the eigenvalues", lambda, m)
	holds("the residuals", residual, m)
	holds("the sums of ZᵀZ − I", orthogonality, m)
	for j := 0; j < m; j += residualBlock {
		cols := min(residualBlock, m-j)
		zj := z.Block(0, j, r.n, cols)
		push := shaders.ColumnResidualPush[float64]{Cols: uint32(cols), First: uint32(j), Ldy: uint32(z.Ld), Y: zj.Addr()}

		p := product.NewMatrix(r.product.In(ws), r.n, cols, r.n)
		times(zj, p)
		push.X, push.Ldx, push.Rows = p.Addr(), uint32(p.Ld), uint32(r.n)
		push.Lambda, push.Sums = lambda.From(j).Addr(), residual.From(j).Addr()
		r.columns.Dispatch(rec, vk.Folded(cols), push)

		g := product.NewMatrix(r.product.In(ws), m, cols, m)
		r.ops.Gemm(rec, ws, product.Trans, product.NoTrans, 1, z, zj, 0, g)
		push.X, push.Ldx, push.Rows = g.Addr(), uint32(g.Ld), uint32(m)
		push.Lambda, push.Sums = 0, orthogonality.From(j).Addr()
		r.columns.Dispatch(rec, vk.Folded(cols), push)
	}
}
