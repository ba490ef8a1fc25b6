package stages

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// strided is a grid dimension for kernels that copy columns: they stride over the rest.
func strided(columns int) int { return min(columns, 4096, vk.MostGroups()) }

// recording is what all dispatches of a second pass have in common.
type recording struct {
	*conquest
	c   *conversation
	rec *vk.Recorder
	q   spirv.Addr[float64]
	x   spirv.Addr[float64]
	n   uint32
}

func (x *conquest) record(rec *vk.Recorder, c *conversation) {
	if x.n == 0 {
		return
	}
	x.recordLists(rec, c.ws)
	r := recording{x, c, rec, x.q.In(c.ws).Addr(), x.xt.Addr(), uint32(x.n)}
	done, total := 0.0, 0.0
	var last *levelSizes
	for i := range x.levels {
		s := &x.levels[i]
		total += s.flops
		if s.last != nil {
			last = s
			total += mergeFlops(s.last)
		}
	}
	for i := range x.levels {
		rec.Phase(PhaseTridiagonal, done, total)
		r.level(i)
		done += x.levels[i].flops
	}
	rec.Phase(PhaseTridiagonal, done, total)
	if last != nil && x.last.N() < x.n {
		vk.Fill(rec, x.xt.At.Sub(0, x.xt.Rows*x.n), 0)
	}
	r.others()
	if last != nil {
		r.strips(last)
		r.panels(last)
	}
}

// words and ints are lists of a table.
func (r *recording) words(at int) spirv.Addr[uint32] { return r.wordsAt(r.c.ws, at).Addr() }
func (r *recording) ints(at int) spirv.Addr[int32]   { return spirv.Addr[int32](r.words(at)) }

// gatherPush is the lists of a level's chains.
func (r *recording) gatherPush(level int) shaders.StedcGatherPush {
	cos := r.rotations.In(r.c.ws).From(2 * level * r.conquest.n)
	return shaders.StedcGatherPush{
		Merges: r.words(r.list.merges(level)), Chains: r.words(r.list.chains(level)),
		Src: r.ints(r.list.src(level)), Dst: r.ints(r.list.dst(level)), Cos: cos.Addr(), Sin: cos.From(r.conquest.n).Addr(), Q: r.q,
	}
}

// vectorsPush is the numbers of a level's merges.
func (r *recording) vectorsPush(level int) shaders.StedcVectorsPush {
	number := func(kind int) spirv.Addr[float64] { return r.c.number(r.c.ws, level, kind, 1).Addr() }
	return shaders.StedcVectorsPush{
		Merges: r.words(r.list.merges(level)), D: number(numberD), Mu: number(numberMu), Zhat: number(numberZHat), Row: r.ints(r.list.row(level)),
	}
}

// level merges all pairs of a level but the last one of all.
func (r *recording) level(level int) {
	s := &r.levels[level]
	if s.merges == 0 {
		return
	}
	threads := r.conquest.tune.Threads
	gather := r.gatherPush(level)
	gather.W, gather.Count = r.x, uint32(s.chains)
	r.gather.Dispatch(r.rec, inY(vk.Tiles(s.rows, threads), s.chains), gather)
	perMerge(s.merges, vk.MostGroups()/2, func(first, count int) {
		vectors := r.vectorsPush(level)
		vectors.Merges, vectors.S = vectors.Merges.Plus(first*mergeWords), r.x
		r.vectors.Dispatch(r.rec, inZ(s.cols, count), vectors)
		if s.half <= r.conquest.tune.Grouped {
			r.grouped(s, vectors.Merges, count)
		}
	})
	if s.half > r.conquest.tune.Grouped {
		for _, m := range s.each {
			r.apart(m)
		}
	}
	perMerge(s.merges, vk.MostGroups(), func(first, count int) {
		r.deflated.Dispatch(r.rec, vk.Groups{X: vk.Tiles(s.rows, threads), Y: strided(s.deflation), Z: count}, shaders.StedcDeflatedPush{
			Merges: r.words(r.list.merges(level)).Plus(first * mergeWords), W: r.x, Q: r.q,
		})
	})
}

