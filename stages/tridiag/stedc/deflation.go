package stedc

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// deflation decides the deflation of each merge on the device, as package dc does on the host
// (dc.Deflate, dc.MergedOrder). Because the device decides the deflation, the values pass is one
// recording, and the device does not wait for the host between two levels of merges:
//
//	stedc_leaf                     the leaves, which are the smallest subproblems
//	stedc_deflate                  of each level: poles, rotations, and the lists of the vectors pass
//	stedc_secular, stedc_order     the values of the merged blocks, and their order
//	stedc_weights, stedc_rows      the rows that the next level needs
//
// The host has the tree of merges, but not the number of columns that each merge deflates.
// Therefore each dispatch has as many workgroups as it would need without deflation, and the
// kernels read the actual sizes from memory.
//
// A merge joins two blocks. The eigenvalues of a block, and the first and last rows of its
// eigenvectors, are in valuesPass.leafNumbers. Each merge overwrites the values and rows of its two
// blocks. The lists of merges of all levels follow one another in valuesPass.mergeList.
type deflation[T spirv.Real] struct {
	pass    *valuesPass[T]
	deflate *vk.Kernel[shaders.StedcDeflateSpec, shaders.StedcDeflatePush[T]]
	portion int // steps of each merge whose rotations one dispatch of stedc_deflate computes
	order   *vk.Kernel[shaders.StedcOrderSpec, shaders.StedcOrderPush[T]]

	orders vk.Region[int32]  // for each block, the permutation that makes its values ascend
	leaves vk.Region[T]      // values of the leaves; NaN if a leaf has not converged
	Info   vk.Region[uint32] // level·n + index of the first root that was not found, or allFound; one word, or n words
	reals  vk.Region[T]      // scratch memory of stedc_deflate
	words  vk.Region[int32]
	steps  stepLists[T] // lists of rotations and permutations of each stored level
	work   *vk.Layout
}

// allFound is the value of a word of Info if all roots of the secular equations were found.
const allFound = 1<<32 - 1

// The kernel stedc_deflate has deflateReals scratch arrays of the type T and deflateWords scratch
// arrays of 32-bit integers.
const (
	deflateReals = 4
	deflateWords = 3
)

// newDeflation builds the kernels and lays out their memory. `pass` is the values pass of the same
// solve. `steps` are the lists of rotations and permutations, for at least as many levels as the
// values pass stores. The caller lays out the memory of these lists: the field `work` of the result
// does not contain it. `infos` is the number of INFO words: 1, or n if each merge has its own word,
// at the index of its first row.
func newDeflation[T spirv.Real](b *stages.Builder, pass *valuesPass[T], steps stepLists[T], infos int) deflation[T] {
	n, t := pass.n, pass.tune
	s := deflation[T]{pass: pass, steps: steps}
	s.portion = min(deflateSteps, t.atOnce(deflateFlops))
	s.deflate = stages.Build(b, shaders.StedcDeflate[T](), shaders.StedcDeflateSpec{LocalSize: t.Deflate, Steps: uint32(s.portion)})
	s.order = stages.Build(b, shaders.StedcOrder[T](), shaders.StedcOrderSpec{LocalSize: t.Threads})
	s.orders = vk.Reserve[int32]("D&C orders", n)
	s.leaves = vk.Reserve[T]("D&C values of leaves", n)
	s.Info = vk.Reserve[uint32]("D&C info", infos)
	s.reals = vk.Reserve[T]("D&C steps' numbers", deflateReals*n)
	s.words = vk.Reserve[int32]("D&C steps' words", deflateWords*n)
	s.work = vk.Together(s.orders, s.leaves, s.Info, s.reals, s.words)
	return s
}

type decided[T spirv.Real] struct {
	leaves []shaders.Leaf
	e, d   []T             // d becomes the values of all blocks
	order  []int32         // permutations of all blocks
	merges []shaders.Merge // merges of all levels; the device computes K, Upper and Lower
	levels []int           // number of merges of each level

	leafValues []T       // values that the host receives from the device
	info       [1]uint32 // word that the host receives from the device
}

// record records the computation of all eigenvalues. It writes the eigenvectors of the leaves to
// the address places[0]. If this address is 0, no eigenvectors are wanted.
func (s *deflation[T]) record(rec *vk.Recorder, ws *vk.Arena, x *decided[T], places [2]spirv.Addr[T]) {
	n, vectors := s.pass.n, places[0] != 0
	all := s.pass.leafNumbers.In(ws)
	e, d := all.Sub(0, n), all.Sub(n, n)
	merges, orders, leaves := s.pass.mergeList.In(ws), s.orders.In(ws), s.leaves.In(ws)
	rec.Concurrently(func() {
		vk.SendFirst(rec, s.pass.leafList.In(ws), x.leaves)
		vk.SendFirst(rec, e, x.e)
		vk.SendFirst(rec, d, x.d)
		vk.SendFirst(rec, orders, x.order)
		vk.SendFirst(rec, merges, x.merges)
		vk.Fill(rec, s.Info.In(ws), allFound)
		vk.Fill(rec, s.steps.chains.region.In(ws), 0)
	})
	s.pass.solveLeaves(rec, ws, places, stages.Span{Last: len(x.leaves)}, n)
	vk.Copy(rec, leaves, d)
	first := 0
	for level, count := range x.levels {
		s.recordLevel(rec, ws, level, first, x.merges[first:first+count], rootsOf[T]{
			level: level, merges: count, weights: vectors || level+1 < len(x.levels), rows: level+1 < len(x.levels),
		})
		first += count
	}
	rec.Concurrently(func() {
		vk.ReceiveLast(rec, x.d, d)
		vk.ReceiveLast(rec, x.order, orders)
		vk.ReceiveLast(rec, x.merges, merges)
		vk.ReceiveLast(rec, x.leafValues, leaves)
		vk.ReceiveLast(rec, x.info[:], s.Info.In(ws))
	})
}

