package stedc

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
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
	mergeKernels[float64]
	n      int
	levels int                  // largest number of levels that a tree can have
	room   int                  // elements of the result's memory that W and S of a level may use
	Ops    product.Ops[float64] // computes the products of large merges

	restore *vk.Kernel[shaders.StedcRestoreSpec, shaders.StedcRestorePush]
	sort    *vk.Kernel[shaders.StedcSortSpec, shaders.StedcSortPush]

	q, panel vk.Region[float64]
	lists    vectorLists // these lists have only memory on the device; each solve adds memory on the host
	work     *vk.Layout
}

// sortTile is the number of rows and of columns of the tiles that the kernel stedc_sort transposes.
const sortTile = 32

// newVectorsPass prepares the computation of the eigenvectors for matrices of order n and trees of
// at most `levels` levels of merges. It reserves the products of the last merge, which are the
// largest products, in ops. An error is stored in b.
func newVectorsPass(
	b *stages.Builder, n, levels int, ops product.Ops[float64], tiles product.Tuning, t Tuning,
) vectorsPass {
	s := vectorsPass{mergeKernels: newMergeKernels[float64](b, tiles, t), n: n, levels: levels, room: n * n, Ops: ops}
	s.restore = stages.Build(b, shaders.StedcRestore(), shaders.StedcRestoreSpec{LocalSize: t.Threads})
	s.buildSort(b)
	// In the last merge, half of the rotated vectors W is multiplied by the vectors S of the
	// secular equation. This product has at most n rows, an inner dimension of at most n, and at
	// most n columns.
	if err := ops.Reserve(product.Shape{M: n, N: n, K: n, Count: 1}); err != nil && b.Err == nil {
		b.Err = err
	}
	if b.Err != nil {
		return s
	}
	s.q = vk.Reserve[float64]("D&C blocks", s.blocks())
	s.panel = vk.Reserve[float64]("D&C panel", n*s.panelColumns())
	s.lists = newVectorLists(n, levels, s.tune.mostMerges(n))
	s.work = vk.Together(s.q, s.panel, s.lists.layout())
	return s
}

func (s *vectorsPass) buildSort(b *stages.Builder) {
	s.sort = stages.Build(b, shaders.StedcSort(), shaders.StedcSortSpec{LocalSize: s.tune.Threads, Tile: sortTile})
}

// blocks returns the largest number of elements of the vectors of all solved blocks together, at
// any time. Usually this is the number for two halves, one of which may have one row more. If the
// matrix is small, one leaf may be almost the whole matrix.
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