// grouped is the products of many small merges in one dispatch (stedc_multiply). None of them alone would fill
// the device: they are not among the large products, which go through product.Ops.
func (r *recording) grouped(s *levelSizes, merges spirv.Addr[uint32], count int) {
	tile := r.chooser.Choose(product.Shape{M: s.half, N: s.cols, K: s.inner, Count: 2 * count})
	grid := r.chooser.Tiles()[tile].Grid(s.half, s.cols)
	grid.Z = 2 * count
	r.multiply[tile].Dispatch(r.rec, grid, shaders.StedcMultiplyPush{Merges: merges, Work: r.x, Q: r.q})
	r.rec.Costs(s.flops * float64(count) / float64(s.merges))
}

// apart is the two products of one merge, which are large enough to fill the device.
func (r *recording) apart(m placedMerge) {
	work, q := r.xt.At.From(m.work), r.conquest.q.In(r.c.ws).From(r.at[m.Lo])
	lower := m.N1 * m.Upper
	s := lower + m.N2*(m.K-m.Lower) + m.N()*(m.N()-m.K)
	cols := m.To - m.From
	target := NewMatrix(q, m.N(), m.N(), m.N())
	r.halves(m.Merge, NewMatrix(work, m.N1, m.Upper, max(m.N1, 1)), NewMatrix(work.From(lower), m.N2, m.K-m.Lower, max(m.N2, 1)),
		NewMatrix(work.From(s), m.K, cols, max(m.K, 1)), target.Block(0, m.From, m.N(), cols))
}

// halves is upper W · S[:upper] and lower W · S[lower:], one above the other.
func (r *recording) halves(m *dc.Merge, upper, lower, s, to Matrix) {
	r.product(upper, s.Block(0, 0, m.Upper, s.Cols), to.Block(0, 0, m.N1, s.Cols))
	r.product(lower, s.Block(m.Lower, 0, m.K-m.Lower, s.Cols), to.Block(m.N1, 0, m.N2, s.Cols))
}

// product is C = A·B. C has tiles enough to fill the device without split-K.
func (r *recording) product(a, b, c Matrix) {
	r.ops.GemmUnsplit(r.rec, r.c.ws, product.NoTrans, product.NoTrans, 1, a, b, 0, c)
}

// others writes the blocks that the last merge does not touch to the result.
func (r *recording) others() {
	order, place := r.list.others()
	m := r.columns[1]
	r.sort.Dispatch(r.rec, vk.Groups{X: vk.Tiles(m, sortTile), Y: vk.Tiles(r.conquest.n, sortTile), Z: 1}, shaders.StedcSortPush{
		Q: r.q, Columns: r.words(r.list.columns()), Order: r.ints(order), Place: r.ints(place), X: r.x, Rows: r.n, M: uint32(m), Ldx: uint32(r.xt.Ld),
	})
}

// strips turns Q into W, in its place, and writes the deflated columns to the result.
func (r *recording) strips(s *levelSizes) {
	m, level := s.last, r.lastLevel()
	threads := r.conquest.tune.Threads
	panel := r.panel.In(r.c.ws)
	height := panel.Len() / m.N()
	gather := r.gatherPush(level)
	gather.Chains, gather.Count, gather.W = gather.Chains.Plus(chainWords*s.chains), uint32(s.lastChains), panel.Addr()
	order, place := r.list.deflated()
	strip := func(first, count int) {
		gather.First, gather.Strip = uint32(first), uint32(count)
		r.gather.Dispatch(r.rec, inY(vk.Tiles(count, threads), s.lastChains), gather)
		r.restore.Dispatch(r.rec, vk.Groups{X: vk.Tiles(count, threads), Y: strided(m.K), Z: 1}, shaders.StedcRestorePush{
			Merges: gather.Merges.Plus(mergeWords * s.merges), W: gather.W, Q: r.q, First: uint32(first), Strip: uint32(count),
		})
		r.sort.Dispatch(r.rec, vk.Groups{X: vk.Tiles(r.columns[0], sortTile), Y: vk.Tiles(count, sortTile), Z: 1}, shaders.StedcSortPush{
			Q: gather.W, Order: r.ints(order), Place: r.ints(place), X: r.x,
			First: uint32(m.Lo + first), Rows: uint32(count), M: uint32(r.columns[0]), Ldx: uint32(r.xt.Ld),
		})
	}
	for first := 0; first < m.N1; first += height {
		strip(first, min(height, m.N1-first))
	}
	for first := m.N1; first < m.N(); first += height {
		strip(first, min(height, m.N()-first))
	}
}

