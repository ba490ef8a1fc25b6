package product

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// tiledGemm implements Gemm with one workgroup for each tile of C. If C has too few tiles to fill
// the device, the inner dimension is split (split-K), and a second dispatch adds the partial
// products.
type tiledGemm[T spirv.Scalar] struct {
	chooser
	kernels []*vk.Kernel[shaders.GemmSpec, shaders.GemmPush[T]] // one for each tile
	sums    partialSums[T]
	columns int // columns of a product of Gemmtr: gemmtrColumns, or fewer in tests
}

// newTiledGemm builds a kernel for each tile of the table, and the kernel that adds partial
// products. The error is a *vk.UnsupportedError if a tile does not fit the device.
func newTiledGemm[T spirv.Scalar](dev *vk.Device, t Tuning) (*tiledGemm[T], error) {
	g := &tiledGemm[T]{chooser: newChooser(t), columns: gemmtrColumns}
	var err error
	if g.kernels, err = tileKernels[T](dev, t.Tiles, shaders.Gemm[T](), Tile.Spec); err != nil {
		return nil, err
	}
	g.sums, err = newPartialSums[T](dev, "partial products", g.capacity)
	return g, err
}

func (g *tiledGemm[T]) Gemm(
	rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha float64, a, b Matrix[T], beta float64, c Matrix[T],
) {
	g.GemmBatch(rec, ws, Batch{Count: 1}, opA, opB, alpha, a, b, beta, c)
}

func (g *tiledGemm[T]) GemmUnsplit(
	rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha float64, a, b Matrix[T], beta float64, c Matrix[T],
) {
	r := single(opA, opB, alpha, Pair[T]{a, b}, beta, c)
	g.record(rec, ws, r, g.unsplit(r.problem()))
}

func (g *tiledGemm[T]) GemmBatch(
	rec *vk.Recorder, ws *vk.Arena, batch Batch, opA, opB Op, alpha float64, a, b Matrix[T], beta float64, c Matrix[T],
) {
	r := single(opA, opB, alpha, Pair[T]{a, b}, beta, c)
	r.batch = batch
	g.record(rec, ws, r, g.choose(r.problem()))
}

func (g *tiledGemm[T]) GemmPair(
	rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha float64, first, second Pair[T], beta float64, c Matrix[T],
) {
	r := single(opA, opB, alpha, first, beta, c)
	r.factors = append(r.factors, second)
	g.record(rec, ws, r, g.choose(r.problem()))
}

// request is one product of the interface Gemm. Dividing a request into blocks makes new requests,
// and does not change the old one.
type request[T spirv.Scalar] struct {
	opA, opB    Op
	alpha, beta float64

	// `factors` has one pair of factors, or two pairs whose products are added.
	factors []Pair[T]

	// c is the result. For a batch it is the result of the first product.
	c     Matrix[T]
	batch Batch

	// `first` is the number of products of the batch that are left out at its beginning.
	first int
}

func single[T spirv.Scalar](opA, opB Op, alpha float64, factors Pair[T], beta float64, c Matrix[T]) request[T] {
	return request[T]{opA: opA, opB: opB, alpha: alpha, beta: beta, factors: []Pair[T]{factors}, c: c, batch: Batch{Count: 1}}
}

// inner returns the inner dimensions of the first and of the second product of a pair. The second
// one is 0 if there is no pair. Both dimensions are 0 if α = 0, because the factors are not read
// then. inner panics if the shapes do not fit each other.
func (r *request[T]) inner() (k [2]int) {
	for i, f := range r.factors {
		m, l := shapeOf(r.opA, f.A)
		inner, n := shapeOf(r.opB, f.B)
		if inner != l || m != r.c.Rows || n != r.c.Cols || r.batch.Count < 0 {
			panic(fmt.Sprintf("product: gemm of %d×%d by %d×%d into %d×%d, %d times",
				m, l, inner, n, r.c.Rows, r.c.Cols, r.batch.Count))
		}
		k[i] = inner
	}
	// α = 0 is handled as an inner dimension of 0. Then the kernels only scale the result by β.
	if r.alpha == 0 {
		return [2]int{}
	}
	return k
}

