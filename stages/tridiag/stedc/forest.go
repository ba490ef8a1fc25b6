package stedc

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Forest solves many tridiagonal matrices at the same time by divide and conquer, T = S·Λ·Sᵀ for
// each of them. Their rows follow one another in the arrays of the forest. Each matrix has its own
// tree of merges, so that no merge joins rows of two matrices. The merges of one level of all trees
// are dispatched together:
//
//	laed0_batch     each T is scaled and torn into leaves
//	stedc_leaf      the leaves
//	of each level:
//	  deflation     values: stedc_deflate, _secular, _weights, _rows, _order
//	  mergeKernels  vectors: stedc_gather, _vectors, _multiply, _deflated
//
// DivideConquer needs the host between values and vectors. A forest does not: the tree of a matrix
// depends only on its order, each grid has as many workgroups as the merges need without deflation,
// and each merge has the largest memory that it can need. The kernels read the actual sizes from
// memory. The bits of a result depend only on the matrix and the device.
type Forest[T spirv.Real] struct {
	values    valuesPass[T]
	Deflation deflation[T]
	vectors   mergeKernels[T]
	prepare   *vk.Kernel[shaders.Laed0BatchSpec, shaders.Laed0BatchPush[T]]
	Work      *vk.Layout
}

// NewForest prepares the solver for matrices with `rows` rows together. The products use the square
// tiles of the table `tiles`. The memory Work has O(rows) elements.
func NewForest[T spirv.Real](b *stages.Builder, rows int, tiles product.Tuning, t Tuning) *Forest[T] {
	steps := newStepLists[T](rows, 1)
	f := &Forest[T]{
		values:  newValuesPass(b, rows, 1, symmetricLeaves[T](b, t), stages.PhaseBatch, t),
		vectors: newMergeKernels[T](b, tiles, t),
		prepare: stages.Build(b, shaders.Laed0Batch[T](), shaders.Laed0BatchSpec{LocalSize: t.Threads, Leaf: uint32(t.Leaf)}),
	}
	f.Deflation = newDeflation(b, &f.values, steps, rows)
	f.Work = vk.Together(f.values.work, steps.layout(), f.Deflation.work)
	return f
}

// ForestWork returns the largest number of elements that W and S of the merges of one level need,
// for a matrix of order n. W has the rotated vectors of the two blocks of a merge, and S has the
// vectors of its secular equation. The merge of the last level needs the most: its W has two halves
// of N1² and N2² elements, and its S has n² elements.
func ForestWork(n int) int { return n*n + (n/2)*(n/2) + (n-n/2)*(n-n/2) }

// ForestMatrix is one matrix of a forest: its order N, its first row Lo in the arrays of the
// forest, the offset Q of its vectors in their memory, and an offset Work. The merges of the matrix
// have their rotated vectors W and the vectors S of their secular equations from Work on in a
// second memory.
type ForestMatrix struct{ N, Lo, Q, Work int }

type ForestLists struct {
	Leaves []shaders.Leaf
	merges []shaders.Merge
}

type Trees struct {
	rows   stages.Span // range of these trees in the arrays of the forest
	leaves stages.Span // range of these trees in ForestLists.Leaves
	levels []treesLevel
}

type treesLevel struct {
	merges stages.Span // range of the level's merges in ForestLists.merges
	sizes  levelSizes
}

// Plant appends the leaves and merges of the matrices to the lists, and returns their trees. The
// rows of the matrices must follow one another.
func (f *Forest[T]) Plant(lists *ForestLists, matrices []ForestMatrix) Trees {
	last := matrices[len(matrices)-1]
	t := Trees{rows: stages.Span{First: matrices[0].Lo, Last: last.Lo + last.N}, leaves: stages.Span{First: len(lists.Leaves)}}
	var levels [][]shaders.Merge
	var tree dc.Tree
	var offset []int // first element of each block of Q, by the block's first row
	for i, m := range matrices {
		if i == 0 || m.N != matrices[i-1].N {
			tree, offset = f.treeOf(m.N)
		}
		for _, l := range tree.Leaves {
			lists.Leaves = append(lists.Leaves, shaders.Leaf{Lo: uint32(m.Lo + l.Lo), N: uint32(l.N1), At: wide(m.Q + offset[l.Lo])})
		}
		for level, pairs := range tree.Levels {
			if level == len(levels) {
				levels, t.levels = append(levels, nil), append(t.levels, treesLevel{})
			}
			work := m.Work
			for _, p := range pairs {
				levels[level] = append(levels[level], shaders.Merge{
					Lo: uint32(m.Lo + p.Lo), N1: uint32(p.N1), N: uint32(p.N()), At: wide(m.Q + offset[p.Lo]), Work: wide(work),
				})
				work += ForestWork(p.N())
				t.levels[level].sizes.add(p)
			}
		}
	}
	t.leaves.Last = len(lists.Leaves)
	for level, merges := range levels {
		first := len(lists.merges)
		lists.merges = append(lists.merges, merges...)
		t.levels[level].merges = stages.Span{First: first, Last: len(lists.merges)}
	}
	return t
}

// treeOf returns the tree of a matrix of order n. It also returns the offset in memory of the
// vectors of each block, by the block's first row. The offset of a merged block is that of its
// upper half, and the lower half follows the upper half.
func (f *Forest[T]) treeOf(n int) (tree dc.Tree, offset []int) {
	tree.Halve(0, n, f.values.tune.Leaf, func(int) {})
	offset = make([]int, n)
	for l := len(tree.Levels) - 1; l >= 0; l-- {
		for _, p := range tree.Levels[l] {
			offset[p.Lo+p.N1] = offset[p.Lo] + p.N1*p.N1
		}
	}
	return tree, offset
}

