package product

import (
	"fmt"
	"slices"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// SymmColumns computes one device's part of a product P = A·W with a symmetric or Hermitian matrix
// A whose columns are divided among several devices (Columns):
//
//	P(i, j) = Σ A(i, k)·W(k, j)     over those k for which the device has column min(i, k) of A
//
// The sum of the parts of all devices is the product. If the device has a quarter of the elements
// of A, its part takes a quarter of the time of Symm. As in Symm, a part is one dispatch, or two if
// the inner dimension is split, or more if Tuning.Dispatch limits a dispatch.
type SymmColumns[T spirv.Scalar] struct {
	chooser // chooses among the tiles that fit the blocks
	columns Columns
	kernels []*vk.Kernel[shaders.SymmColumnsSpec, shaders.SymmColumnsPush[T]] // one for each tile
	sum     *vk.Kernel[shaders.SymmColumnsSumSpec, shaders.SymmColumnsSumPush[T]]
	gemm    *tiledGemm[T]     // products beside this one, and the memory of partial products
	own     vk.Region[uint32] // device memory of the table of the blocks
	table   []uint32          // contents of this table
}

// NewSymmColumns builds the kernels, with the tiles of t and the workspace t.Work for partial
// products. Tiles that lie in the rows of one block are preferred. If there are none, the product
// is slow.
func NewSymmColumns[T spirv.Scalar](dev *vk.Device, t *Tiled[T], c Columns) (*SymmColumns[T], error) {
	if c.N < 1 || c.Width < 1 {
		return nil, fmt.Errorf("product: blocks of %d columns of %d", c.Width, c.N)
	}
	c.check()
	s := &SymmColumns[T]{chooser: t.tiledSymm.chooser, columns: c, gemm: t.tiledGemm, table: c.table()}
	s.tiles, s.known = c.fitting(s.tiles), newChoices()
	var err error
	if s.kernels, err = tileKernels[T](dev, s.tiles, shaders.SymmColumns[T](), s.spec); err != nil {
		return nil, err
	}
	sum := shaders.SymmColumnsSumSpec{LocalSize: t.tiledGemm.sums.kernel.Spec.LocalSize}
	if s.sum, err = vk.Build(dev, shaders.SymmColumnsSum[T](), sum); err != nil {
		return nil, err
	}
	s.own = vk.Reserve[uint32]("table of columns", len(s.table))
	return s, nil
}

// fitting returns those tiles whose height divides the width of the blocks, so that the rows of a
// tile belong to one block. If there are none, it returns all tiles.
func (c Columns) fitting(tiles []Tile) []Tile {
	whole := slices.DeleteFunc(slices.Clone(tiles), func(t Tile) bool { return !c.whole(t) })
	if len(whole) == 0 {
		return tiles
	}
	return whole
}

// `whole` tells whether each tile of the result lies in the rows of one block.
func (c Columns) whole(t Tile) bool { return c.Width%int(t.M) == 0 }

func (s *SymmColumns[T]) spec(t Tile) shaders.SymmColumnsSpec {
	g := t.Spec()
	return shaders.SymmColumnsSpec{
		LocalSize: g.LocalSize, TileM: g.TileM, TileN: g.TileN, TileK: g.TileK,
		ThreadM: g.ThreadM, ThreadN: g.ThreadN, Unroll: g.Unroll, Buffers: g.Buffers, Packed: g.Packed, Width: uint32(s.columns.Width),
	}
}

// Work is the table of the blocks. It must not change between RecordBegin and the last product. The
// workspace of the Tiled must be in the arena, too.
func (s *SymmColumns[T]) Work() *vk.Layout { return vk.Together(s.own) }

func (s *SymmColumns[T]) RecordBegin(rec *vk.Recorder, ws *vk.Arena) {
	vk.SendFirst(rec, s.own.In(ws), s.table)
}

// Flops is the cost of the device's part of a product of the trailing matrix, which begins at row
// and column `top`, and a matrix with `cols` columns.
func (s *SymmColumns[T]) Flops(top, cols int) float64 {
	_, _, elements := s.columns.trailing(top)
	return 2 * elements * float64(cols)
}

// Record records the device's part of P ← A·W, and concurrently the products `others`. A is the
// trailing matrix that begins at row and column `top`. `a` is the memory of the device's columns,
// of which elements before row or column `top` may be NaN. W and P have N−top rows. The rules of
// GemmTogether hold for `others`, whose factors may overlap A and W.
func (s *SymmColumns[T]) Record(rec *vk.Recorder, ws *vk.Arena, a vk.Slice[T], top int, w, p Matrix[T], others ...Product[T]) {
	s.record(rec, ws, s.part(a, top, w, p), s.chooseFor(top, p.Cols), others...)
}

type columnsPart[T spirv.Scalar] struct {
	a    vk.Slice[T]
	top  int
	w, p Matrix[T]

	passed   int     // the device's columns before column `top`
	elements float64 // see Columns.trailing
}

func (s *SymmColumns[T]) part(a vk.Slice[T], top int, w, p Matrix[T]) columnsPart[T] {
	m := s.columns.N - top
	if top < 0 || p.Rows != m || w.Rows != m || w.Cols != p.Cols {
		panic(fmt.Sprintf("product: symm of columns of order %d from %d on by %d×%d into %d×%d",
			s.columns.N, top, w.Rows, w.Cols, p.Rows, p.Cols))
	}
	x := columnsPart[T]{a: a, top: top, w: w, p: p}
	x.passed, _, x.elements = s.columns.trailing(top)
	return x
}

func (s *SymmColumns[T]) chooseFor(top, cols int) splitK {
	m, longest := s.columns.N-top, s.longest(top)
	if longest == 0 || cols == 0 {
		return s.split(0, 1, 1)
	}
	p := problem{m: m, n: cols, k: longest, count: 1, alongK: 2}
	return s.known.of(p, func() splitK { return s.search(p, s.columns.rows(top)) })
}

// longest returns the largest inner dimension of a tile of the result, which is 0 if the device has
// no part of the trailing matrix that begins at `top`.
func (s *SymmColumns[T]) longest(top int) int {
	_, longest, _ := s.columns.trailing(top)
	if longest > 0 && !s.columns.whole(s.tiles[0]) {
		return s.columns.N - top // see symm_columns.comp
	}
	return longest
}

// search returns the tile and the split with the smallest predicted cost, as chooser.search does.
// But the device has only some elements of the matrix. A piece of the inner dimension in which it
// has none costs nothing, if each tile of the result lies in the rows of one block.
func (s *SymmColumns[T]) search(p problem, rows []blockRows) splitK {
	return s.cheapest(p, func(x splitK) float64 {
		t := s.tiles[x.tile]
		cols := vk.Tiles(p.n, t.N)
		groups := vk.Tiles(p.m, t.M) * cols * x.splits
		if s.columns.whole(t) {
			groups = 0
			for _, r := range rows {
				groups += vk.Tiles(r.rows, t.M) * cols * max(vk.Tiles(r.inner, uint32(x.depth)), 1)
			}
		}
		return s.costOf(x, p.alongK, groups, float64(groups)*float64(t.M*t.N))
	})
}

func (s *SymmColumns[T]) record(rec *vk.Recorder, ws *vk.Arena, x columnsPart[T], k splitK, others ...Product[T]) {
	tiles, most := s.tilesOf(x, k)
	s.gemm.jointly(others).beside(rec, ws, k.partials(x.p.Rows*x.p.Cols), tiles <= most,
		func(parts vk.Slice[T]) { s.multiply(rec, ws, x, k, parts) },
		func(parts vk.Slice[T]) { s.add(rec, ws, x, k, parts) })
}

// tilesOf returns the number of tiles of the result P, and the largest number of tiles that one
// dispatch may compute.
func (s *SymmColumns[T]) tilesOf(x columnsPart[T], k splitK) (all, most int) {
	tile, n := s.tiles[k.tile], s.columns.N
	rows := vk.Tiles(n, tile.M) - x.top/int(tile.M)
	return rows * vk.Tiles(x.p.Cols, tile.N), s.within(2 * float64(tile.M) * float64(tile.N) * float64(n-x.top))
}

// multiply records the dispatches of a product. The kernel writes the result, or the partial
// products to `parts` with split-K.
func (s *SymmColumns[T]) multiply(rec *vk.Recorder, ws *vk.Arena, x columnsPart[T], k splitK, parts vk.Slice[T]) {
	m, n, own := x.p.Rows, x.p.Cols, s.own.In(ws)
	if m == 0 || n == 0 {
		return
	}
	push := shaders.SymmColumnsPush[T]{
		Own: own.Addr(), W: x.w.Addr(), P: x.p.Addr(),
		N: uint32(s.columns.N), Top: uint32(x.top), Passed: uint32(x.passed),
		Cols: uint32(n), Ldw: uint32(x.w.Ld), Ldp: uint32(x.p.Ld), Stretch: uint32(k.depth),
	}
	touch := []vk.Touch{vk.Touches(own), vk.Touches(x.w.At), vk.Touches(x.p.At)}
	if x.a.Len() > 0 { // the device has columns
		push.A = x.a.Addr()
		touch = append(touch, vk.Touches(x.a))
	}
	if k.splits > 1 {
		push.P, push.Ldp, push.StrideP = parts.Addr(), uint32(m), uint64(m)*uint64(n)
		touch[2] = vk.Touches(parts)
	}
	tiles, most := s.tilesOf(x, k)
	inDispatches(rec, tiles, most, k.splits, 2*x.elements*float64(n), func(first, count uint32, grid vk.Groups) {
		push.First, push.Count = first, count
		s.kernels[k.tile].Dispatch(rec, grid, push, touch...)
	})
}

func (s *SymmColumns[T]) add(rec *vk.Recorder, ws *vk.Arena, x columnsPart[T], k splitK, parts vk.Slice[T]) {
	p, own := x.p, s.own.In(ws)
	if k.splits == 1 || p.Rows == 0 || p.Cols == 0 {
		return
	}
	lanes := lanesFor(k.splits)
	grid := vk.Folded(vk.Tiles(p.Rows*p.Cols, s.sum.Spec.LocalSize/lanes))
	s.sum.Dispatch(rec, grid, shaders.SymmColumnsSumPush[T]{
		Parts: parts.Addr(), C: p.Addr(), Alpha: spirv.RealBitsOf[T](1), M: uint32(p.Rows), N: uint32(p.Cols), Ldc: uint32(p.Ld),
		Splits: uint32(k.splits), Lanes: lanes, Own: own.Addr(), Order: uint32(s.columns.N), Top: uint32(x.top),
		Passed: uint32(x.passed), Stretch: uint32(k.depth), Width: uint32(s.columns.Width), Tile: s.tiles[k.tile].M,
	}, vk.Touches(parts), vk.Touches(p.At), vk.Touches(own))
}
