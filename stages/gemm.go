package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// TiledGemm is Gemm (dgemm) on the vector units, one workgroup a tile of C. Where
// C has too few tiles to fill the device, the inner dimension is split and the
// partial products are summed in a second dispatch, in fixed order.
type TiledGemm struct {
	cutter
	kernels []*vk.Kernel[shaders.GemmSpec, shaders.GemmPush] // one a tile
	parts   parts
}

// NewTiledGemm builds the kernels. It refuses tiles that the device cannot run.
func NewTiledGemm(dev *vk.Device, t ProductTuning) (*TiledGemm, error) {
	b := builder{dev: dev}
	g := &TiledGemm{cutter: newCutter(t.Tiles)}
	for _, tile := range t.Tiles {
		if err := tile.fits(dev); err != nil {
			return nil, err
		}
		g.kernels = append(g.kernels, build(&b, shaders.Gemm(), tile.spec()))
	}
	g.parts = newParts(&b, "partial products", g.room)
	return g, b.err
}

// Work is room for partial products.
func (g *TiledGemm) Work() *vk.Layout { return vk.Together(g.parts.region) }

// Record implements Gemm.
func (g *TiledGemm) Record(rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha float64, a, b Matrix, beta float64, c Matrix) {
	g.RecordBatch(rec, ws, Batch{Count: 1}, opA, opB, alpha, a, b, beta, c)
}

// RecordBatch implements Gemm.
func (g *TiledGemm) RecordBatch(rec *vk.Recorder, ws *vk.Arena, batch Batch, opA, opB Op, alpha float64, a, b Matrix, beta float64, c Matrix) {
	p := product{batch, opA, opB, alpha, beta, a, b, c}
	g.record(rec, ws, p, g.choose(c.Rows, c.Cols, p.inner(), batch.Count))
}

// product is one call of RecordBatch.
type product struct {
	batch       Batch
	opA, opB    Op
	alpha, beta float64
	a, b, c     Matrix
}

// inner is the inner dimension that counts: none if α = 0, when the factors are
// not read. It panics if the shapes do not match.
func (p *product) inner() int {
	m, k := p.opA.shape(p.a)
	l, n := p.opB.shape(p.b)
	if k != l || m != p.c.Rows || n != p.c.Cols || p.batch.Count < 0 {
		panic(fmt.Sprintf("stages: gemm of %d×%d by %d×%d into %d×%d, %d times", m, k, l, n, p.c.Rows, p.c.Cols, p.batch.Count))
	}
	if p.alpha == 0 {
		return 0
	}
	return k
}

// shape is that of op(m).
func (o Op) shape(m Matrix) (rows, cols int) {
	if o == Trans {
		return m.Cols, m.Rows
	}
	return m.Rows, m.Cols
}

func (o Op) word() uint32 {
	if o == Trans {
		return 1
	}
	return 0
}

// maxLayers is how many workgroups every device takes in z.
const maxLayers = 65535

func (g *TiledGemm) record(rec *vk.Recorder, ws *vk.Arena, p product, x cut) {
	k := p.inner()
	if p.c.Rows == 0 || p.c.Cols == 0 || k == 0 && p.beta == 1 {
		return
	}
	kernel := g.kernels[x.tile]
	push := shaders.GemmPush{
		Alpha: p.alpha, Beta: p.beta,
		M: uint32(p.c.Rows), N: uint32(p.c.Cols), K: uint32(k), Lda: uint32(p.a.Ld), Ldb: uint32(p.b.Ld), Ldc: uint32(p.c.Ld),
		TransA: p.opA.word(), TransB: p.opB.word(), Splits: uint32(x.splits), Stretch: uint32(x.stretch),
		StrideA: uint64(p.batch.StrideA), StrideB: uint64(p.batch.StrideB), StrideC: uint64(p.batch.StrideC),
	}
	if x.splits > 1 {
		push.Alpha, push.Beta, push.Ldc = 1, 0, push.M
		push.StrideC = uint64(p.c.Rows) * uint64(p.c.Cols)
	}
	grid := g.tiles[x.tile].grid(p.c.Rows, p.c.Cols)
	for first := 0; first < p.batch.Count; {
		count := min(p.batch.Count-first, maxLayers/x.splits)
		push.A, push.B = p.a.Addr().Plus(first*p.batch.StrideA), p.b.Addr().Plus(first*p.batch.StrideB)
		c := p.c
		c.At = c.At.From(first * p.batch.StrideC)
		push.C = c.Addr()
		if x.splits > 1 {
			push.C = g.parts.room(ws, count*x.splits*c.Rows*c.Cols)
		}
		grid.Z = count * x.splits
		kernel.Dispatch(rec, grid, push)
		rec.Costs(2 * float64(p.c.Rows) * float64(p.c.Cols) * float64(k) * float64(count))
		if x.splits > 1 {
			g.parts.record(rec, ws, x.splits, count, p.alpha, p.beta, c, p.batch.StrideC)
		}
		first += count
	}
}
