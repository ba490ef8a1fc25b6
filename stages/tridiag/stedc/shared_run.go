package stedc

import (
	"time"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
)

// sharedRun is one solve in progress, and a dc.WholeBackend.
type sharedRun struct {
	*divideConquerRun // on the first device
	each              func(do func(k int) error) error
	devices           []*sharedDevice
	profiles          []*vk.Profile // one profile for each device

	// The results of sharedBlocksOf.
	last           dc.Pair
	blocks         []sharedBlock
	device, offset []int

	tree       dc.Tree
	leafOffset []int // offset of each leaf in found.leaves, by the leaf's first row
	found      sharedNumbers
	strip      int // largest number of elements that go to all devices at a time
}

type sharedDevice struct {
	*vectorsRun
	share   *ConquerShare
	party   *vk.Party
	runs    *recordings
	columns []int32 // columns of Q outside of the last merge that become vectors on this device

	from, to    int     // the device's vectors among those that are wanted
	done, total float64 // flops of the products that are done, and of all products
}

func newSharedRun(
	s *SharedConquer, devices []ConquerDevice, each func(do func(k int) error) error, progress func(vk.Progress),
) *sharedRun {
	r := &sharedRun{each: each, divideConquerRun: newDivideConquerRun(devices[0].Ctx, devices[0].Arena, &s.values)}
	r.progress = progress
	from, strip := 0, devices[0].Share.strip.Len()
	for k, x := range devices {
		runs := newRecordings(x.Ctx, x.Arena, x.Share.values)
		v := &sharedDevice{share: x.Share, party: x.Party, runs: &runs, from: from, to: from + x.X.Rows}
		v.vectorsRun = &vectorsRun{pass: &x.Share.vectors, values: x.Share.values, ws: x.Arena, xt: x.X, turns: 1, deflated: true}
		if k == 0 {
			v.runs = &r.recordings
		}
		r.devices, r.profiles = append(r.devices, v), append(r.profiles, x.Profile)
		from, strip = v.to, min(strip, x.Share.strip.Len())
	}
	r.strip = strip
	return r
}

func (r *sharedRun) solve(d, e []float64, opt dc.Options) ([]float64, error) {
	began := time.Now()
	opt.LeafSize = r.values.pass.tune.Leaf
	values, err := dc.SolveOn(r, d, e, opt)
	r.end(began)
	for k, v := range r.devices {
		r.profiles[k].Merge(v.runs.profile)
	}
	return values, err
}

// Values computes all eigenvalues on the first device. The host receives from it all that the other
// devices need to form vectors.
func (r *sharedRun) Values(tree dc.Tree, d, e []float64, order []int32) ([][]*dc.Merge, error) {
	n, levels := r.values.pass.n, len(tree.Levels)
	if n == 0 {
		return nil, nil
	}
	elements := 0
	r.tree = tree
	r.last, r.blocks, r.device, r.offset = sharedBlocksOf(tree, n)
	r.leafOffset, elements = packedLeaves(tree, n)
	first := r.devices[0]
	l, q := first.pass.lists.stepLists.withHost(n, levels), first.pass.q.In(r.ws)
	r.found = sharedNumbers{numbers: make([]float64, levels*allNumbers*n), steps: l, leaves: make([]float64, elements)}
	return r.find(tree, d, e, order, leafVectors{at: q.Addr(), offset: r.leafOffset, last: r.last, receive: func(rec *vk.Recorder) {
		rec.Concurrently(func() {
			for _, x := range []list[int32]{l.row, l.src, l.dst} {
				vk.ReceiveLast(rec, x.host, x.region.In(r.ws))
			}
			vk.ReceiveLast(rec, l.rotations.host, l.rotations.region.In(r.ws))
			vk.ReceiveLast(rec, l.chains.host, l.chains.region.In(r.ws))
			vk.ReceiveLast(rec, r.found.numbers, r.values.pass.numbers.In(r.ws))
			vk.ReceiveLast(rec, r.found.leaves, q)
		})
	}})
}

