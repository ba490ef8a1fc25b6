package stedc

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// valuesPass is the first of the two passes of divide and conquer, for matrices of order n: it
// solves the leaves and the secular equations. For each block it also finds the first and the last
// row of its eigenvectors, because the next merge reads these rows.
type valuesPass[T spirv.Real] struct {
	dev    *vk.Device
	phase  string // phase of the solve, one of the constants Phase…
	n      int
	stored int // number of levels whose numbers are kept, at least 1; later levels overwrite the last of them
	tune   Tuning

	// These are the kernels, in the order in which they run.
	leaf    leafKernel[T]
	secular *vk.Kernel[shaders.StedcSecularSpec, shaders.StedcSecularPush[T]]
	weights *vk.Kernel[shaders.StedcWeightsSpec, shaders.StedcWeightsPush[T]]
	rows    *vk.Kernel[shaders.StedcRowsSpec, shaders.StedcRowsPush[T]]

	leafList    vk.Region[shaders.Leaf]  // n elements, the largest number of leaves
	leafNumbers vk.Region[T]             // e, d, first rows, last rows: n elements each, so that one copy takes them
	mergeList   vk.Region[shaders.Merge] // mostMerges elements for each level
	numbers     vk.Region[T]             // allNumbers·n elements for each stored level
	work        *vk.Layout
}

type leafKernel[T spirv.Real] struct {
	dispatch func(rec *vk.Recorder, leaves leavesPush[T])
	flops    float64 // cost of the iteration for one row of a leaf in flops, divided by Leaf²
}

// leavesPush holds the addresses of the leaves and of their numbers. `vectors` has the addresses of
// the vectors of each side: a symmetric matrix has one side, and a bidiagonal matrix has left and
// right singular vectors. An address is 0 if the vectors of its side are not wanted.
type leavesPush[T spirv.Real] struct {
	leaves            spirv.Addr[shaders.Leaf]
	d, e, first, last spirv.Addr[T]
	vectors           [2]spirv.Addr[T]
	count             int
}

// symmetricLeaves estimates the cost of a leaf: two sweeps for each row, and six flops for each row
// of the vectors that a rotation changes.
func symmetricLeaves[T spirv.Real](b *stages.Builder, t Tuning) leafKernel[T] {
	kernel := stages.Build(b, shaders.StedcLeaf[T](), shaders.StedcLeafSpec{LocalSize: t.Lanes, Leaf: uint32(t.Leaf)})
	return leafKernel[T]{flops: 12, dispatch: func(rec *vk.Recorder, x leavesPush[T]) {
		kernel.Dispatch(rec, vk.Folded(x.count), shaders.StedcLeafPush[T]{
			Leaves: x.leaves, E: x.e, D: x.d, First: x.first, Last: x.last, Q: x.vectors[0], Count: uint32(x.count),
		})
	}}
}

// leafArrays is the number of arrays in the region leafNumbers, of n numbers each: e, d (later the
// eigenvalues), and the first and the last rows of the leaves' eigenvectors.
const leafArrays = 4

// These constants number the arrays of a level of merges, in their order in memory. Each array has
// n numbers. Those that the host sends lie together, and so do those that it receives, so that each
// transfer is one copy. The numbers of a merge begin at its first row. Only numberRho has one
// number for each merge, in the order of the merges.
const (
	numberD         = iota // poles
	numberZ                // weights
	numberFirstW           // first row of W, by pole
	numberLastW            // last row of W, by pole
	numberRho              // factors ρ
	uploadedNumbers        // number of arrays that the host uploads

	numberMu        = uploadedNumbers // offsets of the roots from their poles
	numberFirst     = numberMu + 1    // first row of the merged Q, by column
	numberLast      = numberMu + 2    // last row of the merged Q, by column
	numberZHat      = numberMu + 3    // weights ẑ, which stay on the device
	allNumbers      = numberMu + 4
	receivedNumbers = numberZHat - numberMu // number of arrays that the host receives
)