// add includes the merge of the pair p in the sizes of its level, as if no column deflated. The
// grids for deflated columns are also large enough if all columns deflate.
func (s *levelSizes) add(p dc.Pair) {
	s.rows, s.half = max(s.rows, p.N()), max(s.half, p.N1, p.N2)
	s.columns, s.inner, s.deflatedColumns = s.rows, s.half, s.rows
	s.flops += 2 * ProductCost * float64(p.N()) * (float64(p.N1)*float64(p.N1) + float64(p.N2)*float64(p.N2))
}

// Send copies the lists to the device, before all other commands that use the forest.
func (f *Forest[T]) Send(rec *vk.Recorder, ws *vk.Arena, lists *ForestLists) {
	vk.SendFirst(rec, f.values.leafList.In(ws), lists.Leaves)
	vk.SendFirst(rec, f.values.mergeList.In(ws), lists.merges)
	vk.Fill(rec, f.Deflation.Info.In(ws), allFound)
}

// Record solves the matrices of the trees t, after Send. `push` says which matrices of the batch
// they are, and where T lies. The vectors go to the memory q, at the offsets that the trees have.
// The merges keep their rotated vectors W and the vectors S of their secular equations in the
// memory `work`.
func (f *Forest[T]) Record(
	rec *vk.Recorder, ws *vk.Arena, t Trees, lists *ForestLists, push shaders.Laed0BatchPush[T], q, work spirv.Addr[T],
) {
	n, all := f.values.n, f.values.leafNumbers.In(ws)
	e, d := all.Sub(0, n), all.Sub(n, n)
	push.TornD, push.TornE, push.Order = d.Addr(), e.Addr(), f.Deflation.orders.In(ws).Addr()
	matrix := PrepareFlops * float64(t.rows.Len()) / float64(max(1, push.Count)) // cost of a matrix, on average
	begin := push.First
	stages.InPortions(int(push.Count), f.values.tune.atOnce(matrix), func(first, count int) {
		push.First, push.Count = begin+uint32(first), uint32(count)
		f.prepare.Dispatch(rec, vk.Folded(count), push)
		rec.Costs(matrix * float64(count))
	})
	f.values.solveLeaves(rec, ws, [2]spirv.Addr[T]{q}, t.leaves, t.rows.Len())
	vk.Copy(rec, f.LeafValues(ws).Sub(t.rows.First, t.rows.Len()), d.From(t.rows.First))
	for level, l := range t.levels {
		vk.Fill(rec, f.Deflation.steps.chains.region.In(ws).Sub(t.rows.First, t.rows.Len()), 0)
		f.Deflation.recordLevel(rec, ws, level, l.merges.First, lists.merges[l.merges.First:l.merges.Last], rootsOf[T]{
			level: level, merges: l.merges.Len(), weights: true, rows: level+1 < len(t.levels),
		})
		f.recordVectors(rec, ws, t.rows, l, levelBuffers[T]{f.values.mergeList.In(ws).From(l.merges.First).Addr(), q, work})
	}
}

func (f *Forest[T]) recordVectors(rec *vk.Recorder, ws *vk.Arena, rows stages.Span, l treesLevel, x levelBuffers[T]) {
	n, steps, s := f.values.n, &f.Deflation.steps, &f.vectors
	number := func(kind int) spirv.Addr[T] { return f.values.numbersOf(ws, 0, kind, 1).Addr() }
	s.recordGather(rec, shaders.StedcGatherPush[T]{
		Merges: x.merges, Src: steps.src.at(ws, 0), Dst: steps.dst.at(ws, 0),
		Cos: steps.rotations.at(ws, 0), Sin: steps.rotations.at(ws, n), Q: x.q, W: x.work,
	}, steps.chains, ws, chainRange{rows.First, rows.Len()}, l.sizes.rows)
	merges := l.merges.Len()
	most := s.tune.atOnce(max(l.sizes.vectorFlops(), l.sizes.flops/float64(merges)))
	stages.InPortions(merges, min(vk.MaxGroups()/2, most), func(first, count int) {
		s.recordVectors(rec, shaders.StedcVectorsPush[T]{
			Merges: x.from(first).merges, D: number(numberD), Mu: number(numberMu), Zhat: number(numberZHat),
			Row: steps.row.at(ws, 0), S: x.work,
		}, l.sizes, count)
		s.recordProducts(rec, x.from(first), l.sizes, count, merges)
	})
	s.recordDeflated(rec, x, l.sizes, merges)
}

// Eigenvalues returns the memory of the eigenvalues of all matrices after Record. They are scaled
// as T was, and in the order of the eigenvectors in memory.
func (f *Forest[T]) Eigenvalues(ws *vk.Arena) vk.Slice[T] {
	return f.values.leafNumbers.In(ws).From(f.values.n)
}

// LeafValues returns the memory of the eigenvalues of the leaves. If QL iteration has not converged
// on a leaf, an eigenvalue of this leaf is NaN.
func (f *Forest[T]) LeafValues(ws *vk.Arena) vk.Slice[T] { return f.Deflation.leaves.In(ws) }

// PrepareFlops is the cost of the kernel laed0_batch for each row of a matrix, in flops.
// batch.Tuning.Dispatch limits a dispatch in flops of the kernels for batches. A matrix product
// does a flop in at most a fifth of the time of these kernels, so it counts as ProductCost flops.
const (
	PrepareFlops = 100
	ProductCost  = 0.2
)
