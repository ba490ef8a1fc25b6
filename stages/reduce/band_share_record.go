package reduce

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// In the methods of this file, `a` is the memory of the device's columns of A, with Elements
// elements. `band` has 2b·n elements, of which each device writes those of its own columns. t has
// b·b elements for each panel of the whole matrix. c is the first column of a panel.

// RecordBegin prepares `band`, the workspace and the INFO word. It completes the diagonal blocks of
// the device's columns from their lower triangles.
func (r *BandShare[T]) RecordBegin(rec *vk.Recorder, ws *vk.Arena, a, band vk.Slice[T]) {
	vk.Fill(rec, band.Sub(0, 2*r.B*r.N), 0)
	r.qr.Begin(rec, ws)
	r.multiply.RecordBegin(rec, ws)
	for _, j := range r.own.Blocks {
		m := r.Block(ws, a, j)
		r.mirror.Record(rec, m.Block(0, 0, m.Cols, m.Cols), move.Triangle{}, 1)
	}
}

type panelShare[T spirv.Scalar] struct {
	*BandShare[T]
	c, top int // first column, and first row of the reflectors
	j      int // number of the block of columns
	begin  int // first column of the block

	// Y and Z of the pending update, from row `begin` on. The first `pending` columns are in use.
	y, z    product.Matrix[T]
	pending int
}

func (r *BandShare[T]) panel(ws *vk.Arena, a vk.Slice[T], c int) panelShare[T] {
	j := r.blocks.Of(c)
	y := r.Block(ws, a, j)
	begin, _ := r.blocks.Columns(j)
	return panelShare[T]{
		BandShare: r, c: c, top: c + r.B, j: j, begin: begin, pending: c - begin,
		y: y, z: product.NewMatrix(r.z.In(ws), y.Rows, y.Cols, y.Ld),
	}
}

func (p *panelShare[T]) at(row, from, to int) (y, z product.Matrix[T]) {
	i := row - p.begin
	return p.y.Block(i, from, p.y.Rows-i, to-from), p.z.Block(i, from, p.z.Rows-i, to-from)
}

func (p *panelShare[T]) reflectors() (y, z product.Matrix[T]) {
	return p.at(p.top, p.pending, p.pending+p.B)
}

// IsPanel tells whether there are rows below the diagonal block at column c. If there are none,
// RecordPanel only applies the pending update to this block.
func (r *BandShare[T]) IsPanel(c int) bool { return c+r.B < r.N }

// RecordPanel is for the device that has the panel. It applies the pending update to the panel and
// factors it. Afterwards Reflectors holds the reflectors of the panel, the first b elements of
// Triangle hold their factors τ, and `band` holds the triangle R. The other devices need copies of
// Reflectors and of Triangle.
func (r *BandShare[T]) RecordPanel(rec *vk.Recorder, ws *vk.Arena, a, band, t vk.Slice[T], c int) {
	rec.Phase(stages.PhaseBandReduction, r.flops(c), r.Flops())
	p, b := r.panel(ws, a, c), r.B
	if p.pending > 0 {
		cols := min(b, r.N-c)
		y, z := p.at(c, 0, p.pending)
		r.products.GemmPair(rec, ws, product.NoTrans, product.Adjoint, -1,
			product.Pair[T]{A: y, B: z.Block(0, 0, cols, p.pending)}, product.Pair[T]{A: z, B: y.Block(0, 0, cols, p.pending)},
			1, p.y.Block(p.pending, p.pending, r.N-c, cols))
	}
	if !r.IsPanel(c) {
		return
	}
	y, _ := p.reflectors()
	// R lies in the band as BandReduction explains.
	upper := product.NewMatrix(band.Sub(b+c*2*b, (b-1)*(2*b-1)+b), b, b, 2*b-1)
	r.qr.RecordNext(rec, ws, y, upper, r.Triangle(t, c).Sub(0, b))
}

// Triangle returns the memory of the factor T of the panel, which RecordUpdate computes. Before,
// its first b elements are the factors τ of the reflectors.
func (r *BandShare[T]) Triangle(t vk.Slice[T], c int) vk.Slice[T] {
	return t.Sub(c/r.B*r.B*r.B, r.B*r.B)
}

// Reflectors returns the memory of the reflectors of the panel. On the device that has the panel,
// the reflectors lie in the panel. On the other devices they lie in a copy of the same length.
func (r *BandShare[T]) Reflectors(ws *vk.Arena, a vk.Slice[T], c int) vk.Slice[T] {
	p := r.panel(ws, a, c)
	y, _ := p.reflectors()
	return y.At
}

