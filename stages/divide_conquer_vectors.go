package stages

import (
	"slices"
	"sync"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
)

// conquerVectors is the second pass: level by level, W gathered from Q, S formed, their
// products, which are the new Q.
//
// Memory. Q is the blocks alone, packed, as shaders/glsl/tridiag/merge.glsl says: n²/2 when two
// are left. W and S of a level lie in the result, which is not needed yet: they
// take 3/2·N² of a merge of order N, 3/4·n² in all. Only the last merge, of more than
// half of all rows, must write the result: its W takes the place of Q, strip by strip,
// and S is formed in panels.
type conquerVectors struct {
	n, levels int
	tune      DivideConquerTuning
	ops       product.Ops     // products of large merges
	chooser   product.Chooser // tiles of the grouped products of small merges

	gather   *vk.Kernel[shaders.StedcGatherSpec, shaders.StedcGatherPush]
	vectors  *vk.Kernel[shaders.StedcVectorsSpec, shaders.StedcVectorsPush]
	deflated *vk.Kernel[shaders.StedcDeflatedSpec, shaders.StedcDeflatedPush]
	restore  *vk.Kernel[shaders.StedcRestoreSpec, shaders.StedcRestorePush]
	sort     *vk.Kernel[shaders.StedcSortSpec, shaders.StedcSortPush]
	multiply []*vk.Kernel[shaders.StedcMultiplySpec, shaders.StedcMultiplyPush] // one a tile

	q, panel  vk.Region[float64]
	rotations vk.Region[float64] // of each level: cosines, sines
	words     vk.Region[uint32]  // tables.words
	work      *vk.Layout
}

const sortTile = 32

func newConquerVectors(b *builder, n, levels int, ops product.Ops, t Tuning) conquerVectors {
	s := conquerVectors{n: n, levels: levels, tune: t.DivideConquer, ops: ops}
	threads := s.tune.Threads
	s.gather = build(b, shaders.StedcGather(), shaders.StedcGatherSpec{LocalSize: threads})
	s.vectors = build(b, shaders.StedcVectors(), shaders.StedcVectorsSpec{LocalSize: threads})
	s.deflated = build(b, shaders.StedcDeflated(), shaders.StedcDeflatedSpec{LocalSize: threads})
	s.restore = build(b, shaders.StedcRestore(), shaders.StedcRestoreSpec{LocalSize: threads})
	s.sort = build(b, shaders.StedcSort(), shaders.StedcSortSpec{LocalSize: threads, Tile: sortTile})
	s.chooser = product.NewChooser(mergeTiles(t.Products))
	for _, tile := range s.chooser.Tiles() {
		if err := tile.Fits(b.dev.Info()); err != nil && b.err == nil {
			b.err = err
		}
		s.multiply = append(s.multiply, build(b, shaders.StedcMultiply(), shaders.StedcMultiplySpec(tile.Spec())))
	}
	// A half of the last merge: at most n rows of W, as many of S, and all columns.
	if err := ops.Reserve(product.Shape{M: n, N: n, K: n, Count: 1}); err != nil && b.err == nil {
		b.err = err
	}
	if b.err != nil {
		return s
	}
	s.q = vk.Reserve[float64]("D&C blocks", s.blocks())
	s.panel = vk.Reserve[float64]("D&C panel", n*s.width())
	s.rotations = vk.Reserve[float64]("rotations", 2*n*levels)
	s.words = vk.Reserve[uint32]("D&C tables", s.tables().length())
	s.work = vk.Together(s.q, s.panel, s.rotations, s.words)
	return s
}

// maxUnrolled is the largest number of multiply-adds that stedc_multiply may have in a row.
// NVIDIA's compiler (580.159, H200) takes 14 s for a tile with 1024 of them, 2 s with 512 and
// 0.7 s with 256, where gemm takes 0.7 s for each. The products are as fast with 256: grouped
// merges are small, and larger ones go through product.Ops.
const maxUnrolled = 256

// mergeTiles returns the square tiles of a table, or all tiles if none is square, because merges
// have no long sides. Their inner loops are shortened to maxUnrolled.
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

// blocks is the most elements that the blocks of Q ever have: two halves, of which one may
// be a row larger, or leaves of which one is most of the matrix.
func (s *conquerVectors) blocks() int {
	if s.n < 2*s.tune.Leaf {
		return s.n * s.n
	}
	return (s.n*s.n + 1) / 2
}

// width is the columns of S, of n rows, that exist at a time in the last merge. Panels of a few
// columns would save next to nothing.
func (s *conquerVectors) width() int {
	return max((s.n+s.tune.Panels-1)/s.tune.Panels, min(s.n, 8*s.tune.Panels))
}

// conquest is one second pass under way.
type conquest struct {
	*conquerVectors
	xt   Matrix
	tree dc.Tree

	at   []int   // by the first row of a block that is not merged yet: where it begins in Q
	last dc.Pair // the last merge; of order 0 if there is none

	list    tables
	words   []uint32
	turns   []float64 // rotations
	levels  []levelSizes
	writing sync.WaitGroup // of words and turns, while the device looks for roots
	columns [2]int         // of the result: those of the last merge that are deflated; those of other blocks
}

// levelSizes is what the dispatches of a level depend on: its merges but the last one, and
// the largest of each number.
type levelSizes struct {
	merges, chains                     int
	rows, half, cols, inner, deflation int
	flops                              float64
	each                               []placedMerge
	last                               *dc.Merge // nil if it is not in this level
	lastChains                         int
}

// placedMerge is a merge and where its W begins in the result's memory.
type placedMerge struct {
	*dc.Merge
	work int
}

// begin lays out the blocks of Q: a merged block begins where the upper one of its
// halves does, and the lower one follows that.
func (x *conquest) begin(tree dc.Tree) {
	x.tree, x.at = tree, make([]int, x.n)
	x.list, x.levels = x.tables(), make([]levelSizes, len(tree.Levels))
	x.words, x.turns = make([]uint32, x.list.length()), make([]float64, 2*x.n*len(tree.Levels))
	placed, end := make([]bool, x.n), 0
	root := func(p dc.Pair) {
		if placed[p.Lo] {
			return
		}
		placed[p.Lo], x.at[p.Lo] = true, end
		if 2*p.N() > x.n && p.N2 > 0 {
			x.last = p
			end += p.N1*p.N1 + p.N2*p.N2
		} else {
			end += p.N() * p.N()
		}
	}
	for l := len(tree.Levels) - 1; l >= 0; l-- {
		for _, p := range tree.Levels[l] {
			root(p)
			placed[p.Lo+p.N1], x.at[p.Lo+p.N1] = true, x.at[p.Lo]+p.N1*p.N1
		}
	}
	for _, p := range tree.Leaves {
		root(p)
	}
	if end > x.q.Len() {
		panic("stages: the blocks of divide and conquer do not fit")
	}
}