// In Vectors, each device forms its blocks, and then the blocks go to all devices, one after
// another. Each device has one recording.
func (r *sharedRun) Vectors(levels [][]*dc.Merge, wanted []int32) error {
	if r.values.pass.n == 0 {
		return nil
	}
	return r.each(func(k int) error {
		v := r.devices[k]
		v.plan(r, levels, wanted[v.from:v.to])
		return v.runs.run(func(rec *vk.Recorder) {
			v.recordBlocks(rec, r)
			for _, b := range r.blocks {
				if r.joined(b) {
					v.shareRows(rec, r, b)
				} else {
					v.shareColumns(rec, r, b)
				}
			}
		})
	})
}

func (r *sharedRun) joined(b sharedBlock) bool { return r.last.Lo <= b.lo && b.lo < r.last.Hi() }

// recordBlocks records the computation of the device's blocks, level by level. The last merge comes
// later.
func (v *sharedDevice) recordBlocks(rec *vk.Recorder, r *sharedRun) {
	v.lists.send(rec, v.ws)
	rec.Concurrently(func() {
		if v.share.device > 0 {
			vk.SendFirst(rec, v.values.numbers.In(v.ws), r.found.numbers)
		}
		for _, l := range r.tree.Leaves {
			if r.device[l.Lo] == v.share.device {
				at, size := r.leafOffset[l.Lo], l.N1*l.N1
				vk.SendFirst(rec, v.pass.q.In(v.ws).Sub(r.offset[l.Lo], size), r.found.leaves[at:at+size])
			}
		}
	})
	for _, p := range v.levels {
		if v.total += p.flops; p.lastMerge != nil {
			v.total += productFlops(p.lastMerge)
		}
	}
	for level := range v.levels {
		v.report(rec, v.levels[level].flops)
		v.recordLevel(rec, level)
	}
	if v.last.N() < v.pass.n {
		vk.Fill(rec, v.xt.At.Sub(0, v.xt.Rows*v.pass.n), 0)
	}
}

func (v *sharedDevice) report(rec *vk.Recorder, flops float64) {
	rec.Phase(v.values.phase, v.done, v.total)
	v.done += flops
}

// shareRows records how W, the rotated vectors of the last merge, goes to all devices: the rows of
// one half, some rows (a strip) at a time. Each device multiplies them by its columns of S, the
// vectors of the secular equation.
func (v *sharedDevice) shareRows(rec *vk.Recorder, r *sharedRun, b sharedBlock) {
	m, begin := v.levels[len(v.levels)-1].lastMerge, b.lo-r.last.Lo
	height := r.strip / m.N()
	for _, x := range r.devices {
		height = min(height, x.share.vectors.tune.atOnce(moveBytes*float64(m.N())))
	}
	strip := v.share.strip.In(v.ws)
	for first := 0; first < b.n; first += height {
		count := min(height, b.n-first)
		if v.share.device == b.device {
			v.recordStrip(rec, begin, first, count)
		}
		// W has the rotated vectors of the last merge. In its upper half the columns from Upper to
		// K−1 are zero, and in its lower half the columns before Lower. These columns are not sent.
		if begin == 0 {
			vk.Spread(rec, v.party, b.device, strip.Sub(0, m.Upper*count))
			vk.Spread(rec, v.party, b.device, strip.Sub(m.K*count, (m.N()-m.K)*count))
		} else {
			vk.Spread(rec, v.party, b.device, strip.Sub(m.Lower*count, (m.N()-m.Lower)*count))
		}
		if v.xt.Rows > 0 {
			v.recordProducts(rec, begin, first, count)
		}
	}
}

// recordStrip makes the rows [first, first+count) of one half of W, the rotated vectors of the last
// merge. `begin` is the first row of this half in the merge: 0 or N1.
func (v *sharedDevice) recordStrip(rec *vk.Recorder, begin, first, count int) {
	level, threads := len(v.levels)-1, v.pass.tune.Threads
	p := &v.levels[level]
	m, push := p.lastMerge, v.gatherPush(level)
	push.Merges = v.mergesAt(level, len(p.merges)+min(begin, 1))
	push.Chains, push.Count = v.lists.chains.at(v.ws, level*v.pass.n+m.Lo), uint32(m.N())
	push.W, push.First, push.Strip = v.share.strip.In(v.ws).Addr(), uint32(begin+first), uint32(count)
	v.pass.gather.Dispatch(rec, rowGrid(vk.Tiles(count, threads), m.N()), push)
	rec.Costs(moveBytes * float64(count) * float64(m.N()))
}