// problem returns the properties that determine the choice of tile and split. If op(A) transposes,
// or if op(B) does not, the elements of the factor along the inner dimension are contiguous in
// memory. Then a tile that reads short slices of the inner dimension reads parts of cache lines.
func (r *request[T]) problem() problem {
	k := r.inner()
	p := problem{m: r.c.Rows, n: r.c.Cols, k: max(k[0], k[1]), count: r.batch.Count}
	if r.opA.Transposes() {
		p.alongK++
	}
	if !r.opB.Transposes() {
		p.alongK++
	}
	return p
}

func shapeOf[T spirv.Scalar](o Op, m Matrix[T]) (rows, cols int) {
	if o.Transposes() {
		return m.Cols, m.Rows
	}
	return m.Rows, m.Cols
}

func (r *request[T]) operations() (word uint32) {
	if r.opA.Transposes() {
		word |= shaders.GemmTransA
	}
	if r.opB.Transposes() {
		word |= shaders.GemmTransB
	}
	if !spirv.KindOf[T]().IsComplex() {
		return word
	}
	if r.opA.Conjugates() {
		word |= shaders.GemmConjA
	}
	if r.opB.Conjugates() {
		word |= shaders.GemmConjB
	}
	return word
}

// record records a request with the given tile and split. A batch is divided into dispatches of
// whole products. If a single product costs more flops than one dispatch may, this product is
// divided into blocks of whole tiles of C: ranges of columns, or also of rows if one column of
// tiles costs too much. Each block has the tile and the split of the whole product, so that the
// bits stay the same.
func (g *tiledGemm[T]) record(rec *vk.Recorder, ws *vk.Arena, r request[T], x splitK) {
	tile := g.tiles[x.tile]
	all, most := g.tilesOf(&r, x)
	if r.batch.Count != 1 || all <= most {
		g.recordBatch(rec, ws, r, x, max(1, most/max(all, 1)))
		return
	}
	column := vk.Tiles(r.c.Rows, tile.M) // number of tiles in a column of tiles
	rows, cols := min(most, column)*int(tile.M), max(1, most/column)*int(tile.N)
	for j := 0; j < r.c.Cols; j += cols {
		for i := 0; i < r.c.Rows; i += rows {
			g.recordBatch(rec, ws, r.block(i, j, min(rows, r.c.Rows-i), min(cols, r.c.Cols-j)), x, 1)
		}
	}
}

// tilesOf returns the number of tiles of the result, and the largest number of tiles that one
// dispatch may compute.
func (g *tiledGemm[T]) tilesOf(r *request[T], x splitK) (all, most int) {
	tile, inner := g.tiles[x.tile], r.inner()
	flops := 2 * float64(inner[0]+inner[1]) // cost of one element of C
	return vk.Tiles(r.c.Rows, tile.M) * vk.Tiles(r.c.Cols, tile.N), g.within(flops * float64(tile.M) * float64(tile.N))
}

// block returns the request for the rows×cols block of the result that begins at row i and column
// j. r must describe one product.
func (r request[T]) block(i, j, rows, cols int) request[T] {
	factors := make([]Pair[T], len(r.factors))
	for k, f := range r.factors {
		if r.opA.Transposes() {
			f.A = f.A.Block(0, i, f.A.Rows, rows)
		} else {
			f.A = f.A.Block(i, 0, rows, f.A.Cols)
		}
		if r.opB.Transposes() {
			f.B = f.B.Block(j, 0, cols, f.B.Cols)
		} else {
			f.B = f.B.Block(0, j, f.B.Rows, cols)
		}
		factors[k] = f
	}
	r.factors, r.c = factors, r.c.Block(i, j, rows, cols)
	return r
}

