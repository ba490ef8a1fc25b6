package stages

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// valuesPass is the first of the two passes of a solve, prepared for matrices of order n. It solves
// the
// leaves and the secular equations. It also finds the two rows of each block's vectors that the
// next merge reads.
type valuesPass struct {
	dev    *vk.Device
	phase  string // phase of the solve, one of the constants Phase…
	n      int
	stored int // number of levels whose numbers are kept, at least 1; later levels overwrite the last of them
	tune   DivideConquerTuning

	// These are the kernels, in the order in which they run.
	leaf    leafKernel
	secular *vk.Kernel[shaders.StedcSecularSpec, shaders.StedcSecularPush]
	weights *vk.Kernel[shaders.StedcWeightsSpec, shaders.StedcWeightsPush]
	rows    *vk.Kernel[shaders.StedcRowsSpec, shaders.StedcRowsPush]

	leafList    vk.Region[shaders.Leaf]  // n elements, the largest number of leaves
	leafNumbers vk.Region[float64]       // e, d, first rows, last rows: n elements each, so that one copy takes them
	mergeList   vk.Region[shaders.Merge] // mostMerges elements for each stored level
	numbers     vk.Region[float64]       // allNumbers·n elements for each stored level
	work        *vk.Layout
}

// leafKernel is a kernel that solves leaves.
type leafKernel struct {
	dispatch func(rec *vk.Recorder, leaves leavesPush)
	flops    float64 // cost of the iteration for a row of a leaf, in units of Leaf²
}

// leavesPush holds the addresses of the leaves and of their numbers. vectors has the addresses of
// the blocks of W and S, or of Q. An address is 0 if these vectors are not wanted.
type leavesPush struct {
	leaves            spirv.Addr[shaders.Leaf]
	d, e, first, last spirv.Addr[float64]
	vectors           [2]spirv.Addr[float64]
	count             int
}

// symmetricLeaves builds the kernel for leaves of a symmetric tridiagonal matrix. A rotation
// changes two elements of the vectors and costs six flops. There are two sweeps for each row.
func symmetricLeaves(b *builder, t DivideConquerTuning) leafKernel {
	kernel := build(b, shaders.StedcLeaf(), shaders.StedcLeafSpec{LocalSize: t.Lanes, Leaf: uint32(t.Leaf)})
	return leafKernel{flops: 12, dispatch: func(rec *vk.Recorder, x leavesPush) {
		kernel.Dispatch(rec, vk.Folded(x.count), shaders.StedcLeafPush{
			Leaves: x.leaves, E: x.e, D: x.d, First: x.first, Last: x.last, Q: x.vectors[0], Count: uint32(x.count),
		})
	}}
}

// leafArrays is the number of arrays of n numbers that belong to the leaves.
const leafArrays = 4

// These constants number the arrays of a level, of n numbers each, in their order in memory. One
// copy takes the arrays that the host uploads, and another one takes the arrays that it receives.
// The numbers of a merge begin at its first row. Only numberRho has one number for each merge, in
// the order of the merges.
const (
	numberD         = iota // poles
	numberZ                // weights
	numberFirstW           // first row of W, by pole
	numberLastW            // last row of W, by pole
	numberRho              // factors ρ
	uploadedNumbers        // number of arrays that the host uploads

	numberMu        = uploadedNumbers       // offsets of the roots from their poles
	numberFirst     = numberMu + 1          // first row of the merged Q, by column
	numberLast      = numberMu + 2          // last row of the merged Q, by column
	numberZHat      = numberMu + 3          // weights ẑ, which stay on the device
	allNumbers      = numberMu + 4          // number of all arrays
	receivedNumbers = numberZHat - numberMu // number of arrays that the host receives
)

// newValuesPass prepares the pass for matrices of order n, whose leaves the given kernel solves.
// The numbers of the first stored levels are kept. Later levels overwrite the numbers of the last
// of them; then no vectors pass may read these numbers. An error of a kernel goes to b.
func newValuesPass(b *builder, n, stored int, leaf leafKernel, phase string, t DivideConquerTuning) valuesPass {
	stored = max(stored, 1)
	s := valuesPass{dev: b.dev, phase: phase, n: n, stored: stored, tune: t, leaf: leaf}
	s.secular = build(b, shaders.StedcSecular(), shaders.StedcSecularSpec{LocalSize: t.Lanes})
	s.weights = build(b, shaders.StedcWeights(), shaders.StedcWeightsSpec{LocalSize: t.Lanes})
	s.rows = build(b, shaders.StedcRows(), shaders.StedcRowsSpec{LocalSize: t.Lanes})
	s.leafNumbers = vk.Reserve[float64]("D&C leaf numbers", leafArrays*n)
	s.leafList = vk.Reserve[shaders.Leaf]("D&C leaves", n)
	s.numbers = vk.Reserve[float64]("D&C merge numbers", stored*allNumbers*n)
	s.mergeList = vk.Reserve[shaders.Merge]("D&C merges of values", stored*t.mostMerges(n))
	s.work = vk.Together(s.leafNumbers, s.leafList, s.numbers, s.mergeList)
	return s
}

