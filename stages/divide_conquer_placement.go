package stages

import (
	"sync"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
)

// vectorLists are the lists that the kernels of the vectors pass read. Those of a level begin at
// element level·n, those of one merge at its first row after that, but for chains and merges, which
// follow one another. The last merge of all comes after the others of its level.
type vectorLists struct {
	row, src, dst list[int32]         // by level: dc.Merge.Row, Src and Dst
	rotations     list[float64]       // by level: n cosines, then n sines
	chains        list[shaders.Chain] // by level
	merges        list[shaders.Merge] // mostMerges for each level

	columns list[shaders.Column] // by column of Q: where it lies
	place   list[int32]          // by column of Q: which vector of the result it becomes

	// Columns of Q that no product makes, and which vectors of the result they become: the
	// deflated ones of the last merge, counted from its first column, and those of all blocks
	// that the last merge does not touch.
	deflated, deflatedPlace list[int32]
	others, othersPlace     list[int32]
}

// newVectorLists reserves the lists for matrices of order n, with trees of at most `levels` levels
// and merges per level. They have no memory on the host. Each list has the largest size that a
// solve can need.
func newVectorLists(n, levels, mostMerges int) vectorLists {
	return vectorLists{
		row: newList[int32]("D&C rows of poles", levels*n),
		src: newList[int32]("D&C sources", levels*n), dst: newList[int32]("D&C targets", levels*n),
		rotations: newList[float64]("D&C rotations", levels*2*n),
		chains:    newList[shaders.Chain]("D&C chains", levels*n),
		merges:    newList[shaders.Merge]("D&C merges of vectors", levels*mostMerges),
		columns:   newList[shaders.Column]("D&C columns", n),
		place:     newList[int32]("D&C places", n),
		deflated:  newList[int32]("D&C deflated columns", n), deflatedPlace: newList[int32]("D&C places of deflated columns", n),
		others: newList[int32]("D&C other columns", n), othersPlace: newList[int32]("D&C places of other columns", n),
	}
}

// layout returns the device memory of all lists, O(n·levels).
func (l vectorLists) layout() *vk.Layout {
	return vk.Together(l.row.region, l.src.region, l.dst.region, l.rotations.region, l.chains.region, l.merges.region,
		l.columns.region, l.place.region, l.deflated.region, l.deflatedPlace.region, l.others.region, l.othersPlace.region)
}

// withHost returns the lists with memory on the host for a tree of some levels. The four lists of
// columns that no product makes are empty: complete appends to them. The host memory is new, so
// that solves in flight do not share it.
func (l vectorLists) withHost(n, levels, mostMerges int) vectorLists {
	l.row, l.src, l.dst = l.row.withHost(levels*n), l.src.withHost(levels*n), l.dst.withHost(levels*n)
	l.rotations, l.chains = l.rotations.withHost(levels*2*n), l.chains.withHost(levels*n)
	l.merges, l.columns, l.place = l.merges.withHost(levels*mostMerges), l.columns.withHost(n), l.place.withHost(n)
	return l
}

// send records the copies of all lists to the device. The host memory must not change before the
// recording has run.
func (l vectorLists) send(rec *vk.Recorder, ws *vk.Arena) {
	rec.Concurrently(func() {
		for _, v := range []list[int32]{l.row, l.src, l.dst, l.place} {
			v.send(rec, ws)
		}
		for _, v := range []list[int32]{l.deflated, l.deflatedPlace, l.others, l.othersPlace} {
			v.send(rec, ws)
		}
		l.rotations.send(rec, ws)
		l.chains.send(rec, ws)
		l.merges.send(rec, ws)
		l.columns.send(rec, ws)
	})
}

// vectorsRun is the vectors pass of one solve in flight. Its methods are called in this order:
// begin, prepare for each level, complete, record.
type vectorsRun struct {
	pass   *vectorsPass
	values *valuesPass // has the numbers of the merges
	ws     *vk.Arena
	xt     Matrix // the result; until the last merge, memory for W and S

	// turn of turns says how many vectors passes of the solve come before this one, and how many there
	// are. They use the same memory for Q, one after the other.
	turn, turns int

	tree   dc.Tree
	offset []int     // by first row of a block that is not merged yet: its first element in Q
	last   dc.Pair   // the merge of more than half of all rows; of order 0 if there is none
	others []dc.Pair // the blocks that neither a merge takes nor the last merge makes
	lists  vectorLists
	levels []levelPlan

	preparing sync.WaitGroup // of the goroutines that prepare starts; they write to lists and levels
}

