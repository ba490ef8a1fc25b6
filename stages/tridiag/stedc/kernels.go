package stedc

import (
	"slices"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// mergeKernels holds the kernels that form the eigenvectors of many merges of one level together. G
// consists of the rotations and the permutation of deflation, and S has the vectors of the secular
// equation:
//
//	W ← Q·G       gather
//	S             vectors
//	Q ← W·S       multiply, and deflated for the columns of W that are eigenvectors already
//
// The file merge.glsl says where these matrices lie in memory.
type mergeKernels[T spirv.Real] struct {
	tune    Tuning
	chooser product.Chooser // chooses the tile of multiply

	gather   *vk.Kernel[shaders.StedcGatherSpec, shaders.StedcGatherPush[T]]
	vectors  *vk.Kernel[shaders.StedcVectorsSpec, shaders.StedcVectorsPush[T]]
	deflated *vk.Kernel[shaders.StedcDeflatedSpec, shaders.StedcDeflatedPush[T]]
	multiply []*vk.Kernel[shaders.StedcMultiplySpec, shaders.StedcMultiplyPush[T]] // one kernel for each tile
}

func newMergeKernels[T spirv.Real](b *stages.Builder, tiles product.Tuning, t Tuning) mergeKernels[T] {
	s := mergeKernels[T]{tune: t, chooser: product.NewChooser(MergeTiles(tiles))}
	s.gather = stages.Build(b, shaders.StedcGather[T](), shaders.StedcGatherSpec{LocalSize: t.Threads})
	s.vectors = stages.Build(b, shaders.StedcVectors[T](), shaders.StedcVectorsSpec{LocalSize: t.Threads})
	s.deflated = stages.Build(b, shaders.StedcDeflated[T](), shaders.StedcDeflatedSpec{LocalSize: t.Threads})
	for _, tile := range s.chooser.Tiles() {
		if err := tile.Fits(b.Dev.Info()); err != nil && b.Err == nil {
			b.Err = err
		}
		s.multiply = append(s.multiply, stages.Build(b, shaders.StedcMultiply[T](), shaders.StedcMultiplySpec(tile.Spec())))
	}
	return s
}

// maxUnrolled is the largest number of multiply-adds in the unrolled inner loop of the kernel
// stedc_multiply. NVIDIA's compiler (580.159, H200) needs 14 s for a tile with 1024 multiply-adds,
// 2 s for 512 and 0.7 s for 256. For the kernel gemm it needs 0.7 s in all these cases. With 256
// the products are as fast as with 1024, because grouped merges are small and larger merges use
// product.Ops.
const maxUnrolled = 256

// MergeTiles returns the square tiles of the table t, or all tiles if no tile is square. Square
// tiles suit the products of merges, which are nearly square. In the result, the inner loops of the
// tiles have at most maxUnrolled multiply-adds.
func MergeTiles(t product.Tuning) product.Tuning {
	var square []product.Tile
	for _, tile := range t.Tiles {
		if tile.M == tile.N {
			square = append(square, tile)
		}
	}
	if len(square) == 0 {
		square = slices.Clone(t.Tiles)
	}
	for i := range square {
		tile := &square[i]
		for tile.Unroll%2 == 0 && tile.ThreadM*tile.ThreadN*tile.Unroll > maxUnrolled {
			tile.Unroll /= 2
		}
	}
	t.Tiles = square
	return t
}

// levelSizes holds the sizes for the dispatches of the merges of one level. Each size, except the
// flops, is the largest one among the merges.
type levelSizes struct {
	rows, half      int // rows of both halves of a merge, rows of its larger half
	columns, inner  int // columns and inner dimension of a product
	deflatedColumns int
	flops           float64 // flops of the products of all merges together
}

type levelBuffers[T spirv.Real] struct {
	merges  spirv.Addr[shaders.Merge]
	q, work spirv.Addr[T]
}

func (x levelBuffers[T]) from(count int) levelBuffers[T] {
	x.merges = x.merges.Plus(count)
	return x
}

// recordGather records W ← Q·G for the merges of a level. The columns of Q are the vectors of the
// solved blocks, and G has the rotations and the permutation of each merge. The range r is the part
// of the list `chains` that has the chains of the merges. push has the other lists.
func (s *mergeKernels[T]) recordGather(
	rec *vk.Recorder, push shaders.StedcGatherPush[T], chains list[shaders.Chain], ws *vk.Arena, r chainRange, rows int,
) {
	stages.InPortions(r.count, s.tune.atOnce(moveBytes*float64(rows)), func(first, count int) {
		push.Chains, push.Count = chains.at(ws, r.first+first), uint32(count)
		s.gather.Dispatch(rec, rowGrid(vk.Tiles(rows, s.tune.Threads), count), push)
		rec.Costs(moveBytes * max(1, float64(rows)*float64(count)))
	})
}

func (p levelSizes) vectorFlops() float64 {
	return 2 * termFlops * float64(p.columns) * float64(p.inner)
}

func (s *mergeKernels[T]) recordVectors(rec *vk.Recorder, push shaders.StedcVectorsPush[T], p levelSizes, count int) {
	s.vectors.Dispatch(rec, columnGrid(p.columns, count), push)
	rec.Costs(p.vectorFlops() * float64(count))
}

// recordProducts records, as one dispatch, the products W·S of `count` merges of a level, where W
// has the rotated vectors of the two blocks, and S the vectors of the secular equation. The level
// has `merges` merges. The bits of the products do not depend on the tile: each element is one
// chain of multiply-adds.
func (s *mergeKernels[T]) recordProducts(rec *vk.Recorder, x levelBuffers[T], p levelSizes, count, merges int) {
	tile := s.chooser.Choose(product.Shape{M: p.half, N: p.columns, K: p.inner, Count: 2 * count})
	grid := s.chooser.Tiles()[tile].Grid(p.half, p.columns)
	grid.Z = 2 * count
	s.multiply[tile].Dispatch(rec, grid, shaders.StedcMultiplyPush[T]{Merges: x.merges, Work: x.work, Q: x.q})
	rec.Costs(p.flops * float64(count) / float64(merges))
}

func (s *mergeKernels[T]) recordDeflated(rec *vk.Recorder, x levelBuffers[T], p levelSizes, count int) {
	column := moveBytes * max(1, float64(p.rows)) // bytes that one deflated column moves
	most := s.tune.atOnce(column * float64(max(1, p.deflatedColumns)))
	stages.InPortions(count, min(vk.MaxGroups(), most), func(first, some int) {
		stages.InPortions(p.deflatedColumns, s.tune.atOnce(column*float64(some)), func(begin, columns int) {
			grid := vk.Groups{X: vk.Tiles(p.rows, s.tune.Threads), Y: strided(columns), Z: some}
			s.deflated.Dispatch(rec, grid, shaders.StedcDeflatedPush[T]{
				Merges: x.from(first).merges, W: x.work, Q: x.q, First: uint32(begin), Columns: uint32(columns),
			})
			rec.Costs(column * float64(columns) * float64(some))
		})
	})
}