// newValuesPass prepares the computation of eigenvalues for matrices of order n. The first `stored`
// levels of merges have their own memory. All later levels use the memory of the last stored level.
// If there are such levels, eigenvectors cannot be formed in a second pass, which would need the
// numbers of all levels. Forest forms the vectors of each level before the next level.
func newValuesPass[T spirv.Real](b *stages.Builder, n, stored int, leaf leafKernel[T], phase string, t Tuning) valuesPass[T] {
	stored = max(stored, 1)
	s := valuesPass[T]{dev: b.Dev, phase: phase, n: n, stored: stored, tune: t, leaf: leaf}
	s.secular = stages.Build(b, shaders.StedcSecular[T](), shaders.StedcSecularSpec{LocalSize: t.Lanes})
	s.weights = stages.Build(b, shaders.StedcWeights[T](), shaders.StedcWeightsSpec{LocalSize: t.Lanes})
	s.rows = stages.Build(b, shaders.StedcRows[T](), shaders.StedcRowsSpec{LocalSize: t.Lanes})
	s.leafNumbers = vk.Reserve[T]("D&C leaf numbers", leafArrays*n)
	s.leafList = vk.Reserve[shaders.Leaf]("D&C leaves", n)
	s.numbers = vk.Reserve[T]("D&C merge numbers", stored*allNumbers*n)
	s.mergeList = vk.Reserve[shaders.Merge]("D&C merges of values", max(t.levels(n), 1)*t.mostMerges(n))
	s.work = vk.Together(s.leafNumbers, s.leafList, s.numbers, s.mergeList)
	return s
}

// numbersOf returns the memory of `count` successive arrays of a level of merges, from array number
// `kind` on.
func (s *valuesPass[T]) numbersOf(ws *vk.Arena, level, kind, count int) vk.Slice[T] {
	level = min(level, s.stored-1)
	return s.numbers.In(ws).Sub((level*allNumbers+kind)*s.n, count*s.n)
}

// mergesOf returns the device memory for the list of a level's merges. It has space for the largest
// number of merges that a level can have.
func (s *valuesPass[T]) mergesOf(ws *vk.Arena, level int) vk.Slice[shaders.Merge] {
	most := s.tune.mostMerges(s.n)
	return s.mergeList.In(ws).Sub(min(level, s.stored-1)*most, most)
}

// recordLeaves records the solution of the leaves, the smallest subproblems. `numbers` has 4·n
// elements. It begins with e (off-diagonal) and d (diagonal). The eigenvalues replace d, and the
// first and last rows of the vectors follow. A symmetric matrix has one set of vectors, and a
// bidiagonal matrix has two. Each set is written to its address in `vectors`, unless the address is
// zero.
func (s *valuesPass[T]) recordLeaves(
	rec *vk.Recorder, ws *vk.Arena, leaves []shaders.Leaf, numbers []T, vectors [2]spirv.Addr[T],
) {
	n := s.n
	list, all := s.leafList.In(ws), s.leafNumbers.In(ws)
	rec.Concurrently(func() {
		vk.SendFirst(rec, list, leaves)
		vk.SendFirst(rec, all, numbers[:2*n]) // e and d
	})
	s.solveLeaves(rec, ws, vectors, stages.Span{Last: len(leaves)}, n)
	vk.ReceiveLast(rec, numbers[n:], all.From(n))
}

// solveLeaves records the kernel for the leaves of a range of the list, which have `rows` rows
// together. There are several dispatches if the leaves cost more than tune.Dispatch. The list of
// leaves and their numbers must be on the device already. The other arguments are those of
// recordLeaves.
func (s *valuesPass[T]) solveLeaves(rec *vk.Recorder, ws *vk.Arena, vectors [2]spirv.Addr[T], leaves stages.Span, rows int) {
	n, all, size, count := s.n, s.leafNumbers.In(ws), float64(s.tune.Leaf), leaves.Last-leaves.First
	leaf := s.leaf.flops * float64(rows) / float64(max(1, count)) * size * size // cost of a leaf, on average
	stages.InPortions(count, s.tune.atOnce(leaf), func(first, count int) {
		s.leaf.dispatch(rec, leavesPush[T]{
			leaves: s.leafList.In(ws).From(leaves.First + first).Addr(), e: all.Addr(), d: all.From(n).Addr(),
			first: all.From(2 * n).Addr(), last: all.From(3 * n).Addr(), vectors: vectors, count: count,
		})
		rec.Costs(leaf * float64(count))
	})
}

