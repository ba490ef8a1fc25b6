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
	kernels []*vk.Kernel[shaders.GemmSpec, shaders.GemmPush[float64]] // one a tile
	parts   parts
}

// NewTiledGemm builds the kernels. It refuses tiles that the device cannot run.
func NewTiledGemm(dev *vk.Device, t ProductTuning) (*TiledGemm, error) {
	b := builder{dev: dev}
	g := &TiledGemm{cutter: newCutter(t)}
	for _, tile := range t.Tiles {
		if err := tile.fits(dev); err != nil {
			return nil, err
		}
		g.kernels = append(g.kernels, build(&b, shaders.Gemm[float64](), tile.spec()))
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
	p := product{opA, opB, alpha, beta, []pair{{a, b}}, c, batch}
	g.record(rec, ws, p, g.choose(c.Rows, c.Cols, p.inner(), batch.Count, p.across()))
}

// RecordPair implements GemmPair.
func (g *TiledGemm) RecordPair(rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha float64, a1, b1, a2, b2 Matrix, beta float64, c Matrix) {
	p := product{opA, opB, alpha, beta, []pair{{a1, b1}, {a2, b2}}, c, Batch{Count: 1}}
	g.record(rec, ws, p, g.choose(c.Rows, c.Cols, p.inner(), 1, p.across()))
}

// product is one call of RecordBatch or RecordPair.
type product struct {
	opA, opB    Op
	alpha, beta float64
	factors     []pair // one or two
	c           Matrix
	batch       Batch
}

type pair struct{ a, b Matrix }

// inner is the inner dimension that counts: none if α = 0, when the factors are
// not read. It panics if the shapes do not match.
func (p *product) inner() (k int) {
	for _, f := range p.factors {
		m, l := p.opA.shape(f.a)
		var n int
		k, n = p.opB.shape(f.b)
		if k != l || m != p.c.Rows || n != p.c.Cols || p.batch.Count < 0 || f.a.Rows != p.factors[0].a.Rows || f.a.Cols != p.factors[0].a.Cols {
			panic(fmt.Sprintf("stages: gemm of %d×%d by %d×%d into %d×%d, %d times", m, l, k, n, p.c.Rows, p.c.Cols, p.batch.Count))
		}
	}
	if p.alpha == 0 {
		return 0
	}
	return k
}

// across is how many of a product's two factors lie with the inner dimension along memory.
func (p *product) across() (n int) {
	if p.opA == Trans {
		n++
	}
	if p.opB == NoTrans {
		n++
	}
	return n
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

func (g *TiledGemm) record(rec *vk.Recorder, ws *vk.Arena, p product, x cut) {
	k := p.inner()
	if p.c.Rows == 0 || p.c.Cols == 0 || k == 0 && p.beta == 1 {
		return
	}
	kernel, first := g.kernels[x.tile], p.factors[0]
	push := shaders.GemmPush[float64]{
		Alpha: p.alpha, Beta: p.beta,
		M: uint32(p.c.Rows), N: uint32(p.c.Cols), K: uint32(k), Lda: uint32(first.a.Ld), Ldb: uint32(first.b.Ld), Ldc: uint32(p.c.Ld),
		TransA: p.opA.word(), TransB: p.opB.word(), Splits: uint32(x.splits), Stretch: uint32(x.stretch),
		StrideA: uint64(p.batch.StrideA), StrideB: uint64(p.batch.StrideB), StrideC: uint64(p.batch.StrideC),
	}
	if len(p.factors) > 1 {
		second := p.factors[1]
		push.A2, push.B2, push.Lda2, push.Ldb2 = second.a.Addr(), second.b.Addr(), uint32(second.a.Ld), uint32(second.b.Ld)
	}
	if x.splits > 1 {
		push.Alpha, push.Beta, push.Ldc = 1, 0, push.M
		push.StrideC = uint64(p.c.Rows) * uint64(p.c.Cols)
	}
	grid := g.tiles[x.tile].grid(p.c.Rows, p.c.Cols)
	for item := 0; item < p.batch.Count; {
		count := min(p.batch.Count-item, vk.MostGroups()/x.splits)
		push.A, push.B = first.a.Addr().Plus(item*p.batch.StrideA), first.b.Addr().Plus(item*p.batch.StrideB)
		c := p.c
		c.At = c.At.From(item * p.batch.StrideC)
		push.C = c.Addr()
		if x.splits > 1 {
			push.C = g.parts.room(ws, count*x.splits*c.Rows*c.Cols)
		}
		grid.Z = count * x.splits
		kernel.Dispatch(rec, grid, push)
		rec.Costs(2 * float64(p.c.Rows) * float64(p.c.Cols) * float64(k) * float64(count*len(p.factors)))
		if x.splits > 1 {
			g.parts.record(rec, ws, x.splits, count, p.alpha, p.beta, c, p.batch.StrideC)
		}
		item += count
	}
}
