package stedc

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
)

// The columns of Q are the eigenvectors of the two blocks of a merge, and those of the joined block
// are W·S, where W = Q·G. The last merge has more than half of all rows of T, and it writes its
// eigenvectors to the result X. So its W and S cannot lie in the memory of X, as they do for other
// merges. Instead, W overwrites Q, and S is formed in a buffer called the panel:
//
//	Q:      Q1 (N1×N1), Q2 (N2×N2)   →   W's halves (N1×Upper), (N2×(K−Lower)), same leading dimensions
//	panel:  first some rows (a strip) of W, then S (K×columns), and W·S (N×columns) if a half is large
//	X:      row j is the vector of value j; columns are rows of T

// recordStrips applies the rotations and the permutation G of the last merge to Q, the vectors of
// its two blocks. It replaces Q by W = Q·G in the same memory, some rows (a strip) at a time. A
// strip lies in one half of Q, and has so few rows that no dispatch costs more than tune.Dispatch.
// recordStrips also writes the deflated columns to the result.
func (v *vectorsRun) recordStrips(rec *vk.Recorder) {
	s, level := v.pass, len(v.levels)-1
	p := &v.levels[level]
	m, threads, panel := p.lastMerge, s.tune.Threads, s.panel.In(v.ws)
	height := min(panel.Len()/m.N(), s.tune.atOnce(moveBytes*float64(m.N()))) // number of rows of a strip
	gather := v.gatherPush(level)
	chains := p.lastMergeChains
	gather.Chains, gather.Count = v.lists.chains.at(v.ws, level*s.n+chains.first), uint32(chains.count)
	gather.W = panel.Addr()
	strip := func(first, count int) { // records the strip of rows [first, first+count) of the merge
		gather.First, gather.Strip = uint32(first), uint32(count)
		s.gather.Dispatch(rec, rowGrid(vk.Tiles(count, threads), chains.count), gather)
		rec.Costs(moveBytes * max(1, float64(count)*float64(chains.count)))
		s.restore.Dispatch(rec, vk.Groups{X: vk.Tiles(count, threads), Y: strided(m.K), Z: 1}, shaders.StedcRestorePush{
			Merges: v.mergesAt(level, len(p.merges)), W: gather.W, Q: v.q(), First: uint32(first), Strip: uint32(count),
		})
		rec.Costs(moveBytes * max(1, float64(count)*float64(m.K)))
		columns := len(v.lists.deflated.host)
		s.sort.Dispatch(rec, vk.Groups{X: vk.Tiles(columns, sortTile), Y: vk.Tiles(count, sortTile), Z: 1},
			shaders.StedcSortPush{
				Q: gather.W, Order: v.lists.deflated.at(v.ws, 0), Place: v.lists.deflatedPlace.at(v.ws, 0), X: v.xt.Addr(),
				First: uint32(m.Lo + first), Rows: uint32(count), M: uint32(columns), Ldx: uint32(v.xt.Ld),
			})
		rec.Costs(moveBytes * max(1, float64(count)*float64(columns)))
	}
	// A strip of W = Q·G depends only on the same rows of Q, because G combines columns. Therefore
	// W may overwrite Q strip by strip.
	for first := 0; first < m.N1; first += height {
		strip(first, min(height, m.N1-first))
	}
	for first := m.N1; first < m.N(); first += height {
		strip(first, min(height, m.N()-first))
	}
}

// recordPanels writes the product W·S of the last merge to the result, some columns of S (a panel)
// at a time. W has the rotated vectors of the two blocks, and S the vectors of the secular
// equation.
func (v *vectorsRun) recordPanels(rec *vk.Recorder) {
	s, level := v.pass, len(v.levels)-1
	p := &v.levels[level]
	m := p.lastMerge
	columns := m.To - m.From
	if columns == 0 {
		return
	}
	half, panel := max(m.N1, m.N2), s.panel.In(v.ws)
	grouped := half <= s.tune.Grouped
	elements := m.K // elements of the panel for one column: the column of S, and the product if it is formed in the panel
	if !grouped {
		elements += m.N()
	}
	step := panelStep(columns, panel.Len()/elements) // number of columns of a panel
	tile := s.chooser.Choose(product.Shape{M: step, N: half, K: max(m.Upper, m.K-m.Lower), Count: 2})
	// The kernel stedc_multiply multiplies W, the rotated vectors of the two blocks, by S, the
	// vectors of the secular equation. It writes column j of W·S to row `place[j]` of the result.
	multiply := shaders.StedcMultiplyPush[float64]{
		Merges: v.mergesAt(level, len(p.merges)), Work: v.q(), S: panel.Addr(),
		Place: v.lists.place.at(v.ws, 0), X: v.xt.Addr(), Ldx: uint32(v.xt.Ld),
	}
	for first := 0; first < columns; first += step {
		count := min(step, columns-first)
		v.recordColumns(rec, level, len(p.merges), m, first, count, panel)
		if !grouped {
			v.recordPanelApart(rec, m, first, count)
			continue
		}
		grid := s.chooser.Tiles()[tile].Grid(count, half)
		grid.Z = 2
		multiply.First, multiply.Columns = uint32(first), uint32(count)
		s.multiply[tile].Dispatch(rec, grid, multiply)
		rec.Costs(productFlops(m) * float64(count) / float64(columns))
	}
}

// recordPanelApart multiplies W, the rotated vectors of the two blocks, by columns first …
// first+count−1 of S, the vectors of the secular equation. These columns are in the buffer `panel`.
// The product is first stored after them in the same buffer, and then copied to the result.
func (v *vectorsRun) recordPanelApart(rec *vk.Recorder, m *dc.Merge, first, count int) {
	w, panel := v.pass.q.In(v.ws).From(v.offset[m.Lo]), v.pass.panel.In(v.ws)
	s, to := stages.NewMatrix(panel, m.K, count, m.K), stages.NewMatrix(panel.From(m.K*count), m.N(), count, m.N())
	v.multiplyHalves(rec, m, stages.NewMatrix(w, m.N1, m.Upper, m.N1),
		stages.NewMatrix(w.From(m.N1*m.N1), m.N2, m.K-m.Lower, m.N2), s, to)
	row := moveBytes * float64(m.N()) // cost of a row of the result
	stages.InPortions(count, v.pass.tune.atOnce(row), func(begin, some int) {
		v.pass.sort.Dispatch(rec, vk.Groups{X: vk.Tiles(some, sortTile), Y: vk.Tiles(m.N(), sortTile), Z: 1},
			shaders.StedcSortPush{
				Q: to.Block(0, begin, m.N(), some).Addr(), Place: v.lists.place.at(v.ws, m.Lo+m.From+first+begin), X: v.xt.Addr(),
				First: uint32(m.Lo), Rows: uint32(m.N()), M: uint32(some), Ldx: uint32(v.xt.Ld),
			})
		rec.Costs(row * float64(some))
	})
}

// panelStep divides `columns` columns into as few panels of at most `room` columns as possible, of
// about equal width, and returns this width. It is a multiple of the tile width if such a multiple
// is at most `room`.
func panelStep(columns, room int) int {
	const tile = 128
	pieces := (columns + room - 1) / room
	step := (columns + pieces - 1) / pieces
	if whole := (step + tile - 1) / tile * tile; whole <= room {
		step = whole
	}
	return step
}