// leaves returns the memory to which the leaves' vectors go: Q, or, while another pass uses Q, the
// result.
func (v *vectorsRun) leaves() vk.Slice[float64] {
	if v.turn > 0 {
		return v.xt.At.Sub(0, v.pass.q.Len())
	}
	return v.pass.q.In(v.ws)
}

// levelPlan is what the dispatches of one level depend on. Sizes are the largest of all merges.
type levelPlan struct {
	merges []placedMerge // all but the last merge of the tree
	chains int           // of these merges

	rows, half      int // of a merge: both halves, the larger half
	columns, inner  int // of a product
	deflatedColumns int
	flops           float64   // of the products
	lastMerge       *dc.Merge // nil if it is not in this level
	lastMergeChains int
}

// placedMerge is a merge and the first element of its W in the result's memory.
type placedMerge struct {
	merge *dc.Merge
	work  int
}

// begin places the blocks of Q. A merged block begins where its upper half begins; the lower half
// follows the upper one. For three leaves a, b, c, of which the first two are merged first, and an
// independent leaf d:
//
//	leaves           │ a·a │ b·b │      │    c·c     │ d·d │
//	a, b merged      │  (a+b)·(a+b)     │    c·c     │ d·d │
//	the last merge   │  W's upper half  │ lower half │ d·d │   its product goes to the result
//
// Memory that is free before a merge makes the merged block fit. It panics if the blocks need more
// memory than was reserved, which would be a defect of vectorsPass.blocks.
func (v *vectorsRun) begin(tree dc.Tree) {
	n := v.pass.n
	// Q has a piece of memory for each block that no merge takes. All blocks below it lie within
	// that piece, as pairs of blocks need no more than their merged block, N1² + N2² < N².
	v.tree, v.offset = tree, make([]int, n)
	v.lists = v.pass.lists.withHost(n, len(tree.Levels), v.pass.tune.mostMerges(n))
	v.levels = make([]levelPlan, len(tree.Levels))
	placed, end := make([]bool, n), 0 // by first row: the block is placed; the first free element of Q
	root := func(p dc.Pair) {         // places a block that no merge takes
		if placed[p.Lo] {
			return
		}
		placed[p.Lo], v.offset[p.Lo] = true, end
		if 2*p.N() > n && p.N2 > 0 {
			v.last = p
			end += p.N1*p.N1 + p.N2*p.N2 // the product goes to the result
		} else {
			v.others = append(v.others, p)
			end += p.N() * p.N()
		}
	}
	for l := len(tree.Levels) - 1; l >= 0; l-- {
		for _, p := range tree.Levels[l] {
			root(p)
			placed[p.Lo+p.N1], v.offset[p.Lo+p.N1] = true, v.offset[p.Lo]+p.N1*p.N1
		}
	}
	for _, p := range tree.Leaves {
		root(p)
	}
	if end > v.pass.q.Len() {
		panic("stages: the blocks of divide and conquer do not fit")
	}
}

// prepare starts to write the lists of a level, while the device looks for roots. The merges are
// only read, but for their secular equations, which are not looked at.
func (v *vectorsRun) prepare(level int, merges []*dc.Merge) {
	v.preparing.Add(1)
	go func() {
		defer v.preparing.Done()
		v.levels[level] = v.plan(level, merges)
	}()
}

// plan writes the lists of a level, but for those of its merges, which complete places. The last
// merge of all is kept apart, in p.lastMerge. Costs and sizes of products are left to placeMerges.
func (v *vectorsRun) plan(level int, merges []*dc.Merge) (p levelPlan) {
	for _, m := range merges {
		if m.Pair == v.last {
			p.lastMerge = m
			continue
		}
		p.chains += v.writeMerge(m, level, len(p.merges), p.chains)
		p.merges = append(p.merges, placedMerge{merge: m})
		p.rows, p.half = max(p.rows, m.N()), max(p.half, m.N1, m.N2)
		p.deflatedColumns = max(p.deflatedColumns, m.N()-m.K)
	}
	if p.lastMerge != nil {
		p.lastMergeChains = v.writeMerge(p.lastMerge, level, len(p.merges), p.chains)
	}
	return p
}

