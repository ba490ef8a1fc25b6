package stedc

import (
	"cmp"
	"slices"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
)

// sharedBlock is a solved block of T, rows [lo, lo+n), whose vectors go from the device that forms
// them to all other devices. It is one of the two blocks that the last merge joins, or a block that
// is no part of a larger one.
type sharedBlock struct{ lo, n, device int }

// sharedBlocksOf returns the last merge of a tree, of order 0 if no merge has more than half of the
// n rows, and the blocks that go to all devices, in the order of their rows. device[row] is the
// device on which the block of this row is formed. offset[row] is, for the first row of a block,
// the offset in Q on this device (see vectorsRun.begin).
func sharedBlocksOf(tree dc.Tree, n int) (last dc.Pair, blocks []sharedBlock, device, offset []int) {
	placed := make([]bool, n)
	root := func(p dc.Pair) {
		switch {
		case placed[p.Lo]:
			return
		case 2*p.N() > n && p.N2 > 0:
			last = p
			placed[p.Lo], placed[p.Lo+p.N1] = true, true
			blocks = append(blocks, sharedBlock{lo: p.Lo, n: p.N1}, sharedBlock{lo: p.Lo + p.N1, n: p.N2})
		default:
			placed[p.Lo] = true
			blocks = append(blocks, sharedBlock{lo: p.Lo, n: p.N()})
		}
	}
	for _, pairs := range slices.Backward(tree.Levels) {
		for _, p := range pairs {
			root(p)
			placed[p.Lo+p.N1] = true
		}
	}
	for _, p := range tree.Leaves {
		root(p)
	}
	offset, device = assign(blocks, n), make([]int, n)
	for _, b := range blocks {
		for i := range b.n {
			device[b.lo+i] = b.device
		}
	}
	for _, pairs := range slices.Backward(tree.Levels) {
		for _, p := range pairs {
			if p != last {
				offset[p.Lo+p.N1] = offset[p.Lo] + p.N1*p.N1
			}
		}
	}
	slices.SortFunc(blocks, func(a, b sharedBlock) int { return cmp.Compare(a.lo, b.lo) })
	return last, blocks, device, offset
}

// assign chooses the device of each block: the largest one first, each on the device that has the
// fewest elements so far. If no block has more than half of the n rows, no device gets more
// elements than one block of half of the rows has, which is about n²/4. offset[row] is the offset
// of the block with this first row among the blocks of its device.
func assign(blocks []sharedBlock, n int) (offset []int) {
	slices.SortStableFunc(blocks, func(a, b sharedBlock) int { return cmp.Compare(b.n, a.n) })
	offset = make([]int, n)
	var used [blockOwners]int
	for i := range blocks {
		b := &blocks[i]
		for k := range used {
			if used[k] < used[b.device] {
				b.device = k
			}
		}
		offset[b.lo] = used[b.device]
		used[b.device] += b.n * b.n
	}
	return offset
}

// sharedNumbers holds what the vectors need from the values pass on the first device.
type sharedNumbers struct {
	numbers []float64
	steps   stepLists[float64] // the lists on the host
	leaves  []float64          // the vectors of the leaves, one leaf after another, in the order of the rows
}