// RecordProduct computes the device's part of P = (A − Y·Zᴴ − Z·Yᴴ)·y, and returns its memory. If
// the device has no columns of the trailing matrix, its part of A·y is zero. RecordProduct also
// computes yᴴ·y, which RecordUpdate needs.
func (r *BandShare[T]) RecordProduct(rec *vk.Recorder, ws *vk.Arena, a vk.Slice[T], c int) vk.Slice[T] {
	rec.Phase(stages.PhaseBandReduction, r.flops(c), r.Flops())
	p, b := r.panel(ws, a, c), r.B
	from, to := r.pendingPart(p.pending)
	m, part := r.N-p.top, to-from
	sum := product.NewMatrix(r.Part(ws, c, r.device), m, b, m)
	y, _ := p.reflectors()
	oldY, oldZ := p.at(p.top, from, to)
	yy, zy := small(r.s, ws, 0, part, b), small(r.s, ws, part, part, b)
	r.multiply.Record(rec, ws, a, p.top, y, sum,
		product.Product[T]{OpA: product.Adjoint, A: y, B: y, C: small(r.gram, ws, 0, b, b)},
		product.Product[T]{OpA: product.Adjoint, A: oldY, B: y, C: yy},
		product.Product[T]{OpA: product.Adjoint, A: oldZ, B: y, C: zy})
	if part > 0 {
		r.products.GemmPair(rec, ws, product.NoTrans, product.NoTrans, -1,
			product.Pair[T]{A: oldY, B: zy}, product.Pair[T]{A: oldZ, B: yy}, 1, sum)
	}
	return sum.At
}

// Part returns the memory for the given device's part of P. It has n−c−b rows and b columns,
// without gaps.
func (r *BandShare[T]) Part(ws *vk.Arena, c, device int) vk.Slice[T] {
	elements := (r.N - c - r.B) * r.B
	return r.p.In(ws).Sub(device*elements, elements)
}

func (r *BandShare[T]) trailing(top int) (blocks []int) {
	for _, j := range r.own.Blocks {
		if _, to := r.blocks.Columns(j); to > top {
			blocks = append(blocks, j)
		}
	}
	return blocks
}

// pendingPart returns the columns of Y and Z with which this device corrects P, if `pending`
// columns are in use. They are the columns of some whole panels.
func (r *BandShare[T]) pendingPart(pending int) (from, to int) {
	end := func(device int) int {
		if device < 0 {
			return 0
		}
		return int(r.parts[device]*float64(pending/r.B)+0.5) * r.B
	}
	return end(r.device - 1), end(r.device)
}

// RecordUpdate computes T and the columns z of the panel from the parts of all devices (Part) and
// the factors τ (Triangle). After the last panel of a block, it also updates the device's columns
// of the trailing matrix.
func (r *BandShare[T]) RecordUpdate(rec *vk.Recorder, ws *vk.Arena, a, t vk.Slice[T], c int) {
	rec.Phase(stages.PhaseBandReduction, r.flops(c), r.Flops())
	p, b := r.panel(ws, a, c), r.B
	m, triangle := r.N-p.top, r.Triangle(t, c)
	y, z := p.reflectors()
	sum := product.NewMatrix(r.sum.In(ws).Sub(0, m*b), m, b, m)
	r.sums.Record(rec, r.p.In(ws), len(r.parts), sum)
	x, between := small(r.x, ws, 0, b, b), small(r.between, ws, 0, b, b)
	// T is not computed in the place of the factors τ, because all workgroups read τ.
	factor, second := small(r.factors, ws, 0, b, b), small(r.factors, ws, b, b, b)
	rec.Beside(func() {
		r.factor.Record(rec, small(r.gram, ws, 0, b, b), triangle.Sub(0, b), factor, second, panel.TimesFactor[T]{}, panel.TimesFactor[T]{})
	}, func() { r.products.Gemm(rec, ws, product.Adjoint, product.NoTrans, 1, y, sum, 0, x) })
	rec.Beside(func() { vk.Copy(rec, triangle, factor.At) }, func() {
		r.middle.Dispatch(rec, vk.Grid(b), shaders.Sy2sbMiddlePush[T]{
			X: x.Addr(), T: factor.Addr(), N: between.Addr(), Ldt: uint32(factor.Ld), Ldn: uint32(between.Ld),
		}, vk.Touches(x.At), vk.Touches(factor.At), vk.Touches(between.At))
	})
	r.products.GemmPair(rec, ws, product.NoTrans, product.NoTrans, 1,
		product.Pair[T]{A: sum, B: factor}, product.Pair[T]{A: y, B: between}, 0, z)
	if p.top%r.K != 0 {
		return
	}
	var blocks []product.ColumnBlock[T]
	for _, j := range r.trailing(p.top) {
		from, _ := r.blocks.Columns(j)
		blocks = append(blocks, product.ColumnBlock[T]{First: from - p.top, C: r.Block(ws, a, j)})
	}
	y, z = p.at(p.top, 0, r.K)
	r.updates.Syr2kColumns(rec, ws, y, z, blocks)
}

// RecordEnd copies the diagonal blocks of the device's columns to `band`, and sets the elements of
// the columns above the reflectors to zero.
func (r *BandShare[T]) RecordEnd(rec *vk.Recorder, ws *vk.Arena, a, band vk.Slice[T]) {
	for _, j := range r.own.Blocks {
		m, segment := r.Block(ws, a, j), r.Band(band, j)
		grid := vk.Folded(vk.Tiles(m.Cols, r.extract.Spec.LocalSize) * vk.Tiles(m.Cols, uint32(r.B)))
		r.extract.Dispatch(rec, grid, shaders.BandExtractPush[T]{
			A: m.Addr(), Band: segment.Addr(), N: uint32(m.Cols), B: uint32(r.B), Ld: uint32(m.Ld),
		})
	}
}

func (r *BandShare[T]) Band(band vk.Slice[T], j int) vk.Slice[T] {
	from, to := r.blocks.Columns(j)
	return band.Sub(2*r.B*from, 2*r.B*(to-from))
}