// recordProducts multiplies the strip of recordStrip by the device's columns of S, the vectors of
// the secular equation, some columns (a panel) at a time. It writes the products and the deflated
// columns to the result.
func (v *sharedDevice) recordProducts(rec *vk.Recorder, begin, first, count int) {
	s, level := v.pass, len(v.levels)-1
	p := &v.levels[level]
	m, strip, panel := p.lastMerge, v.share.strip.In(v.ws), s.panel.In(v.ws)
	v.report(rec, productFlops(m)*float64(count)/float64(m.N()))
	sorted := shaders.StedcSortPush{X: v.xt.Addr(), First: uint32(m.Lo + begin + first), Rows: uint32(count), Ldx: uint32(v.xt.Ld)}
	sorted.Q, sorted.Order, sorted.Place = strip.Addr(), v.lists.deflated.at(v.ws, 0), v.lists.deflatedPlace.at(v.ws, 0)
	v.recordSort(rec, sorted, len(v.lists.deflated.host))
	columns := m.To - m.From
	if columns == 0 {
		return
	}
	w, from := stages.NewMatrix(strip, count, m.Upper, count), 0
	if begin > 0 {
		w, from = stages.NewMatrix(strip.From(m.Lower*count), count, m.K-m.Lower, count), m.Lower
	}
	step := panelStep(columns, min(panel.Len()/(m.K+count), panel.Len()/s.n))
	for at := 0; at < columns; at += step {
		some := min(step, columns-at)
		v.recordColumns(rec, level, len(p.merges), m, at, some, panel)
		vectors, to := stages.NewMatrix(panel, m.K, some, m.K), stages.NewMatrix(panel.From(m.K*some), count, some, count)
		v.multiply(rec, w, vectors.Block(from, 0, w.Cols, some), to)
		sorted.Q, sorted.Order, sorted.Place = to.Addr(), 0, v.lists.place.at(v.ws, m.Lo+m.From+at)
		v.recordSort(rec, sorted, some)
	}
}

// recordSort copies `columns` columns to the result. There are several dispatches if they cost more
// than tune.Dispatch.
func (v *sharedDevice) recordSort(rec *vk.Recorder, push shaders.StedcSortPush, columns int) {
	rows := int(push.Rows)
	q := push.Q
	stages.InPortions(columns, v.pass.tune.atOnce(moveBytes*float64(rows)), func(first, count int) {
		part := push
		part.M, part.Place = uint32(count), push.Place.Plus(first)
		if push.Order != 0 {
			part.Order = push.Order.Plus(first)
		} else {
			part.Q = q.Plus(first * rows)
		}
		v.pass.sort.Dispatch(rec, vk.Groups{X: vk.Tiles(count, sortTile), Y: vk.Tiles(rows, sortTile), Z: 1}, part)
		rec.Costs(moveBytes * float64(rows) * float64(count))
	})
}

func (r *sharedRun) columnsOf(b sharedBlock) int { return min(b.n, r.strip/b.n) }

// shareColumns records how the vectors of a block that is no part of the last merge go to all
// devices, some columns at a time. The device copies those that it wants to its result.
func (v *sharedDevice) shareColumns(rec *vk.Recorder, r *sharedRun, b sharedBlock) {
	width := r.columnsOf(b)
	for first := 0; first < b.n; first += width {
		count := min(width, b.n-first)
		from := v.share.strip.In(v.ws)
		if v.share.device == b.device {
			from = v.pass.q.In(v.ws).From(r.offset[b.lo] + first*b.n)
		}
		vk.Spread(rec, v.party, b.device, from.Sub(0, count*b.n))
		if v.xt.Rows == 0 {
			continue
		}
		x, l := v.othersIn(b.lo+first, b.lo+first+count), &v.lists
		push := shaders.StedcSortPush{X: v.xt.Addr(), First: uint32(b.lo), Rows: uint32(b.n), Ldx: uint32(v.xt.Ld)}
		push.Q, push.Order, push.Place = from.Addr(), l.others.at(v.ws, x.First), l.othersPlace.at(v.ws, x.First)
		v.recordSort(rec, push, x.Last-x.First)
	}
}

var _ dc.WholeBackend = (*sharedRun)(nil)
