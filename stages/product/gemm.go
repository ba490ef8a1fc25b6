package product

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// tiledGemm is Gemm with one workgroup for each tile of C. Where C has too few tiles to fill the device,
// the inner dimension is split (split-K), and a second dispatch adds the partial products.
type tiledGemm struct {
	chooser
	kernels []*vk.Kernel[shaders.GemmSpec, shaders.GemmPush[float64]] // one for each tile
	sums    partialSums
}

func newTiledGemm(dev *vk.Device, t Tuning) (*tiledGemm, error) {
	g := &tiledGemm{chooser: newChooser(t)}
	for _, tile := range t.Tiles {
		if err := tile.Fits(dev.Info()); err != nil {
			return nil, err
		}
		k, err := vk.Build(dev, shaders.Gemm[float64](), tile.Spec())
		if err != nil {
			return nil, err
		}
		g.kernels = append(g.kernels, k)
	}
	var err error
	g.sums, err = newPartialSums(dev, "partial products", g.capacity)
	return g, err
}

// Gemm implements Ops.
func (g *tiledGemm) Gemm(rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha float64, a, b Matrix, beta float64, c Matrix) {
	g.GemmBatch(rec, ws, Batch{Count: 1}, opA, opB, alpha, a, b, beta, c)
}

// GemmUnsplit implements Ops. It uses no workspace.
func (g *tiledGemm) GemmUnsplit(rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha float64, a, b Matrix, beta float64, c Matrix) {
	r := request{opA, opB, alpha, beta, []Pair{{a, b}}, c, Batch{Count: 1}}
	g.record(rec, ws, r, g.unsplit(r.problem()))
}

// GemmBatch implements Ops.
func (g *tiledGemm) GemmBatch(rec *vk.Recorder, ws *vk.Arena, batch Batch, opA, opB Op, alpha float64, a, b Matrix, beta float64, c Matrix) {
	r := request{opA, opB, alpha, beta, []Pair{{a, b}}, c, batch}
	g.record(rec, ws, r, g.choose(r.problem()))
}

// GemmPair implements Ops.
func (g *tiledGemm) GemmPair(rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha float64, first, second Pair, beta float64, c Matrix) {
	r := request{opA, opB, alpha, beta, []Pair{first, second}, c, Batch{Count: 1}}
	g.record(rec, ws, r, g.choose(r.problem()))
}

// request is one call of a method of Gemm.
type request struct {
	opA, opB    Op
	alpha, beta float64
	factors     []Pair // one or two
	c           Matrix
	batch       Batch
}

// inner is the inner dimension that is summed over: 0 if α = 0, when the factors are not read. It panics
// if the shapes do not fit each other.
func (r *request) inner() (k int) {
	one := r.factors[0].A
	for _, f := range r.factors {
		m, l := r.opA.shape(f.A)
		var n int
		k, n = r.opB.shape(f.B)
		if k != l || m != r.c.Rows || n != r.c.Cols || r.batch.Count < 0 || f.A.Rows != one.Rows || f.A.Cols != one.Cols {
			panic(fmt.Sprintf("product: gemm of %d×%d by %d×%d into %d×%d, %d times", m, l, k, n, r.c.Rows, r.c.Cols, r.batch.Count))
		}
	}
	if r.alpha == 0 {
		return 0
	}
	return k
}

// problem is what tile and split depend on.
func (r *request) problem() problem {
	p := problem{m: r.c.Rows, n: r.c.Cols, k: r.inner(), count: r.batch.Count}
	if r.opA == Trans {
		p.alongK++
	}
	if r.opB == NoTrans {
		p.alongK++
	}
	return p
}

// shape is the shape of op(m).
func (o Op) shape(m Matrix) (rows, cols int) {
	if o == Trans {
		return m.Cols, m.Rows
	}
	return m.Rows, m.Cols
}

// word is the operation as the kernels read it.
func (o Op) word() uint32 {
	if o == Trans {
		return 1
	}
	return 0
}

func (g *tiledGemm) record(rec *vk.Recorder, ws *vk.Arena, r request, x splitK) {
	k := r.inner()
	if r.c.Rows == 0 || r.c.Cols == 0 || k == 0 && r.beta == 1 {
		return
	}
	kernel, first := g.kernels[x.tile], r.factors[0]
	push := shaders.GemmPush[float64]{
		Alpha: r.alpha, Beta: r.beta,
		M: uint32(r.c.Rows), N: uint32(r.c.Cols), K: uint32(k),
		Lda: uint32(first.A.Ld), Ldb: uint32(first.B.Ld), Ldc: uint32(r.c.Ld),
		TransA: r.opA.word(), TransB: r.opB.word(), Splits: uint32(x.splits), Stretch: uint32(x.depth),
		StrideA: uint64(r.batch.StrideA), StrideB: uint64(r.batch.StrideB), StrideC: uint64(r.batch.StrideC),
	}
	if len(r.factors) > 1 {
		second := r.factors[1]
		push.A2, push.B2 = second.A.Addr(), second.B.Addr()
		push.Lda2, push.Ldb2 = uint32(second.A.Ld), uint32(second.B.Ld)
	}
	if x.splits > 1 {
		push.Alpha, push.Beta, push.Ldc = 1, 0, push.M
		push.StrideC = uint64(r.c.Rows) * uint64(r.c.Cols)
	}
	grid := g.tiles[x.tile].Grid(r.c.Rows, r.c.Cols)
	for item := 0; item < r.batch.Count; {
		count := min(r.batch.Count-item, vk.MostGroups()/x.splits)
		push.A, push.B = first.A.Addr().Plus(item*r.batch.StrideA), first.B.Addr().Plus(item*r.batch.StrideB)
		c := r.c
		c.At = c.At.From(item * r.batch.StrideC)
		push.C = c.Addr()
		if x.splits > 1 {
			push.C = g.sums.room(ws, count*x.splits*c.Rows*c.Cols)
		}
		grid.Z = count * x.splits
		kernel.Dispatch(rec, grid, push)
		rec.Costs(2 * float64(r.c.Rows) * float64(r.c.Cols) * float64(k) * float64(count*len(r.factors)))
		if x.splits > 1 {
			g.sums.record(rec, ws, x.splits, count, r.alpha, r.beta, c, r.batch.StrideC)
		}
		item += count
	}
}