// writeMerge writes the lists of merge number index of a level. A chain is a run of rotations that
// share columns; writeMerge stores the merge's chains from number `chain` on, and returns how many
// there are. Calls for different merges write to different elements, so that levels may be written
// at the same time.
func (v *vectorsRun) writeMerge(m *dc.Merge, level, index, chain int) (chains int) {
	n, l := v.pass.n, &v.lists
	first := level*n + m.Lo
	copy(l.row.host[first:], m.Row)
	copy(l.src.host[first:], m.Src)
	copy(l.dst.host[first:], m.Dst)
	cosines, sines := l.rotations.host[2*level*n:], l.rotations.host[(2*level+1)*n:]
	copy(cosines[m.Lo:], m.Cos)
	copy(sines[m.Lo:], m.Sin)
	chains = len(m.Chain) - 1
	for c := range chains {
		from, to := uint32(m.Chain[c]), uint32(m.Chain[c+1])
		l.chains.host[level*n+chain+c] = shaders.Chain{Merge: uint32(index), First: from, End: to}
	}
	return chains
}

// complete writes the rest of the lists, once it is known which vectors are wanted. order is that
// of dc.Backend's Vectors. It waits for the goroutines of prepare. levels must have the merges that
// prepare was given.
func (v *vectorsRun) complete(levels [][]*dc.Merge, order []int32) {
	v.preparing.Wait()
	for level := range levels {
		v.placeMerges(level)
	}
	v.placeColumns(order)
}

// placeMerges places W and S of a level's merges in the result's memory, and writes their list. For
// each merge, one after another and each packed (its leading dimension is its number of rows):
//
//	upper W        N1 × Upper
//	lower W        N2 × (K − Lower)
//	deflated W     N × (N − K)
//	S              K × (To − From)
//
// Columns of W that are zero in a half are not stored there. It panics if they need more than n²
// elements.
func (v *vectorsRun) placeMerges(level int) {
	p, work := &v.levels[level], 0 // work: the first free element of the result's memory
	records := v.lists.merges.host[level*v.pass.tune.mostMerges(v.pass.n):]
	// W's two halves, the deflated columns, and S follow one another, as in merge.glsl.
	for i := range p.merges {
		m := p.merges[i].merge
		records[i], p.merges[i].work = newMerge(m, v.offset[m.Lo], work), work
		columns := m.To - m.From
		work += m.N1*m.Upper + m.N2*(m.K-m.Lower) + m.N()*(m.N()-m.K) + m.K*columns
		p.columns, p.inner = max(p.columns, columns), max(p.inner, m.Upper, m.K-m.Lower)
		p.flops += productFlops(m)
	}
	if m := p.lastMerge; m != nil {
		records[len(p.merges)] = newMerge(m, v.offset[m.Lo], 0)
	}
	if work > v.pass.n*v.pass.n {
		panic("stages: W and S of divide and conquer do not fit")
	}
}

// productFlops is the cost of a merge's products. Each multiply-add counts as two operations.
func productFlops(m *dc.Merge) float64 {
	return 2 * float64(m.To-m.From) * (float64(m.N1)*float64(m.Upper) + float64(m.N2)*float64(m.K-m.Lower))
}

// placeColumns lists where the columns of Q lie that the last merge does not make, and which vectors of the result they become.
// order[j] is the column of Q that becomes vector j of the result; columns that are not wanted are
// missing from it.
func (v *vectorsRun) placeColumns(order []int32) {
	l, poles := &v.lists, 0 // poles: of the last merge, which is always in the last level
	if levels := v.levels; len(levels) > 0 && levels[len(levels)-1].lastMerge != nil {
		poles = levels[len(levels)-1].lastMerge.K
	}
	for j, c := range order {
		l.place.host[c] = int32(j)
		switch column := int(c) - v.last.Lo; {
		case column < 0 || column >= v.last.N():
			l.others.host = append(l.others.host, c)
			l.othersPlace.host = append(l.othersPlace.host, int32(j))
		case column >= poles:
			l.deflated.host = append(l.deflated.host, int32(column))
			l.deflatedPlace.host = append(l.deflatedPlace.host, int32(j))
		}
	}
	for _, p := range v.others {
		for c := range p.N() {
			at := wide(v.offset[p.Lo] + c*p.N())
			l.columns.host[p.Lo+c] = shaders.Column{From: uint32(p.Lo), To: uint32(p.Hi()), At: at}
		}
	}
}
