package stages

import (
	"math"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
)

// conquerValues is the first pass: leaves, roots, and the two rows of each block's vectors
// that the next merge reads.
type conquerValues struct {
	dev    *vk.Device
	n      int
	levels int // of which the numbers are kept
	tune   DivideConquerTuning

	leaf    *vk.Kernel[shaders.StedcLeafSpec, shaders.StedcLeafPush]
	secular *vk.Kernel[shaders.StedcSecularSpec, shaders.StedcSecularPush]
	weights *vk.Kernel[shaders.StedcWeightsSpec, shaders.StedcWeightsPush]
	rows    *vk.Kernel[shaders.StedcRowsSpec, shaders.StedcRowsPush]

	ends    vk.Region[float64] // of the leaves: e, d, first rows, last rows
	leaves  vk.Region[uint32]
	numbers vk.Region[float64] // of each level: n of each number below
	merges  vk.Region[uint32]  // of each level
	work    *vk.Layout
}

// The numbers of a level, in the order in which they lie: what the host sends,
// what the device returns, and what it keeps to itself.
const (
	numberD = iota
	numberZ
	numberFirstW
	numberLastW
	numberRho // one a merge
	sentNumbers

	numberMu    = sentNumbers
	numberFirst = numberMu + 1
	numberLast  = numberMu + 2
	numberZHat  = numberMu + 3
	allNumbers  = numberMu + 4

	returnedNumbers = numberZHat - numberMu
)

const (
	mergeWords = 12 // lo, n1, n, k, upper, lower, from, to, at, work
	leafWords  = 4  // lo, n, at
)

// mostMerges is how many merges a level can have: each is larger than a leaf.
func (t DivideConquerTuning) mostMerges(n int) int { return n/(t.Leaf+1) + 1 }

func newConquerValues(b *builder, n, levels int, t DivideConquerTuning) conquerValues {
	levels = max(levels, 1)
	s := conquerValues{dev: b.dev, n: n, levels: levels, tune: t}
	s.leaf = build(b, shaders.StedcLeaf(), shaders.StedcLeafSpec{LocalSize: t.Lanes, Leaf: uint32(t.Leaf)})
	s.secular = build(b, shaders.StedcSecular(), shaders.StedcSecularSpec{LocalSize: t.Lanes})
	s.weights = build(b, shaders.StedcWeights(), shaders.StedcWeightsSpec{LocalSize: t.Lanes})
	s.rows = build(b, shaders.StedcRows(), shaders.StedcRowsSpec{LocalSize: t.Lanes})
	s.ends, s.leaves = vk.Reserve[float64]("ends of leaves", 4*n), vk.Reserve[uint32]("leaves", leafWords*n)
	s.numbers = vk.Reserve[float64]("numbers of merges", levels*allNumbers*n)
	s.merges = vk.Reserve[uint32]("merges", levels*mergeWords*t.mostMerges(n))
	s.work = vk.Together(s.ends, s.leaves, s.numbers, s.merges)
	return s
}

// number is count kinds of numbers of a level, from the given one on.
func (s *conquerValues) number(ws *vk.Arena, level, first, count int) vk.Slice[float64] {
	level = min(level, s.levels-1)
	return s.numbers.In(ws).Sub((level*allNumbers+first)*s.n, count*s.n)
}

// mergeList is a level's merges.
func (s *conquerValues) mergeList(ws *vk.Arena, level int) vk.Slice[uint32] {
	words := mergeWords * s.tune.mostMerges(s.n)
	return s.merges.In(ws).Sub(min(level, s.levels-1)*words, words)
}

// Leaves implements dc.Backend.
func (c *conversation) Leaves(tree dc.Tree, d, e []float64, rows dc.Rows) error {
	n := c.n
	if n == 0 {
		return nil
	}
	c.last = len(tree.Levels) - 1
	push := shaders.StedcLeafPush{Count: uint32(len(tree.Leaves))}
	place := func(int) int { return 0 }
	if c.vectors != nil {
		c.vectors.begin(tree)
		place = func(lo int) int { return c.vectors.at[lo] }
		push.Q = c.vectors.q.In(c.ws).Addr()
	}
	var list []uint32
	for _, l := range tree.Leaves {
		at := wide(place(l.Lo))
		list = append(list, uint32(l.Lo), uint32(l.N1), at[0], at[1])
	}
	ends := c.ends.In(c.ws)
	numbers := make([]float64, 4*n)
	copy(numbers, e)
	copy(numbers[n:], d)
	push.Leaves, push.E, push.D = c.leaves.In(c.ws).Addr(), ends.Addr(), ends.From(n).Addr()
	push.First, push.Last = ends.From(2*n).Addr(), ends.From(3*n).Addr()
	err := c.run(func(rec *vk.Recorder) {
		rec.Concurrently(func() {
			vk.SendFirst(rec, c.leaves.In(c.ws), list)
			vk.SendFirst(rec, ends, numbers[:2*n])
		})
		c.leaf.Dispatch(rec, vk.Folded(len(tree.Leaves)), push)
		vk.ReceiveLast(rec, numbers[n:], ends.From(n))
	})
	if err != nil {
		return err
	}
	for _, l := range tree.Leaves {
		if math.IsNaN(numbers[n+l.Lo]) {
			return &NoConvergenceError{Lo: l.Lo, Hi: l.Hi()}
		}
	}
	copy(d, numbers[n:2*n])
	copy(rows.First, numbers[2*n:3*n])
	copy(rows.Last, numbers[3*n:])
	return nil
}

