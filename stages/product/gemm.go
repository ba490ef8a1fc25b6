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
}

// newTiledGemm builds a kernel for each tile of the table, and the kernel that adds partial
// products. The error is a *vk.UnsupportedError if a tile does not fit the device, or another error
// of package vk.
func newTiledGemm[T spirv.Scalar](dev *vk.Device, t Tuning) (*tiledGemm[T], error) {
	g := &tiledGemm[T]{chooser: newChooser(t)}
	var err error
	if g.kernels, err = tileKernels[T](dev, t.Tiles, shaders.Gemm[T](), Tile.Spec); err != nil {
		return nil, err
	}
	g.sums, err = newPartialSums[T](dev, "partial products", g.capacity)
	return g, err
}

// Gemm implements the interface Ops. If the inner dimension is split, the partial products are
// stored in the arena ws, in the region that Work describes.
func (g *tiledGemm[T]) Gemm(
	rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha T, a, b Matrix[T], beta T, c Matrix[T],
) {
	g.GemmBatch(rec, ws, Batch{Count: 1}, opA, opB, alpha, a, b, beta, c)
}

// GemmUnsplit implements the interface Ops: a product whose inner dimension is not split. It uses
// no workspace.
func (g *tiledGemm[T]) GemmUnsplit(
	rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha T, a, b Matrix[T], beta T, c Matrix[T],
) {
	r := request[T]{opA, opB, alpha, beta, []Pair[T]{{a, b}}, c, Batch{Count: 1}}
	g.record(rec, ws, r, g.unsplit(r.problem()))
}

// GemmBatch implements the interface Ops. a, b and c are the matrices of the first product of the
// batch. All products have the same shapes.
func (g *tiledGemm[T]) GemmBatch(
	rec *vk.Recorder, ws *vk.Arena, batch Batch, opA, opB Op, alpha T, a, b Matrix[T], beta T, c Matrix[T],
) {
	r := request[T]{opA, opB, alpha, beta, []Pair[T]{{a, b}}, c, batch}
	g.record(rec, ws, r, g.choose(r.problem()))
}

// GemmPair implements the interface Ops. The two products that are added have the same shapes and
// the same inner dimension.
func (g *tiledGemm[T]) GemmPair(
	rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha T, first, second Pair[T], beta T, c Matrix[T],
) {
	r := request[T]{opA, opB, alpha, beta, []Pair[T]{first, second}, c, Batch{Count: 1}}
	g.record(rec, ws, r, g.choose(r.problem()))
}

// request describes one product of the interface Gemm. Dividing a request into blocks makes new
// requests, and does not change the old request.
type request[T spirv.Scalar] struct {
	opA, opB    Op
	alpha, beta T

	// `factors` has one pair of factors, or two pairs whose products are added.
	factors []Pair[T]

	// c is the result matrix of the product. In a batch, c is the result of the first product.
	c     Matrix[T]
	batch Batch
}

// inner returns the inner dimension of the product op(A)·op(B). It is 0 if α = 0, because the
// factors are not read in this case. inner panics if the shapes do not fit each other.
func (r *request[T]) inner() (k int) {
	one := r.factors[0].A
	for _, f := range r.factors {
		m, l := shapeOf(r.opA, f.A)
		var n int
		k, n = shapeOf(r.opB, f.B)
		if k != l || m != r.c.Rows || n != r.c.Cols || r.batch.Count < 0 ||
			f.A.Rows != one.Rows || f.A.Cols != one.Cols {
			panic(fmt.Sprintf("product: gemm of %d×%d by %d×%d into %d×%d, %d times",
				m, l, k, n, r.c.Rows, r.c.Cols, r.batch.Count))
		}
	}
	// With an inner dimension of 0, the kernels only scale C.
	if r.alpha == 0 {
		return 0
	}
	return k
}

// problem returns the properties that determine the choice of tile and split. If op(A) = Aᵀ, or if
// op(B) = B, the elements of the factor along the inner dimension are contiguous in memory. A tile
// that reads short slices of the inner dimension then reads only parts of cache lines. The strides
// of a batch do not matter.
func (r *request[T]) problem() problem {
	p := problem{m: r.c.Rows, n: r.c.Cols, k: r.inner(), count: r.batch.Count}
	if r.opA == Trans {
		p.alongK++
	}
	if r.opB == NoTrans {
		p.alongK++
	}
	return p
}

