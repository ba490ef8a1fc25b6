package stedc

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// record records the computation of the eigenvectors. Level by level, it does these steps for all
// merges except the last merge of the tree:
//
//	W ← Q·G                        gather: rotations and a permutation, which deflation chose
//	S                              vectors of diag(D) + Rho·Z·Zᵀ, from weights ẑ
//	Q ← W·S, half by half          multiply
//	columns of Q that are deflated ← those of W
//
// The last merge writes to the result. It overwrites Q by W, some rows (a strip) at a time, and
// forms S and W·S, some columns (a panel) at a time.
//
// Progress is counted in the flops of the products. Before, `complete` must have written the lists,
// and the eigenvalues must have been computed, so that poles, weights and roots are on the device.
func (v *vectorsRun) record(rec *vk.Recorder) {
	n := v.pass.n
	if n == 0 {
		return
	}
	v.lists.send(rec, v.ws)
	if v.turn > 0 {
		vk.Copy(rec, v.pass.q.In(v.ws), v.leaves())
	}
	// The progress of the last merge is not reported: `total` includes its cost, and `done` never
	// does.
	done, total := 0.0, 0.0
	for _, p := range v.levels {
		total += p.flops
		if p.lastMerge != nil {
			total += productFlops(p.lastMerge)
		}
	}
	progress := func() {
		rec.Phase(v.values.phase, float64(v.turn)*total+done, float64(v.turns)*total)
	}
	for level := range v.levels {
		progress()
		v.recordLevel(rec, level)
		done += v.levels[level].flops
	}
	progress()
	if v.last.N() == 0 {
		v.recordOthers(rec)
		return
	}
	if v.last.N() < n {
		vk.Fill(rec, v.xt.At.Sub(0, v.xt.Rows*n), 0)
	}
	v.recordOthers(rec)
	v.recordStrips(rec)
	v.recordPanels(rec)
}

// recordLevel records all merges of a level except the last merge of the tree. The rotated vectors
// W of the blocks and the vectors S of the secular equations are stored in the memory of the final
// result.
func (v *vectorsRun) recordLevel(rec *vk.Recorder, level int) {
	p := &v.levels[level]
	if len(p.merges) == 0 {
		return
	}
	s := v.pass
	x := levelBuffers[float64]{v.mergesAt(level, 0), v.q(), v.xt.Addr()}
	gather := v.gatherPush(level)
	gather.W = x.work
	for _, c := range p.chains {
		c.first += level * s.n
		s.recordGather(rec, gather, v.lists.chains, v.ws, c, p.rows)
	}
	// A dispatch with one small product would leave most of the device idle. So the small products
	// of a level are grouped into one dispatch.
	grouped := p.half <= s.tune.Grouped
	most := s.tune.atOnce(max(p.vectorFlops(), p.flops/float64(len(p.merges))))
	stages.InPortions(len(p.merges), min(vk.MaxGroups()/2, most), func(first, count int) {
		if s.tune.atOnce(p.vectorFlops()/float64(max(1, p.columns))) < p.columns { // in this case count is 1
			m := p.merges[first].merge
			v.recordColumns(rec, level, first, m, 0, m.To-m.From, v.placedS(p.merges[first]))
		} else {
			vectors := v.vectorsPush(level, first)
			vectors.S = x.work
			s.recordVectors(rec, vectors, p.levelSizes, count)
		}
		if grouped {
			s.recordProducts(rec, x.from(first), p.levelSizes, count, len(p.merges))
		}
	})
	if !grouped {
		for _, m := range p.merges {
			v.multiplyApart(rec, m)
		}
	}
	s.recordDeflated(rec, x, p.levelSizes, len(p.merges))
}

// recordColumns forms some vectors of the secular equation of one merge of a level, the wanted
// columns [first, first+count) of a matrix S. It writes them to `to`, packed. There are several
// dispatches if they cost more than tune.Dispatch.
func (v *vectorsRun) recordColumns(rec *vk.Recorder, level, index int, m *dc.Merge, first, count int, to vk.Slice[float64]) {
	vectors := v.vectorsPush(level, index)
	column := 2 * termFlops * float64(max(1, m.K)) // cost of a column of S
	stages.InPortions(count, v.pass.tune.atOnce(column), func(begin, some int) {
		vectors.S = to.From(begin * m.K).Addr()
		vectors.First, vectors.Columns = uint32(first+begin), uint32(some)
		v.pass.vectors.Dispatch(rec, columnGrid(some, 1), vectors)
		rec.Costs(column * float64(some))
	})
}

func (v *vectorsRun) placedS(p placedMerge) vk.Slice[float64] {
	m := p.merge
	return v.xt.At.From(p.work + m.N1*m.Upper + m.N2*(m.K-m.Lower) + m.N()*(m.N()-m.K))
}

