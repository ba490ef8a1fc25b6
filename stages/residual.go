package stages

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// Residual measures a set of eigenpairs on the device (dsyt22's two tests): the sums
// of magnitudes down each column of
//
//	A·Z − Z·diag(λ)   and   ZᵀZ − I
//
// whose largest are 1-norms. A is n×n with both triangles, Z n×m.
type Residual struct {
	n, m    int
	gemm    Gemm
	columns *vk.Kernel[shaders.ColumnResidualSpec, shaders.ColumnResidualPush]
	product vk.Region[float64]
}

const (
	residualThreads = 256
	residualBlock   = 256 // columns measured at a time: the workspace is n times this
)

// NewResidual prepares for m vectors of length n.
func NewResidual(dev *vk.Device, n, m int, gemm Gemm) (*Residual, error) {
	b := builder{dev: dev}
	r := &Residual{n: n, m: m, gemm: gemm}
	r.columns = build(&b, shaders.ColumnResidual(), shaders.ColumnResidualSpec{LocalSize: residualThreads})
	r.product = vk.Reserve[float64]("residual", n*min(m, residualBlock))
	return r, b.err
}

// Work is n·256 elements at most.
func (r *Residual) Work() *vk.Layout { return vk.Together(r.product) }

// Flops is the cost of the two products.
func (r *Residual) Flops() float64 { n, m := float64(r.n), float64(r.m); return 2*n*n*m + 2*n*m*m }

// Record measures. residual and orthogonality receive m sums each; a NaN in
// an input is a NaN in its sum. Outputs must not overlap inputs.
func (r *Residual) Record(rec *vk.Recorder, ws *vk.Arena, a, z Matrix, lambda, residual, orthogonality vk.Slice[float64]) {
	for j := 0; j < r.m; j += residualBlock {
		cols := min(residualBlock, r.m-j)
		zj := z.Block(0, j, r.n, cols)
		push := shaders.ColumnResidualPush{Cols: uint32(cols), First: uint32(j), Ldy: uint32(z.Ld), Y: zj.Addr()}

		p := NewMatrix(r.product.In(ws), r.n, cols, r.n)
		r.gemm.Record(rec, ws, NoTrans, NoTrans, 1, a, zj, 0, p)
		push.X, push.Ldx, push.Rows = p.Addr(), uint32(p.Ld), uint32(r.n)
		push.Lambda, push.Sums = lambda.From(j).Addr(), residual.From(j).Addr()
		r.columns.Dispatch(rec, vk.Folded(cols), push)

		g := NewMatrix(r.product.In(ws), r.m, cols, r.m)
		r.gemm.Record(rec, ws, Trans, NoTrans, 1, z, zj, 0, g)
		push.X, push.Ldx, push.Rows = g.Addr(), uint32(g.Ld), uint32(r.m)
		push.Lambda, push.Sums = 0, orthogonality.From(j).Addr()
		r.columns.Dispatch(rec, vk.Folded(cols), push)
	}
}