// shapeOf returns the numbers of rows and columns of op(m).
func shapeOf[T spirv.Scalar](o Op, m Matrix[T]) (rows, cols int) {
	if o == Trans {
		return m.Cols, m.Rows
	}
	return m.Rows, m.Cols
}

// word returns the operation as the number that the kernels read: 0 for NoTrans and 1 for Trans.
func (o Op) word() uint32 {
	if o == Trans {
		return 1
	}
	return 0
}

// record records a request with the given tile and split. If the product costs more flops than one
// dispatch may, it is divided into blocks of whole tiles of C. The blocks are ranges of columns, or
// also ranges of rows if one column of tiles costs too much. Each block has the tile and the split
// of the whole product, so that the division into blocks does not change the bits.
func (g *tiledGemm[T]) record(rec *vk.Recorder, ws *vk.Arena, r request[T], x splitK) {
	tile := g.tiles[x.tile]
	flops := 2 * float64(r.inner()) * float64(len(r.factors)) // of an element of C
	most := g.within(flops * float64(tile.M) * float64(tile.N))
	column := vk.Tiles(r.c.Rows, tile.M) // tiles
	all := column * vk.Tiles(r.c.Cols, tile.N)
	if r.batch.Count != 1 || all <= most {
		g.recordBatch(rec, ws, r, x, max(1, most/max(all, 1)))
		return
	}
	rows, cols := min(most, column)*int(tile.M), max(1, most/column)*int(tile.N)
	for j := 0; j < r.c.Cols; j += cols {
		for i := 0; i < r.c.Rows; i += rows {
			g.recordBatch(rec, ws, r.block(i, j, min(rows, r.c.Rows-i), min(cols, r.c.Cols-j)), x, 1)
		}
	}
}

// block returns the request for the rows×cols block of C that begins at row i and column j. The new
// request has the whole inner dimension. The request r is not changed. r must describe one product,
// not several.
func (r request[T]) block(i, j, rows, cols int) request[T] {
	factors := make([]Pair[T], len(r.factors))
	for k, f := range r.factors {
		if r.opA == Trans {
			f.A = f.A.Block(0, i, f.A.Rows, rows)
		} else {
			f.A = f.A.Block(i, 0, rows, f.A.Cols)
		}
		if r.opB == Trans {
			f.B = f.B.Block(j, 0, cols, f.B.Cols)
		} else {
			f.B = f.B.Block(0, j, f.B.Rows, cols)
		}
		factors[k] = f
	}
	r.factors, r.c = factors, r.c.Block(i, j, rows, cols)
	return r
}

// recordBatch records a request in dispatches of at most `most` products. A dispatch must also fit
// one dimension of a grid. If the inner dimension is split (split-K), the partial products of a
// dispatch are added before the next dispatch, so that all dispatches can use the same memory. If C
// would not change, nothing is recorded.
func (g *tiledGemm[T]) recordBatch(rec *vk.Recorder, ws *vk.Arena, r request[T], x splitK, most int) {
	k := r.inner()
	if r.c.Rows == 0 || r.c.Cols == 0 || k == 0 && r.beta == 1 { // C stays
		return
	}
	// These push constants are the same for all dispatches of the product.
	kernel, first := g.kernels[x.tile], r.factors[0]
	push := shaders.GemmPush[T]{
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
	// Partial products are packed and not scaled. The kernel that adds them scales the sum.
	if x.splits > 1 {
		push.Alpha, push.Beta, push.Ldc = 1, 0, push.M
		push.StrideC = uint64(r.c.Rows) * uint64(r.c.Cols)
	}
	grid := g.tiles[x.tile].Grid(r.c.Rows, r.c.Cols)
	// The z dimension of the grid is the number of products times the number of pieces into which
	// the inner dimension is split.
	for item := 0; item < r.batch.Count; {
		count := min(r.batch.Count-item, vk.MaxGroups()/x.splits, most)
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
