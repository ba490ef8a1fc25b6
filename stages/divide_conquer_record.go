package stages

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// record records the vectors pass. For each level, it records for all merges except the last one of
// all:
//
//	W ← Q·G                        gather: rotations and a permutation, which deflation chose
//	S                              vectors of diag(D) + Rho·Z·Zᵀ, from weights ẑ
//	Q ← W·S, half by half          multiply
//	columns of Q that are deflated ← those of W
//
// The last merge of all writes to the result. It overwrites Q by W, some rows (a strip) at a time,
// and forms S and W·S some columns (a panel) at a time.
//
// Progress is counted in the flops of the products. The method complete must have written the
// lists, and the values pass must have written its numbers to the device.
func (v *vectorsRun) record(rec *vk.Recorder) {
	n := v.pass.n
	if n == 0 {
		return
	}
	v.lists.send(rec, v.ws)
	if v.turn > 0 {
		vk.Copy(rec, v.pass.q.In(v.ws), v.leaves())
	}
	// The cost of the last merge is in total but never in done: its progress is not reported.
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

// recordLevel records all merges of a level except the last merge of all. W and S overwrite the
// memory of the result.
func (v *vectorsRun) recordLevel(rec *vk.Recorder, level int) {
	p := &v.levels[level]
	if len(p.merges) == 0 {
		return
	}
	s := v.pass
	gather := v.gatherPush(level)
	gather.W, gather.Count = v.xt.Addr(), uint32(p.chains)
	s.gather.Dispatch(rec, rowGrid(vk.Tiles(p.rows, s.tune.Threads), p.chains), gather)
	rec.Costs(moveBytes * max(1, float64(p.rows)*float64(p.chains)))
	// Small products are grouped, because each one alone would leave most of the device idle.
	grouped := p.half <= s.tune.Grouped
	inPortions(len(p.merges), vk.MaxGroups()/2, func(first, count int) {
		vectors := v.vectorsPush(level, first)
		vectors.S = v.xt.Addr()
		s.vectors.Dispatch(rec, columnGrid(p.columns, count), vectors)
		rec.Costs(2 * termFlops * float64(p.columns) * float64(p.inner) * float64(count))
		if grouped {
			v.multiplyGrouped(rec, p, vectors.Merges, count)
		}
	})
	if !grouped {
		for _, m := range p.merges {
			v.multiplyApart(rec, m)
		}
	}
	inPortions(len(p.merges), vk.MaxGroups(), func(first, count int) {
		grid := vk.Groups{X: vk.Tiles(p.rows, s.tune.Threads), Y: strided(p.deflatedColumns), Z: count}
		push := shaders.StedcDeflatedPush{Merges: v.mergesAt(level, first), W: v.xt.Addr(), Q: v.q()}
		s.deflated.Dispatch(rec, grid, push)
		rec.Costs(moveBytes * max(1, float64(p.rows)*float64(p.deflatedColumns)*float64(count)))
	})
}

// multiplyGrouped records the products of count merges as one dispatch of stedc_multiply. It does
// not use product.Ops, because none of the products alone would fill the device.
func (v *vectorsRun) multiplyGrouped(rec *vk.Recorder, p *levelPlan, merges spirv.Addr[shaders.Merge], count int) {
	s := v.pass
	tile := s.chooser.Choose(product.Shape{M: p.half, N: p.columns, K: p.inner, Count: 2 * count})
	grid := s.chooser.Tiles()[tile].Grid(p.half, p.columns)
	grid.Z = 2 * count
	s.multiply[tile].Dispatch(rec, grid, shaders.StedcMultiplyPush{Merges: merges, Work: v.xt.Addr(), Q: v.q()})
	rec.Costs(p.flops * float64(count) / float64(len(p.merges)))
}

// multiplyApart records the two products of one merge, each of which is large enough to fill the
// device. W and S of the merge lie as merge.glsl describes.
func (v *vectorsRun) multiplyApart(rec *vk.Recorder, placed placedMerge) {
	m, work := placed.merge, v.xt.At.From(placed.work)
	upper, lower := m.N1*m.Upper, m.N2*(m.K-m.Lower)
	deflated := m.N() * (m.N() - m.K)
	columns := m.To - m.From
	q := NewMatrix(v.pass.q.In(v.ws).From(v.offset[m.Lo]), m.N(), m.N(), m.N())
	v.multiplyHalves(rec, m,
		NewMatrix(work, m.N1, m.Upper, max(m.N1, 1)),
		NewMatrix(work.From(upper), m.N2, m.K-m.Lower, max(m.N2, 1)),
		NewMatrix(work.From(upper+lower+deflated), m.K, columns, max(m.K, 1)),
		q.Block(0, m.From, m.N(), columns))
}

// multiplyHalves records the two products of a merge. Its W has two parts, upper and lower:
//
//	to[:N1] ← upper·s[:Upper]      to[N1:] ← lower·s[Lower:]
func (v *vectorsRun) multiplyHalves(rec *vk.Recorder, m *dc.Merge, upper, lower, s, to Matrix) {
	v.multiply(rec, upper, s.Block(0, 0, m.Upper, s.Cols), to.Block(0, 0, m.N1, s.Cols))
	v.multiply(rec, lower, s.Block(m.Lower, 0, m.K-m.Lower, s.Cols), to.Block(m.N1, 0, m.N2, s.Cols))
}

// multiply records c ← a·b. The matrix c has enough tiles to fill the device without split-K.
// newVectorsPass has reserved the workspace of these products.
func (v *vectorsRun) multiply(rec *vk.Recorder, a, b, c Matrix) {
	v.pass.ops.GemmUnsplit(rec, v.ws, product.NoTrans, product.NoTrans, 1, a, b, 0, c)
}

// recordOthers writes the blocks that the last merge does not touch to the result. Vectors of these
// blocks are zero in the rows of other blocks.
func (v *vectorsRun) recordOthers(rec *vk.Recorder) {
	l, n, count := &v.lists, v.pass.n, len(v.lists.others.host)
	v.pass.sort.Dispatch(rec, vk.Groups{X: vk.Tiles(count, sortTile), Y: vk.Tiles(n, sortTile), Z: 1},
		shaders.StedcSortPush{
			Q: v.q(), Columns: l.columns.at(v.ws, 0), Order: l.others.at(v.ws, 0), Place: l.othersPlace.at(v.ws, 0),
			X: v.xt.Addr(), Rows: uint32(n), M: uint32(count), Ldx: uint32(v.xt.Ld),
		})
	rec.Costs(moveBytes * max(1, float64(count)*float64(n)))
}

// q returns the address of the blocks of Q.
func (v *vectorsRun) q() spirv.Addr[float64] { return v.pass.q.In(v.ws).Addr() }

// mergesAt returns the address of merge number index of a level.
func (v *vectorsRun) mergesAt(level, index int) spirv.Addr[shaders.Merge] {
	return v.lists.merges.at(v.ws, level*v.pass.tune.mostMerges(v.pass.n)+index)
}

// gatherPush returns the push block of stedc_gather, with the lists of a level's chains.
func (v *vectorsRun) gatherPush(level int) shaders.StedcGatherPush {
	l, first := &v.lists, level*v.pass.n
	return shaders.StedcGatherPush{
		Merges: v.mergesAt(level, 0), Chains: l.chains.at(v.ws, first),
		Src: l.src.at(v.ws, first), Dst: l.dst.at(v.ws, first),
		Cos: l.rotations.at(v.ws, 2*first), Sin: l.rotations.at(v.ws, 2*first+v.pass.n), Q: v.q(),
	}
}

// vectorsPush returns the push block of stedc_vectors, with the numbers of a level's merges from
// the given merge on.
func (v *vectorsRun) vectorsPush(level, merge int) shaders.StedcVectorsPush {
	number := func(kind int) spirv.Addr[float64] { return v.values.numbersOf(v.ws, level, kind, 1).Addr() }
	return shaders.StedcVectorsPush{
		Merges: v.mergesAt(level, merge), Row: v.lists.row.at(v.ws, level*v.pass.n),
		D: number(numberD), Mu: number(numberMu), Zhat: number(numberZHat),
	}
}

// inPortions divides count merges into portions of at most `most` merges and calls dispatch for
// each portion, in order. One dimension of a grid cannot hold more merges.
func inPortions(count, most int, dispatch func(first, count int)) {
	for first := 0; first < count; first += most {
		dispatch(first, min(most, count-first))
	}
}

// rowGrid returns a grid with x workgroups in X for rows, and count workgroups in Y. If one
// dimension cannot hold count, the rest is in Z.
func rowGrid(x, count int) vk.Groups {
	f := vk.Folded(count)
	return vk.Groups{X: x, Y: f.X, Z: f.Y}
}

// columnGrid returns a grid with one workgroup for each column in X and Y, and count merges in Z.
func columnGrid(columns, count int) vk.Groups {
	f := vk.Folded(columns)
	f.Z = count
	return f
}

// strided returns a grid dimension for kernels that copy columns. If there are more columns than
// workgroups, each workgroup copies several columns.
func strided(columns int) int { return min(columns, 4096, vk.MaxGroups()) }