// numbersOf returns the memory of count arrays of n numbers of a level, from the array named kind
// on. Levels after the last stored one share its memory.
func (s *valuesPass) numbersOf(ws *vk.Arena, level, kind, count int) vk.Slice[float64] {
	level = min(level, s.stored-1)
	return s.numbers.In(ws).Sub((level*allNumbers+kind)*s.n, count*s.n)
}

// mergesOf returns the list of a level's merges. It has the largest number of elements that a level
// can have.
func (s *valuesPass) mergesOf(ws *vk.Arena, level int) vk.Slice[shaders.Merge] {
	most := s.tune.mostMerges(s.n)
	return s.mergeList.In(ws).Sub(min(level, s.stored-1)*most, most)
}

// recordLeaves solves the leaves. numbers has e and d, n each, and receives d, the first rows and
// the last rows. The vectors go to the blocks of each side, unless the side's address is zero.
func (s *valuesPass) recordLeaves(
	rec *vk.Recorder, ws *vk.Arena, leaves []shaders.Leaf, numbers []float64, vectors [2]spirv.Addr[float64],
) {
	n := s.n
	list, all := s.leafList.In(ws), s.leafNumbers.In(ws)
	e, d, first, last := all, all.From(n), all.From(2*n), all.From(3*n)
	rec.Concurrently(func() {
		vk.SendFirst(rec, list, leaves)
		vk.SendFirst(rec, all, numbers[:2*n])
	})
	s.leaf.dispatch(rec, leavesPush{
		leaves: list.Addr(), e: e.Addr(), d: d.Addr(), first: first.Addr(), last: last.Addr(),
		vectors: vectors, count: len(leaves),
	})
	rec.Costs(s.leaf.flops * float64(n) * float64(s.tune.Leaf) * float64(s.tune.Leaf))
	vk.ReceiveLast(rec, numbers[n:], d)
}

// These are costs of the sums over all poles, in flops per term. Each term has a division. An
// equation takes about secularSums such sums until its root is found.
const (
	termFlops    = 12
	secularSums  = 8
	secularFlops = secularSums * termFlops
)

// moveBytes is the cost of moving an element, in bytes: the element is read and written. A dispatch
// that may have nothing to move counts as one element.
const moveBytes = 16

// rootsOf describes the secular equations of one level.
type rootsOf struct {
	level, merges, poles int  // level, number of merges, and largest number of poles of one merge
	weights              bool // whether ẑ is needed, for rows or for the vectors pass
	rows                 bool // whether a later merge needs the first and the last row of Q
}

// recordRoots solves the secular equations of a level, whose merges and numbers are on the device.
// A level may have more merges than a grid can have workgroups in Z. Then it takes several
// dispatches.
func (s *valuesPass) recordRoots(rec *vk.Recorder, ws *vk.Arena, x rootsOf) {
	list := s.mergesOf(ws, x.level).Addr()
	number := func(kind int) spirv.Addr[float64] { return s.numbersOf(ws, x.level, kind, 1).Addr() }
	d, z, mu, zhat := number(numberD), number(numberZ), number(numberMu), number(numberZHat)
	inPortions(x.merges, vk.MaxGroups(), func(first, count int) {
		merges, grid := list.Plus(first), columnGrid(x.poles, count)
		rho := number(numberRho).Plus(first)
		terms := float64(x.poles) * float64(x.poles) * float64(count) // largest number of terms: those of one sum for each root
		s.secular.Dispatch(rec, grid, shaders.StedcSecularPush{Merges: merges, Rho: rho, D: d, Z: z, Mu: mu})
		rec.Costs(secularFlops * terms)
		if x.weights {
			s.weights.Dispatch(rec, grid, shaders.StedcWeightsPush{Merges: merges, D: d, Z: z, Mu: mu, Zhat: zhat})
			rec.Costs(termFlops * terms)
		}
		if x.rows {
			s.rows.Dispatch(rec, grid, shaders.StedcRowsPush{
				Merges: merges, D: d, Mu: mu, Zhat: zhat, WFirst: number(numberFirstW), WLast: number(numberLastW),
				First: number(numberFirst), Last: number(numberLast),
			})
			rec.Costs(2 * termFlops * terms)
		}
	})
}