// A secular equation is a sum over all poles. termFlops is the cost of one term of such a sum, in
// flops; each term has a division. secularSums is about the number of sums that are computed until
// the root of an equation is found.
const (
	termFlops    = 12
	secularSums  = 8
	secularFlops = secularSums * termFlops
)

// moveBytes is the memory traffic of copying one element, in bytes: the element is read and
// written. A dispatch that copies no elements is counted as if it copied one element.
const moveBytes = 16

// rootsOf describes the secular equations of one level of merges: where they are in memory, how
// many there are, and which results are wanted besides the roots.
type rootsOf[T spirv.Real] struct {
	level, merges, poles int  // level, number of merges, and largest number of poles of one merge
	weights              bool // whether ẑ is needed, for rows or for the vectors pass
	rows                 bool // whether a later merge needs the first and the last row of Q

	list        spirv.Addr[shaders.Merge]
	lambda      spirv.Addr[T] // receives the roots, by column; 0 if they are not wanted
	first, last spirv.Addr[T] // receive the first and the last row of Q, by column
}

// recordRoots solves the secular equations of a level, whose merges and numbers are on the device.
// A level takes several dispatches if it has more merges than a dimension of a grid can have
// workgroups, or if the equations cost more than tune.Dispatch. No bit of a result depends on the
// number of dispatches.
func (s *valuesPass[T]) recordRoots(rec *vk.Recorder, ws *vk.Arena, x rootsOf[T]) {
	number := func(kind int) spirv.Addr[T] { return s.numbersOf(ws, x.level, kind, 1).Addr() }
	d, z, mu, zhat := number(numberD), number(numberZ), number(numberMu), number(numberZHat)
	stages.InPortions(x.merges, vk.MaxGroups(), func(first, count int) {
		merges := x.list.Plus(first)
		rho := number(numberRho).Plus(first)
		// inColumns divides the columns of the merges into portions, and calls `dispatch` for each
		// portion. In `dispatch`, a column of a merge costs `flops` flops for each pole of the
		// merge.
		inColumns := func(flops float64, dispatch func(begin uint32, grid vk.Groups)) {
			flops *= float64(x.poles) * float64(count)
			stages.InPortions(x.poles, s.tune.atOnce(flops), func(begin, columns int) {
				dispatch(uint32(begin), columnGrid(columns, count))
				rec.Costs(flops * float64(columns))
			})
		}
		inColumns(secularFlops, func(begin uint32, grid vk.Groups) {
			s.secular.Dispatch(rec, grid, shaders.StedcSecularPush[T]{
				Merges: merges, Rho: rho, D: d, Z: z, Mu: mu, Lambda: x.lambda, First: begin,
			})
		})
		if x.weights {
			inColumns(termFlops, func(begin uint32, grid vk.Groups) {
				s.weights.Dispatch(rec, grid, shaders.StedcWeightsPush[T]{Merges: merges, D: d, Z: z, Mu: mu, Zhat: zhat, First: begin})
			})
		}
		if x.rows {
			inColumns(2*termFlops, func(begin uint32, grid vk.Groups) {
				s.rows.Dispatch(rec, grid, shaders.StedcRowsPush[T]{
					Merges: merges, D: d, Mu: mu, Zhat: zhat, WFirst: number(numberFirstW), WLast: number(numberLastW),
					First: x.first, Last: x.last, Begin: begin,
				})
			})
		}
	})
}
