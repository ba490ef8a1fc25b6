package product

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// tiledSymm implements Symm with the tiles of tiledGemm. A tile of A to the right of the diagonal
// is read from below the diagonal, and transposed.
//
// Therefore each tile of A is read twice. With n columns of W, the product does n/4 flops per byte
// that is read, which is 8 flops per byte for 32 columns. This is the ratio of a device with 33
// TFLOP/s of FP64 and 4.3 TB/s, and most devices have a smaller ratio. Reading each tile only once
// would save bandwidth, which is not the bottleneck, and would need a sum over workgroups.
type tiledSymm[T spirv.Scalar] struct {
	chooser
	kernels []*vk.Kernel[shaders.SymmSpec, shaders.SymmPush[T]] // one for each tile
	sums    partialSums[T]
}

func newTiledSymm[T spirv.Scalar](dev *vk.Device, t Tuning) (*tiledSymm[T], error) {
	s := &tiledSymm[T]{chooser: newChooser(t)}
	spec := func(tile Tile) shaders.SymmSpec { return shaders.SymmSpec(tile.Spec()) }
	var err error
	if s.kernels, err = tileKernels[T](dev, t.Tiles, shaders.Symm[T](), spec); err != nil {
		return nil, err
	}
	s.sums, err = newPartialSums[T](dev, "partial symmetric products", s.capacity)
	return s, err
}

func (s *tiledSymm[T]) Symm(rec *vk.Recorder, ws *vk.Arena, a, w, p Matrix[T]) {
	s.record(rec, ws, a, w, p, s.chooseFor(p))
}

func (s *tiledSymm[T]) chooseFor(p Matrix[T]) splitK {
	return s.choose(problem{m: p.Rows, n: p.Cols, k: p.Rows, count: 1, alongK: 2})
}

// Hold does nothing, because no factor is converted.
func (s *tiledSymm[T]) Hold(*vk.Recorder, *vk.Arena, Matrix[T]) {}

func (s *tiledSymm[T]) HeldWork() *vk.Layout { return vk.Together() }

func (s *tiledSymm[T]) record(rec *vk.Recorder, ws *vk.Arena, a, w, p Matrix[T], x splitK) {
	parts := s.sums.room(ws, 0, x.partials(p.Rows*p.Cols))
	s.multiply(rec, a, w, p, x, parts)
	s.add(rec, a, w, p, x, parts)
}

// tilesOf returns the number of tiles of P, and the largest number of tiles that one dispatch may
// compute. P is the result.
func (s *tiledSymm[T]) tilesOf(p Matrix[T], x splitK) (all, most int) {
	tile := s.tiles[x.tile]
	return vk.Tiles(p.Rows, tile.M) * vk.Tiles(p.Cols, tile.N), s.within(2 * float64(tile.M) * float64(tile.N) * float64(p.Rows))
}

// multiply records the dispatches of the product A·W. The kernel writes the result P, or the
// partial products to `parts` if the inner dimension is split.
func (s *tiledSymm[T]) multiply(rec *vk.Recorder, a, w, p Matrix[T], x splitK, parts vk.Slice[T]) {
	m, n := p.Rows, p.Cols
	if a.Rows != m || a.Cols != m || w.Rows != m || w.Cols != n {
		panic(fmt.Sprintf("product: symm of %d×%d by %d×%d into %d×%d",
			a.Rows, a.Cols, w.Rows, w.Cols, m, n))
	}
	if m == 0 || n == 0 {
		return
	}
	// The inner dimension of the product is m, the order of A.
	push := shaders.SymmPush[T]{
		A: a.Addr(), W: w.Addr(), P: p.Addr(),
		M: uint32(m), N: uint32(n), Lda: uint32(a.Ld), Ldw: uint32(w.Ld), Ldp: uint32(p.Ld),
		Stretch: uint32(x.depth),
	}
	touch := []vk.Touch{vk.Touches(a.At), vk.Touches(w.At), vk.Touches(p.At)}
	if x.splits > 1 {
		push.P, push.Ldp, push.StrideP = parts.Addr(), push.M, uint64(m)*uint64(n)
		touch[2] = vk.Touches(parts)
	}
	tiles, most := s.tilesOf(p, x)
	inDispatches(rec, tiles, most, x.splits, 2*float64(m)*float64(m)*float64(n), func(first, count uint32, grid vk.Groups) {
		push.First, push.Count = first, count
		s.kernels[x.tile].Dispatch(rec, grid, push, touch...)
	})
}

// inDispatches divides the tiles of a product into dispatches of at most `most` tiles. It calls
// `dispatch` for each of them, with the number of the first tile, the number of tiles, and a grid
// that has `splits` workgroups in z for each tile. `flops` is the cost of the whole product.
func inDispatches(rec *vk.Recorder, tiles, most, splits int, flops float64, dispatch func(first, count uint32, grid vk.Groups)) {
	for first := 0; first < tiles; first += most {
		count := min(most, tiles-first)
		grid := vk.Folded(count)
		grid.Z = splits
		dispatch(uint32(first), uint32(count), grid)
		rec.Costs(flops * float64(count) / float64(tiles))
	}
}

func (s *tiledSymm[T]) add(rec *vk.Recorder, a, w, p Matrix[T], x splitK, parts vk.Slice[T]) {
	if x.splits > 1 && p.Rows > 0 && p.Cols > 0 {
		s.sums.record(rec, parts, x.splits, single(NoTrans, NoTrans, 1, Pair[T]{a, w}, 0, p))
	}
}
