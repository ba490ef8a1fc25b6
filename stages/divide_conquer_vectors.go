package stages

import (
	"slices"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// vectorsPass forms the eigenvectors, which is the second of the two passes of divide and conquer.
// It is prepared for matrices of order n. The diagonal blocks of Q are the eigenvectors of the
// solved blocks of T. A merge joins two such blocks. Its G consists of rotations and a permutation
// (from deflation), and its S has the vectors of its secular equation. Level by level the
// vectorsPass computes W = Q·G, forms S, and multiplies: Q ← W·S.
//
// Only the diagonal blocks of Q are stored, packed as merge.glsl describes: n²/2 elements when two
// blocks are left. W and S of a level lie in the memory of the result, because no vector is written
// there before the last merge. A merge of order N uses up to 3/2·N² elements of this memory, and
// all merges of a level use up to 3/4·n². The last merge has more than half of all rows and writes
// to the result. Its W overwrites Q, some rows (a strip) at a time, and its S is formed in panels
// of some columns.
type vectorsPass struct {
	n       int
	levels  int // largest number of levels that a tree can have
	tune    DivideConquerTuning
	ops     product.Ops[float64] // computes the products of large merges
	chooser product.Chooser      // chooses the tile of multiply for grouped products of small merges

	gather   *vk.Kernel[shaders.StedcGatherSpec, shaders.StedcGatherPush]
	vectors  *vk.Kernel[shaders.StedcVectorsSpec, shaders.StedcVectorsPush]
	deflated *vk.Kernel[shaders.StedcDeflatedSpec, shaders.StedcDeflatedPush]
	restore  *vk.Kernel[shaders.StedcRestoreSpec, shaders.StedcRestorePush]
	sort     *vk.Kernel[shaders.StedcSortSpec, shaders.StedcSortPush]
	multiply []*vk.Kernel[shaders.StedcMultiplySpec, shaders.StedcMultiplyPush] // by tile

	q, panel vk.Region[float64]
	lists    vectorLists // offsets on the device; each solve adds the memory on the host
	work     *vk.Layout
}

// sortTile is the number of rows and of columns of the tiles that the kernel stedc_sort transposes.
const sortTile = 32

// newVectorsPass prepares the computation of the eigenvectors for matrices of order n and trees of
// at most `levels` levels of merges. It reserves the products of the last merge, which are the
// largest products, in ops. An error is stored in b.
func newVectorsPass(
	b *builder, n, levels int, ops product.Ops[float64], tiles product.Tuning, t DivideConquerTuning,
) vectorsPass {
	s := vectorsPass{n: n, levels: levels, tune: t, ops: ops}
	threads := s.tune.Threads
	s.gather = build(b, shaders.StedcGather(), shaders.StedcGatherSpec{LocalSize: threads})
	s.vectors = build(b, shaders.StedcVectors(), shaders.StedcVectorsSpec{LocalSize: threads})
	s.deflated = build(b, shaders.StedcDeflated(), shaders.StedcDeflatedSpec{LocalSize: threads})
	s.restore = build(b, shaders.StedcRestore(), shaders.StedcRestoreSpec{LocalSize: threads})
	s.sort = build(b, shaders.StedcSort(), shaders.StedcSortSpec{LocalSize: threads, Tile: sortTile})
	s.chooser = product.NewChooser(mergeTiles(tiles))
	for _, tile := range s.chooser.Tiles() {
		if err := tile.Fits(b.dev.Info()); err != nil && b.err == nil {
			b.err = err
		}
		s.multiply = append(s.multiply, build(b, shaders.StedcMultiply(), shaders.StedcMultiplySpec(tile.Spec())))
	}
	// In the last merge, the product W·S of one half has at most n rows, an inner dimension of at
	// most n, and at most n columns.
	if err := ops.Reserve(product.Shape{M: n, N: n, K: n, Count: 1}); err != nil && b.err == nil {
		b.err = err
	}
	if b.err != nil {
		return s
	}
	s.q = vk.Reserve[float64]("D&C blocks", s.blocks())
	s.panel = vk.Reserve[float64]("D&C panel", n*s.panelColumns())
	s.lists = newVectorLists(n, levels, s.tune.mostMerges(n))
	s.work = vk.Together(s.q, s.panel, s.lists.layout())
	return s
}

// maxUnrolled is the largest number of multiply-adds in the unrolled inner loop of the kernel
// stedc_multiply. NVIDIA's compiler (580.159, H200) needs 14 s for a tile with 1024 multiply-adds,
// 2 s for 512 and 0.7 s for 256. For the kernel gemm it needs 0.7 s in all these cases. With 256
// the products are as fast as with 1024, because grouped merges are small and larger merges use
// product.Ops.
const maxUnrolled = 256

// mergeTiles returns the square tiles of the table t, or all tiles if no tile is square. (A tile is
// the block of a product that one workgroup computes.) Square tiles suit the products of merges,
// because these products are nearly square. The result has inner loops of at most maxUnrolled
// multiply-adds. mergeTiles does not change the table t.
func mergeTiles(t product.Tuning) product.Tuning {
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

// blocks returns the largest number of elements of all diagonal blocks of Q together at any time.
// Usually this is the number for two halves, one of which may have one row more. If the matrix is
// small, one leaf may be almost the whole matrix.
func (s *vectorsPass) blocks() int {
	if s.n < 2*s.tune.Leaf {
		return s.n * s.n
	}
	return (s.n*s.n + 1) / 2
}

// panelColumns returns the number of columns of the panel: the buffer of n rows in which the last
// merge forms a part of its vectors. The number is at most n. For small n, fewer columns would save
// little memory, and a product with few columns leaves most of the device idle.
func (s *vectorsPass) panelColumns() int {
	return max((s.n+s.tune.Panels-1)/s.tune.Panels, min(s.n, max(8*s.tune.Panels, s.tune.Columns)))
}