// recordBatch records a request in dispatches of at most `most` products, but not more than fit one
// dimension of a grid. The partial products of a dispatch are added before the next dispatch, so
// that all use the same memory. If the result would not change, nothing is recorded.
func (g *tiledGemm[T]) recordBatch(rec *vk.Recorder, ws *vk.Arena, r request[T], x splitK, most int) {
	if r.leavesC() {
		return
	}
	for item := 0; item < r.batch.Count; {
		count := min(r.batch.Count-item, vk.MaxGroups()/x.splits, most)
		part := r.items(item, count)
		parts := g.sums.room(ws, 0, part.partials(x))
		g.multiply(rec, part, x, parts)
		g.add(rec, part, x, parts)
		item += count
	}
}

func (r *request[T]) leavesC() bool {
	return r.c.Rows == 0 || r.c.Cols == 0 || r.inner() == [2]int{} && r.beta == 1
}

func (r request[T]) items(first, count int) request[T] {
	r.first, r.batch.Count = first, count
	return r
}

func (r *request[T]) partials(x splitK) int {
	return x.partials(r.batch.Count * r.c.Rows * r.c.Cols)
}

// multiply records the dispatch of a request. The kernel writes the result, or the partial products
// to `parts` with split-K.
func (g *tiledGemm[T]) multiply(rec *vk.Recorder, r request[T], x splitK, parts vk.Slice[T]) {
	kernel, first, k := g.kernels[x.tile], r.factors[0], r.inner()
	push := shaders.GemmPush[T]{
		A: first.A.Addr().Plus(r.first * r.batch.StrideA), B: first.B.Addr().Plus(r.first * r.batch.StrideB),
		C: r.c.Addr().Plus(r.first * r.batch.StrideC), Alpha: spirv.RealBitsOf[T](r.alpha), Beta: spirv.RealBitsOf[T](r.beta),
		M: uint32(r.c.Rows), N: uint32(r.c.Cols), K: uint32(k[0]), K2: uint32(k[1]),
		Lda: uint32(first.A.Ld), Ldb: uint32(first.B.Ld), Ldc: uint32(r.c.Ld),
		Trans: r.operations(), Splits: uint32(x.splits), Stretch: uint32(x.depth),
		StrideA: uint64(r.batch.StrideA), StrideB: uint64(r.batch.StrideB), StrideC: uint64(r.batch.StrideC),
	}
	touch := []vk.Touch{vk.Touches(first.A.At), vk.Touches(first.B.At), vk.Touches(r.c.At)}
	if len(r.factors) > 1 {
		second := r.factors[1]
		push.A2, push.B2 = second.A.Addr(), second.B.Addr()
		push.Lda2, push.Ldb2 = uint32(second.A.Ld), uint32(second.B.Ld)
		touch = append(touch, vk.Touches(second.A.At), vk.Touches(second.B.At))
	}
	// Partial products are packed and not scaled. The kernel that adds them scales the sum.
	if x.splits > 1 {
		push.Alpha, push.Beta, push.C, push.Ldc = spirv.RealBitsOf[T](1), spirv.RealBits{}, parts.Addr(), push.M
		push.StrideC = uint64(r.c.Rows) * uint64(r.c.Cols)
		touch[2] = vk.Touches(parts)
	}
	grid := g.tiles[x.tile].Grid(r.c.Rows, r.c.Cols)
	grid.Z = r.batch.Count * x.splits
	kernel.Dispatch(rec, grid, push, touch...)
	rec.Costs(2 * float64(r.c.Rows) * float64(r.c.Cols) * float64(k[0]+k[1]) * float64(r.batch.Count))
}

func (g *tiledGemm[T]) add(rec *vk.Recorder, r request[T], x splitK, parts vk.Slice[T]) {
	if x.splits > 1 {
		g.sums.record(rec, parts, x.splits, r)
	}
}