// plan prepares the lists of a device for its own blocks and for its vectors of the last merge.
// `levels` holds all merges. `wanted` holds the columns of the merged matrix that become vectors on
// this device.
func (v *sharedDevice) plan(r *sharedRun, levels [][]*dc.Merge, wanted []int32) {
	n := v.pass.n
	v.last, v.offset, v.levels = r.last, r.offset, make([]levelPlan, len(levels))
	v.lists = v.pass.lists.withHost(n, len(levels), v.pass.tune.mostMerges(n), false)
	chains := slices.Clone(r.found.steps.chains.host)
	l, found := &v.lists, &r.found.steps
	l.row.host, l.src.host, l.dst.host = found.row.host, found.src.host, found.dst.host
	l.rotations.host, l.chains.host = found.rotations.host, chains
	own := make([][]*dc.Merge, len(levels))
	for level, merges := range levels {
		for _, m := range merges {
			if m.Pair == r.last {
				c := *m
				c.Restrict(wanted)
				m = &c
			} else if r.device[m.Lo] != v.share.device {
				continue
			}
			own[level] = append(own[level], m)
		}
		p := v.vectorsRun.plan(level, own[level])
		p.chains = v.chainsOf(r)
		// The kernel stedc_deflate has numbered the merges of all devices. The lists of this device
		// have only its own ones, and the last merge is a list by itself.
		number := func(m *dc.Merge, i int) {
			for c := level*n + m.Lo; c < level*n+m.Hi(); c++ {
				chains[c].Merge = uint32(i)
			}
		}
		for i, m := range p.merges {
			number(m.merge, i)
		}
		if p.lastMerge != nil {
			number(p.lastMerge, 0)
		}
		v.levels[level] = p
	}
	v.complete(own, wanted)
	v.lower()
	v.sortOthers(r)
}

// chainsOf returns the ranges of the chains of a level, in the device's own blocks. At the level of
// the last merge, a device that has one of its halves must have no other merge, because the chains
// in the halves belong to the last merge. assign guarantees this: a block with a merge of that
// level is larger than both halves, so it is on one device, and both halves are on the other one.
func (v *sharedDevice) chainsOf(r *sharedRun) (ranges []chainRange) {
	for _, b := range r.blocks {
		if b.device == v.share.device {
			ranges = append(ranges, chainRange{b.lo, b.n})
		}
	}
	return ranges
}

// lower adds a second record of the last merge, for the rows of its lower half. A record has one
// offset in the memory of the vectors, that of the upper block, and a kernel looks for the lower
// block N1² elements after it. On this device the lower block lies elsewhere. So the offset of the
// second record is that of the lower block minus N1². The list has room: mostMerges is at least one
// more than the number of merges of the level.
func (v *sharedDevice) lower() {
	if v.last.N() == 0 {
		return
	}
	level := len(v.levels) - 1
	p := &v.levels[level]
	m, records := p.lastMerge, v.lists.merges.host[level*v.pass.tune.mostMerges(v.pass.n):]
	records[len(p.merges)+1] = newMerge(m, v.offset[m.Lo+m.N1]-m.N1*m.N1, 0)
}

// sortOthers sorts the wanted columns of those blocks that the last merge does not join. These
// columns are sent in portions (see shareColumns), and those of each portion must follow one
// another in the lists. On the device, a column counts from the first one of its portion.
func (v *sharedDevice) sortOthers(r *sharedRun) {
	l := &v.lists
	type pair struct{ column, place int32 }
	pairs := make([]pair, len(l.others.host))
	for i, c := range l.others.host {
		pairs[i] = pair{c, l.othersPlace.host[i]}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.column, b.column) })
	v.columns = make([]int32, len(pairs))
	for i, p := range pairs {
		v.columns[i], l.othersPlace.host[i] = p.column, p.place
	}
	for _, b := range r.blocks {
		if r.joined(b) {
			continue
		}
		for i := v.othersIn(b.lo, b.lo+b.n); i.First < i.Last; i.First++ {
			l.others.host[i.First] = (v.columns[i.First] - int32(b.lo)) % int32(r.columnsOf(b))
		}
	}
}

func (v *sharedDevice) othersIn(from, to int) stages.Span {
	at := func(c int) int { i, _ := slices.BinarySearch(v.columns, int32(c)); return i }
	return stages.Span{First: at(from), Last: at(to)}
}

// packedLeaves places the vectors of the leaves one after another. It returns their offsets, by the
// first row of each leaf, and the number of elements of all vectors.
func packedLeaves(tree dc.Tree, n int) (offset []int, elements int) {
	offset = make([]int, n)
	for _, l := range tree.Leaves {
		offset[l.Lo] = elements
		elements += l.N1 * l.N1
	}
	return offset, elements
}
