package stedc

import (
	"sync"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// stepLists holds the lists of the rotations and permutations by which merges change the vectors of
// their two blocks. The part of a level begins at element level·n. Within a level, the part of a
// merge begins at the index of its first row. If the host writes a list of chains (sequences of
// rotations that share columns), the parts of the merges follow one another without gaps instead.
type stepLists[T spirv.Real] struct {
	row, src, dst list[int32]         // dc.Merge.Row, Src and Dst, by level
	rotations     list[T]             // n cosines, then n sines, by level
	chains        list[shaders.Chain] // chains of each level
}

func newStepLists[T spirv.Real](n, levels int) stepLists[T] {
	return stepLists[T]{
		row: newList[int32]("D&C rows of poles", levels*n),
		src: newList[int32]("D&C sources", levels*n), dst: newList[int32]("D&C targets", levels*n),
		rotations: newList[T]("D&C rotations", levels*2*n),
		chains:    newList[shaders.Chain]("D&C chains", levels*n),
	}
}

func (l stepLists[T]) layout() *vk.Layout {
	return vk.Together(l.row.region, l.src.region, l.dst.region, l.rotations.region, l.chains.region)
}

func (l stepLists[T]) withHost(n, levels int) stepLists[T] {
	l.row, l.src, l.dst = l.row.withHost(levels*n), l.src.withHost(levels*n), l.dst.withHost(levels*n)
	l.rotations, l.chains = l.rotations.withHost(levels*2*n), l.chains.withHost(levels*n)
	return l
}

// vectorLists holds the lists that the kernels read while they form eigenvectors. In the list of
// merges, the part of a level begins at element level·mostMerges. The last merge of the tree comes
// after the other merges of its level.
type vectorLists struct {
	stepLists[float64]
	merges list[shaders.Merge] // mostMerges elements for each level

	columns list[shaders.Column] // place in memory of each column of Q
	place   list[int32]          // row of the result for each column of Q

	// Each pair of lists describes vectors of blocks that are eigenvectors of T already and are
	// only copied: their columns, and the rows of the result to which they are copied. `deflated`
	// has the deflated columns of the last merge; column 0 is the first column of the merge.
	// `others` has the columns of all blocks that the last merge does not contain.
	deflated, deflatedPlace list[int32]
	others, othersPlace     list[int32]
}

// newVectorLists reserves lists that are large enough for every solve. They have no memory on the
// host yet.
func newVectorLists(n, levels, mostMerges int) vectorLists {
	return vectorLists{
		stepLists: newStepLists[float64](n, levels),
		merges:    newList[shaders.Merge]("D&C merges of vectors", levels*mostMerges),
		columns:   newList[shaders.Column]("D&C columns", n),
		place:     newList[int32]("D&C places", n),
		deflated:  newList[int32]("D&C deflated columns", n), deflatedPlace: newList[int32]("D&C places of deflated columns", n),
		others: newList[int32]("D&C other columns", n), othersPlace: newList[int32]("D&C places of other columns", n),
	}
}

func (l vectorLists) layout() *vk.Layout {
	return vk.Together(l.stepLists.layout(), l.merges.region, l.columns.region, l.place.region, l.deflated.region, l.deflatedPlace.region, l.others.region, l.othersPlace.region)
}

// withHost returns the lists with new memory on the host, for a tree with the given number of
// levels, so that two solves do not share it. The four lists of columns that are only copied are
// empty; `complete` appends to them. The lists of rotations and permutations have host memory only
// if `steps` is true, which means that the host writes them.
func (l vectorLists) withHost(n, levels, mostMerges int, steps bool) vectorLists {
	if steps {
		l.stepLists = l.stepLists.withHost(n, levels)
	}
	l.merges, l.columns, l.place = l.merges.withHost(levels*mostMerges), l.columns.withHost(n), l.place.withHost(n)
	return l
}

// send copies all lists that have memory on the host to the device. The host memory must not change
// before the recording has run.
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

// vectorsRun forms the eigenvectors of one solve in progress. Its methods must be called in this
// order: begin, prepare or plan for each level, complete, record.
type vectorsRun struct {
	pass   *vectorsPass
	values *valuesPass[float64] // the values pass, which has the numbers of the merges
	ws     *vk.Arena
	xt     stages.Matrix // the result; before the last merge its memory is used for W and S

	// deflated is true if the kernel stedc_deflate writes the lists of rotations and permutations;
	// otherwise the host does.
	deflated bool

	// `turns` is the number of sets of vectors that the solve forms, and `turn` is the number of
	// sets that it forms before this set. The sets are formed one after another, and use the same
	// memory for the vectors of the solved blocks.
	turn, turns int

	tree   dc.Tree
	offset []int     // first element in Q of each block that is not merged yet, by the block's first row
	last   dc.Pair   // the merge of more than half of all rows; of order 0 if there is none
	others []dc.Pair // the blocks that are not merged and not formed by the last merge
	lists  vectorLists
	levels []levelPlan

	preparing sync.WaitGroup // waits for the goroutines that prepare starts; they write to lists and levels
}

// `leaves` returns the memory for the vectors of the leaves. It is the memory of the vectors of the
// solved blocks. If another set of vectors is formed there first, it is the memory of the result.
func (v *vectorsRun) leaves() vk.Slice[float64] {
	if v.turn > 0 {
		return v.xt.At.Sub(0, v.pass.q.Len())
	}
	return v.pass.q.In(v.ws)
}

type levelPlan struct {
	levelSizes
	merges []placedMerge // all merges of the level except the last merge of the tree
	chains []chainRange  // the chains of these merges

	lastMerge       *dc.Merge // nil if the last merge is not in this level
	lastMergeChains chainRange
}

// chainRange is the range [first, first+count) of a level's list of chains.
type chainRange struct{ first, count int }

// placedMerge is a merge with the offset of its matrix W in the memory of the result.
type placedMerge struct {
	merge *dc.Merge
	work  int
}

// begin chooses the offsets of the diagonal blocks of Q, the eigenvectors of the solved blocks of
// T. In memory, a merged block begins where its upper half begins, and the lower half follows the
// upper half. The example has three leaves a, b, c, of which a and b are merged first, and an
// independent leaf d:
//
//	leaves           │ a·a │ b·b │      │    c·c     │ d·d │
//	a, b merged      │  (a+b)·(a+b)     │    c·c     │ d·d │
//	the last merge   │  W's upper half  │ lower half │ d·d │   its product goes to the result
//
// A merged block needs more memory than its two halves, so there is free memory after the halves.
// begin panics if the blocks need more memory than vectorsPass.blocks has reserved, which would be
// a defect of vectorsPass.blocks.
func (v *vectorsRun) begin(tree dc.Tree) {
	n := v.pass.n
	// Each block that is never merged into a larger block has its own range in the memory of the
	// vectors. The parts of the block fit into this range, because two blocks of orders N1 and N2
	// need less memory than the merged block: N1² + N2² < (N1+N2)².
	v.tree, v.offset = tree, make([]int, n)
	v.lists = v.pass.lists.withHost(n, len(tree.Levels), v.pass.tune.mostMerges(n), !v.deflated)
	v.levels = make([]levelPlan, len(tree.Levels))
	placed, end := make([]bool, n), 0 // placed: by first row, whether the block has a place; end: the first free element of Q
	root := func(p dc.Pair) {         // places a block that is not part of a merge
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

// prepare starts a goroutine that writes the lists of a level while the device solves its secular
// equations. The goroutine neither writes to `merges` nor reads the roots of these merges.
func (v *vectorsRun) prepare(level int, merges []*dc.Merge) {
	v.preparing.Add(1)
	go func() {
		defer v.preparing.Done()
		v.levels[level] = v.plan(level, merges)
	}()
}

// plan writes the lists of a level, except the list of merges, which `complete` writes, and except
// the lists of rotations that the device has written. If the level contains the last merge of the
// tree, plan stores it in p.lastMerge.
func (v *vectorsRun) plan(level int, merges []*dc.Merge) (p levelPlan) {
	for _, m := range merges {
		if m.Pair == v.last {
			p.lastMerge = m
			continue
		}
		p.merges = append(p.merges, placedMerge{merge: m})
		p.rows, p.half = max(p.rows, m.N()), max(p.half, m.N1, m.N2)
		p.deflatedColumns = max(p.deflatedColumns, m.N()-m.K)
	}
	if v.deflated {
		v.findChains(&p)
	} else {
		v.writeSteps(level, &p)
	}
	return p
}

// findChains sets the ranges of a level's chains if the kernel stedc_deflate has written them. Then
// the list of chains has one element for each row of the matrix. The elements for rows outside the
// level's merges are empty chains.
func (v *vectorsRun) findChains(p *levelPlan) {
	if p.lastMerge == nil {
		p.chains = []chainRange{{0, v.pass.n}}
		return
	}
	lo, hi := p.lastMerge.Lo, p.lastMerge.Hi()
	p.lastMergeChains = chainRange{lo, hi - lo}
	for _, r := range []chainRange{{0, lo}, {hi, v.pass.n - hi}} {
		if r.count > 0 {
			p.chains = append(p.chains, r)
		}
	}
}

// writeSteps writes the lists of a level's rotations and permutations, and sets the ranges of its
// chains.
func (v *vectorsRun) writeSteps(level int, p *levelPlan) {
	chains := 0
	for i, m := range p.merges {
		chains += v.writeMerge(m.merge, level, i, chains)
	}
	p.chains = []chainRange{{0, chains}}
	if p.lastMerge != nil {
		p.lastMergeChains = chainRange{chains, v.writeMerge(p.lastMerge, level, len(p.merges), chains)}
	}
}

// writeMerge writes the lists of one merge of a level. Its chains become the chains number `chain`,
// `chain`+1, … of the level. writeMerge returns how many chains the merge has. Calls for different
// merges write different elements, so they may run at the same time.
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

// complete writes the remaining lists when the wanted vectors are known, after the goroutines of
// `prepare`. `order` is the argument of dc.Backend.Vectors. `levels` must have the same merges as
// the calls of `prepare`.
func (v *vectorsRun) complete(levels [][]*dc.Merge, order []int32) {
	v.preparing.Wait()
	for level := range levels {
		v.placeMerges(level)
	}
	v.placeColumns(order)
}

// placeMerges chooses the offsets of the matrices W and S of a level's merges in the memory of the
// result, and writes the list of merges. The merges follow one another. Each merge has these packed
// matrices (the leading dimension is the number of rows):
//
//	upper W        N1 × Upper
//	lower W        N2 × (K − Lower)
//	deflated W     N × (N − K)
//	S              K × (To − From)
//
// A column of W that is zero in one half is not stored in this half. placeMerges panics if the
// matrices need more than vectorsPass.room elements.
func (v *vectorsRun) placeMerges(level int) {
	p, work := &v.levels[level], 0 // work: the first free element of the result's memory
	records := v.lists.merges.host[level*v.pass.tune.mostMerges(v.pass.n):]
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
	if work > v.pass.room {
		panic("stages: W and S of divide and conquer do not fit")
	}
}

func productFlops(m *dc.Merge) float64 {
	return 2 * float64(m.To-m.From) * (float64(m.N1)*float64(m.Upper) + float64(m.N2)*float64(m.K-m.Lower))
}

// placeColumns writes the row of the result for each wanted column of Q, the vectors of the solved
// blocks. It also lists the eigenvectors that are columns of Q already, because the last merge does
// not change them: their offsets in memory, and the rows of the result to which they are copied.
// order[j] is the column of Q that becomes vector j of the result, for all wanted columns.
func (v *vectorsRun) placeColumns(order []int32) {
	l, poles := &v.lists, 0 // poles: the number of poles of the last merge, which is always in the last level
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