// panels multiplies W with S, some columns at a time, and writes the products to the result.
func (r *recording) panels(s *levelSizes) {
	m, cols := s.last, s.last.To-s.last.From
	if cols == 0 {
		return
	}
	vectors := r.vectorsPush(r.lastLevel())
	vectors.Merges, vectors.S = vectors.Merges.Plus(mergeWords*s.merges), r.panel.In(r.c.ws).Addr()
	push := shaders.StedcMultiplyPush{Merges: vectors.Merges, Work: r.q, S: vectors.S, Place: r.ints(r.list.place()), X: r.x, Ldx: uint32(r.xt.Ld)}
	grouped := max(m.N1, m.N2) <= r.conquest.tune.Grouped
	room := m.K // elements a column of S takes
	if !grouped {
		room += m.N() // and the column of the product
	}
	step := panelStep(cols, r.panel.Len()/room)
	tile := r.chooser.Choose(product.Shape{M: step, N: max(m.N1, m.N2), K: max(m.Upper, m.K-m.Lower), Count: 2})
	for first := 0; first < cols; first += step {
		count := min(step, cols-first)
		vectors.First, vectors.Columns = uint32(first), uint32(count)
		r.vectors.Dispatch(r.rec, inZ(count, 1), vectors)
		if !grouped {
			r.panelApart(m, first, count)
			continue
		}
		grid := r.chooser.Tiles()[tile].Grid(count, max(m.N1, m.N2))
		grid.Z = 2
		push.First, push.Columns = uint32(first), uint32(count)
		r.multiply[tile].Dispatch(r.rec, grid, push)
		r.rec.Costs(mergeFlops(m) * float64(count) / float64(cols))
	}
}

// panelApart multiplies into the panel, behind S, and moves the product to the result.
func (r *recording) panelApart(m *dc.Merge, first, count int) {
	w, panel := r.conquest.q.In(r.c.ws).From(r.at[m.Lo]), r.panel.In(r.c.ws)
	s, result := NewMatrix(panel, m.K, count, m.K), NewMatrix(panel.From(m.K*count), m.N(), count, m.N())
	r.halves(m, NewMatrix(w, m.N1, m.Upper, m.N1), NewMatrix(w.From(m.N1*m.N1), m.N2, m.K-m.Lower, m.N2), s, result)
	r.sort.Dispatch(r.rec, vk.Groups{X: vk.Tiles(count, sortTile), Y: vk.Tiles(m.N(), sortTile), Z: 1}, shaders.StedcSortPush{
		Q: result.Addr(), Place: r.ints(r.list.place() + m.Lo + m.From + first), X: r.x,
		First: uint32(m.Lo), Rows: uint32(m.N()), M: uint32(count), Ldx: uint32(r.xt.Ld),
	})
}

// panelStep cuts cols into as few pieces as the room allows, about equal, and of whole tiles
// where they are large.
func panelStep(cols, room int) int {
	const tile = 128
	pieces := (cols + room - 1) / room
	step := (cols + pieces - 1) / pieces
	if whole := (step + tile - 1) / tile * tile; whole <= room {
		step = whole
	}
	return step
}

// lastLevel is the level of the last merge.
func (r *recording) lastLevel() int { return len(r.levels) - 1 }

var _ dc.Backend = (*conversation)(nil)