// Roots implements dc.Backend.
func (c *conversation) Roots(merges []*dc.Merge) error {
	n, level := c.n, c.level
	c.level++
	if c.vectors != nil {
		c.vectors.prepare(level, merges)
	}
	poles := 0
	list := make([]uint32, 0, mergeWords*len(merges))
	if c.sent == nil {
		c.sent = make([]float64, sentNumbers*n)
	}
	sent := c.sent
	for i, m := range merges {
		list = append(list, mergeRecord(m, 0, 0)...)
		copy(sent[numberD*n+m.Lo:], m.D)
		copy(sent[numberZ*n+m.Lo:], m.Z)
		copy(sent[numberFirstW*n+m.Lo:], m.W.First)
		copy(sent[numberLastW*n+m.Lo:], m.W.Last)
		sent[numberRho*n+i] = m.Rho
		poles = max(poles, m.K)
	}
	got := make([]float64, returnedNumbers*n)
	err := c.run(func(rec *vk.Recorder) {
		rec.Concurrently(func() {
			vk.SendFirst(rec, c.mergeList(c.ws, level), list)
			vk.SendFirst(rec, c.number(c.ws, level, 0, sentNumbers), sent)
		})
		c.recordRoots(rec, level, len(merges), poles)
		vk.ReceiveLast(rec, got, c.number(c.ws, level, numberMu, returnedNumbers))
	})
	if err != nil {
		return err
	}
	for _, m := range merges {
		m.Mu, m.Origin = got[m.Lo:m.Lo+m.K], make([]int32, m.K)
		for j, mu := range m.Mu {
			if math.IsNaN(mu) {
				return &InfoError{"divide and conquer", uint32(1 + m.Lo + j)}
			}
			m.Origin[j] = int32(j)
			if mu < 0 {
				m.Origin[j]++
			}
		}
		if level < c.last {
			copy(m.Q.First[:m.K], got[n+m.Lo:])
			copy(m.Q.Last[:m.K], got[2*n+m.Lo:])
		}
	}
	return nil
}

// recordRoots finds the roots of a level. Of the last one nobody needs rows of Q, and without
// vectors not even the weights.
func (c *conversation) recordRoots(rec *vk.Recorder, level, merges, poles int) {
	list := c.mergeList(c.ws, level).Addr()
	number := func(kind int) vk.Slice[float64] { return c.number(c.ws, level, kind, 1) }
	d, z, mu, zhat := number(numberD).Addr(), number(numberZ).Addr(), number(numberMu).Addr(), number(numberZHat).Addr()
	perMerge(merges, vk.MostGroups(), func(first, count int) {
		list, grid := list.Plus(first*mergeWords), inZ(poles, count)
		c.secular.Dispatch(rec, grid, shaders.StedcSecularPush{Merges: list, Rho: number(numberRho).Addr().Plus(first), D: d, Z: z, Mu: mu})
		if level == c.last && c.vectors == nil {
			return
		}
		c.weights.Dispatch(rec, grid, shaders.StedcWeightsPush{Merges: list, D: d, Z: z, Mu: mu, Zhat: zhat})
		if level == c.last {
			return
		}
		c.rows.Dispatch(rec, grid, shaders.StedcRowsPush{
			Merges: list, D: d, Mu: mu, Zhat: zhat, WFirst: number(numberFirstW).Addr(), WLast: number(numberLastW).Addr(),
			First: number(numberFirst).Addr(), Last: number(numberLast).Addr(),
		})
	})
}

// mergeRecord is a merge as the kernels read it (shaders/glsl/tridiag/merge.glsl).
func mergeRecord(m *dc.Merge, at, work int) []uint32 {
	q, w := wide(at), wide(work)
	return []uint32{
		uint32(m.Lo), uint32(m.N1), uint32(m.N()), uint32(m.K), uint32(m.Upper), uint32(m.Lower), uint32(m.From), uint32(m.To),
		q[0], q[1], w[0], w[1],
	}
}