// multiplyApart records the products W·S for the upper and for the lower half of one merge, each as
// a dispatch of its own. W has the rotated vectors of the two blocks, and S the vectors of the
// secular equation.
func (v *vectorsRun) multiplyApart(rec *vk.Recorder, placed placedMerge) {
	m, work := placed.merge, v.xt.At.From(placed.work)
	columns := m.To - m.From
	q := stages.NewMatrix(v.pass.q.In(v.ws).From(v.offset[m.Lo]), m.N(), m.N(), m.N())
	v.multiplyHalves(rec, m,
		stages.NewMatrix(work, m.N1, m.Upper, max(m.N1, 1)),
		stages.NewMatrix(work.From(m.N1*m.Upper), m.N2, m.K-m.Lower, max(m.N2, 1)),
		stages.NewMatrix(v.placedS(placed), m.K, columns, max(m.K, 1)),
		q.Block(0, m.From, m.N(), columns))
}

// multiplyHalves records the two products W·S of a merge, where `upper` and `lower` are the halves
// of W, the rotated vectors of the two blocks, and s is S, the vectors of the secular equation:
//
//	to[:N1] ← upper·s[:Upper]      to[N1:] ← lower·s[Lower:]
func (v *vectorsRun) multiplyHalves(rec *vk.Recorder, m *dc.Merge, upper, lower, s, to stages.Matrix) {
	v.multiply(rec, upper, s.Block(0, 0, m.Upper, s.Cols), to.Block(0, 0, m.N1, s.Cols))
	v.multiply(rec, lower, s.Block(m.Lower, 0, m.K-m.Lower, s.Cols), to.Block(m.N1, 0, m.N2, s.Cols))
}

// multiply records c ← a·b. It does not split the inner dimension, which would help only if c had
// too few tiles to fill the device. newVectorsPass has reserved the workspace of these products.
func (v *vectorsRun) multiply(rec *vk.Recorder, a, b, c stages.Matrix) {
	v.pass.Ops.GemmUnsplit(rec, v.ws, product.NoTrans, product.NoTrans, 1, a, b, 0, c)
}

// recordOthers copies vectors to the result: those of the blocks that the last merge does not
// contain. Each vector is zero in the rows of all other blocks.
func (v *vectorsRun) recordOthers(rec *vk.Recorder) {
	l, n := &v.lists, v.pass.n
	stages.InPortions(len(l.others.host), v.pass.tune.atOnce(moveBytes*float64(n)), func(first, count int) {
		v.pass.sort.Dispatch(rec, vk.Groups{X: vk.Tiles(count, sortTile), Y: vk.Tiles(n, sortTile), Z: 1},
			shaders.StedcSortPush{
				Q: v.q(), Columns: l.columns.at(v.ws, 0), Order: l.others.at(v.ws, first), Place: l.othersPlace.at(v.ws, first),
				X: v.xt.Addr(), Rows: uint32(n), M: uint32(count), Ldx: uint32(v.xt.Ld),
			})
		rec.Costs(moveBytes * float64(count) * float64(n))
	})
}

func (v *vectorsRun) q() spirv.Addr[float64] { return v.pass.q.In(v.ws).Addr() }

func (v *vectorsRun) mergesAt(level, index int) spirv.Addr[shaders.Merge] {
	return v.lists.merges.at(v.ws, level*v.pass.tune.mostMerges(v.pass.n)+index)
}

func (v *vectorsRun) gatherPush(level int) shaders.StedcGatherPush[float64] {
	l, first := &v.lists, level*v.pass.n
	return shaders.StedcGatherPush[float64]{
		Merges: v.mergesAt(level, 0),
		Src:    l.src.at(v.ws, first), Dst: l.dst.at(v.ws, first),
		Cos: l.rotations.at(v.ws, 2*first), Sin: l.rotations.at(v.ws, 2*first+v.pass.n), Q: v.q(),
	}
}

// vectorsPush returns the arguments of stedc_vectors for the merges of the level from number
// `merge` on.
func (v *vectorsRun) vectorsPush(level, merge int) shaders.StedcVectorsPush[float64] {
	number := func(kind int) spirv.Addr[float64] { return v.values.numbersOf(v.ws, level, kind, 1).Addr() }
	return shaders.StedcVectorsPush[float64]{
		Merges: v.mergesAt(level, merge), Row: v.lists.row.at(v.ws, level*v.pass.n),
		D: number(numberD), Mu: number(numberMu), Zhat: number(numberZHat),
	}
}

// rowGrid returns a grid with x workgroups, which share the rows, for each of `count` merges. If
// `count` is too large for dimension Y, the grid also extends in Z.
func rowGrid(x, count int) vk.Groups {
	f := vk.Folded(count)
	return vk.Groups{X: x, Y: f.X, Z: f.Y}
}

// columnGrid returns a grid with one workgroup for each column of each merge. The dimensions X and
// Y together count the columns (see vk.Folded), and Z counts the `count` merges.
func columnGrid(columns, count int) vk.Groups {
	f := vk.Folded(columns)
	f.Z = count
	return f
}

// strided returns the size of a grid dimension for kernels that copy columns. If there are more
// columns than workgroups, each workgroup copies several columns.
func strided(columns int) int { return min(columns, 4096, vk.MaxGroups()) }
