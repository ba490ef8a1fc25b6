package stages

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// valuesPass is the first pass, prepared for matrices of order n. It solves the leaves and the
// secular equations, and finds the two rows of each block's vectors that the next merge reads.
type valuesPass struct {
	dev    *vk.Device
	phase  string // of the solve: Phase…
	n      int
	stored int // levels whose numbers are kept, at least one; later levels overwrite the last of them
	tune   DivideConquerTuning

	// Kernels, in the order in which they run.
	leaf    leafKernel
	secular *vk.Kernel[shaders.StedcSecularSpec, shaders.StedcSecularPush]
	weights *vk.Kernel[shaders.StedcWeightsSpec, shaders.StedcWeightsPush]
	rows    *vk.Kernel[shaders.StedcRowsSpec, shaders.StedcRowsPush]

	leafList    vk.Region[shaders.Leaf]  // n, the most that there can be
	leafNumbers vk.Region[float64]       // e, d, first rows, last rows: n each, so that one copy takes them
	mergeList   vk.Region[shaders.Merge] // mostMerges for each stored level
	numbers     vk.Region[float64]       // allNumbers·n for each stored level
	work        *vk.Layout
}

// leafKernel is a kernel that solves leaves.
type leafKernel struct {
	dispatch func(rec *vk.Recorder, leaves leavesPush)
	flops    float64 // what the iteration costs for a row of a leaf, in units of Leaf²
}

// leavesPush says where leaves and their numbers are. vectors has the blocks of each side: of W and S,
// or of Q alone; 0 stands for vectors that are not wanted.
type leavesPush struct {
	leaves            spirv.Addr[shaders.Leaf]
	d, e, first, last spirv.Addr[float64]
	vectors           [2]spirv.Addr[float64]
	count             int
}

// symmetricLeaves builds the kernel for leaves of a symmetric tridiagonal matrix. Rotations of six
// flops turn two elements of the vectors; there are two sweeps for each row.
func symmetricLeaves(b *builder, t DivideConquerTuning) leafKernel {
	kernel := build(b, shaders.StedcLeaf(), shaders.StedcLeafSpec{LocalSize: t.Lanes, Leaf: uint32(t.Leaf)})
	return leafKernel{flops: 12, dispatch: func(rec *vk.Recorder, x leavesPush) {
		kernel.Dispatch(rec, vk.Folded(x.count), shaders.StedcLeafPush{
			Leaves: x.leaves, E: x.e, D: x.d, First: x.first, Last: x.last, Q: x.vectors[0], Count: uint32(x.count),
		})
	}}
}

// leafArrays is how many arrays of n numbers the leaves have.
const leafArrays = 4

// The arrays of n numbers of a level, in the order in which they lie. One copy takes those that the
// host uploads, another one those that it receives. The numbers of a merge begin at its first row;
// only numberRho has one number for each merge, in the order of the merges.
const (
	numberD         = iota // poles
	numberZ                // weights
	numberFirstW           // first row of W, by pole
	numberLastW            // last row of W, by pole
	numberRho              // factors ρ
	uploadedNumbers        // how many arrays the host uploads

	numberMu        = uploadedNumbers       // offsets of the roots from their poles
	numberFirst     = numberMu + 1          // first row of the merged Q, by column
	numberLast      = numberMu + 2          // last row of it
	numberZHat      = numberMu + 3          // weights ẑ, which stay on the device
	allNumbers      = numberMu + 4          // how many arrays there are
	receivedNumbers = numberZHat - numberMu // how many arrays the host receives
)

// newValuesPass prepares for matrices of order n, whose leaves the kernel solves. The numbers of all levels are kept if stored is
// the number of levels. An error of a kernel goes to b. If fewer levels are kept, later levels
// overwrite the numbers of the last of them, which no vectors pass may then read.
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

// numbersOf returns count arrays of n numbers of a level, from the given kind on. Levels past the
// last stored one share its memory.
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

// What the sums over all poles cost, in flops per term. Each term has a division. An equation takes
// about secularSums of them until its root is found.
const (
	termFlops    = 12
	secularSums  = 8
	secularFlops = secularSums * termFlops
)

// moveBytes is what it costs to move an element, in bytes: it is read and written. A dispatch that may
// find nothing to move counts as one element.
const moveBytes = 16

// rootsOf describes the secular equations of one level.
type rootsOf struct {
	level, merges, poles int  // the number of merges, and the largest number of poles of one
	weights              bool // ẑ is needed: for rows, or for the vectors pass
	rows                 bool // a later merge needs the first and the last row of Q
}

// recordRoots solves the secular equations of a level, whose merges and numbers are on the device.
// A level may have more merges than a grid has workgroups in z; it then takes several dispatches.
func (s *valuesPass) recordRoots(rec *vk.Recorder, ws *vk.Arena, x rootsOf) {
	list := s.mergesOf(ws, x.level).Addr()
	number := func(kind int) spirv.Addr[float64] { return s.numbersOf(ws, x.level, kind, 1).Addr() }
	d, z, mu, zhat := number(numberD), number(numberZ), number(numberMu), number(numberZHat)
	inPortions(x.merges, vk.MaxGroups(), func(first, count int) {
		merges, grid := list.Plus(first), columnGrid(x.poles, count)
		rho := number(numberRho).Plus(first)
		terms := float64(x.poles) * float64(x.poles) * float64(count) // of one sum for each root, at most
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