// recordLevel records the merges of one level: the elements [first, first+len(merges)) of the list
// of all merges.
func (s *deflation[T]) recordLevel(
	rec *vk.Recorder, ws *vk.Arena, level, first int, merges []shaders.Merge, roots rootsOf[T],
) {
	n, all := s.pass.n, s.pass.leafNumbers.In(ws)
	list, d := s.pass.mergeList.In(ws).From(first).Addr(), all.From(n).Addr()
	firstRows, lastRows := all.From(2*n).Addr(), all.From(3*n).Addr()
	for _, m := range merges {
		roots.poles = max(roots.poles, int(m.N))
	}
	s.recordDeflation(rec, ws, level, first, merges)
	roots.list, roots.lambda, roots.first, roots.last = list, d, firstRows, lastRows
	s.pass.recordRoots(rec, ws, roots)
	s.recordOrder(rec, ws, level, first, len(merges), roots.poles)
}

// recordDeflation records the deflation of the merges of a level. There are several dispatches if
// the merges cost more than tune.Dispatch, or if a merge has more than s.portion columns.
func (s *deflation[T]) recordDeflation(rec *vk.Recorder, ws *vk.Arena, level, first int, merges []shaders.Merge) {
	n, all := s.pass.n, s.pass.leafNumbers.In(ws)
	at := min(level, s.pass.stored-1)
	push := shaders.StedcDeflatePush[T]{
		Merges: s.pass.mergeList.In(ws).From(first).Addr(), E: all.Addr(), D: all.From(n).Addr(),
		First: all.From(2 * n).Addr(), Last: all.From(3 * n).Addr(), Order: s.orders.In(ws).Addr(),
		Numbers: s.pass.numbersOf(ws, level, numberD, 1).Addr(),
		Row:     s.steps.row.at(ws, at*n), Src: s.steps.src.at(ws, at*n), Dst: s.steps.dst.at(ws, at*n),
		Rotations: s.steps.rotations.at(ws, 2*at*n), Chains: s.steps.chains.at(ws, at*n),
		Reals: s.reals.In(ws).Addr(), Words: s.words.In(ws).Addr(), Stride: uint32(n),
	}
	largest, columns := 0, 0.0
	for _, m := range merges {
		largest = max(largest, int(m.N))
		columns += float64(m.N)
	}
	merge := deflateFlops * columns / float64(len(merges)) // cost of a merge, on average
	stages.InPortions(len(merges), s.pass.tune.atOnce(merge), func(begin, some int) {
		push.FirstMerge, push.End = uint32(begin), uint32(begin+some)
		stages.InPortions(largest, s.portion, func(step, steps int) {
			push.Portion = uint32(step / s.portion)
			s.deflate.Dispatch(rec, vk.Folded(some), push)
			rec.Costs(merge * float64(some) * float64(steps) / float64(largest))
		})
	})
}

// recordOrder sorts the eigenvalues of each of the merges first … first+count−1. The largest of
// them has `columns` columns.
func (s *deflation[T]) recordOrder(rec *vk.Recorder, ws *vk.Arena, level, first, count, columns int) {
	n := s.pass.n
	list, d := s.pass.mergeList.In(ws).From(first).Addr(), s.pass.leafNumbers.In(ws).From(n).Addr()
	column := compareFlops * float64(columns) // cost of one column of a merge
	most := s.pass.tune.atOnce(column * float64(columns))
	stages.InPortions(count, min(vk.MaxGroups(), most), func(portion, count int) {
		stages.InPortions(columns, s.pass.tune.atOnce(column*float64(count)), func(begin, some int) {
			grid := vk.Groups{X: vk.Tiles(some, s.pass.tune.Threads), Y: 1, Z: count}
			s.order.Dispatch(rec, grid, shaders.StedcOrderPush[T]{
				Merges: list.Plus(portion), D: d, Order: s.orders.In(ws).Addr(), Info: s.Info.In(ws).Addr(),
				Base: uint32(level * n), Apart: s.apart(), First: uint32(begin),
			})
			rec.Costs(column * float64(count) * float64(some))
		})
	})
}

// `apart` returns the distance between the words of info of two merges: 1 if each merge has its own
// word, and 0 if all merges share one word.
func (s *deflation[T]) apart() uint32 { return uint32(min(1, s.Info.Len()-1)) }

// deflateFlops is the cost of stedc_deflate for a column, and compareFlops is the cost of
// stedc_order for a comparison, in flops. A column of stedc_deflate is expensive because one
// invocation of a workgroup computes all rotations.
//
// deflateSteps is the largest number of steps whose rotations one dispatch computes in a merge. The
// time of these rotations depends on the latency of operations, and not on the device's rate: 0.62
// µs for a step on an H200. On a device whose threads are four times as slow, a dispatch takes 41
// ms.
const (
	deflateSteps = 1 << 14
	deflateFlops = 4000
	compareFlops = 2
)
