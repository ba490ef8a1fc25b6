package stedc

import (
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
)

// planted is a forest on the device with some tridiagonal matrices.
type planted struct {
	forest   *Forest[float64]
	ws       *vk.Arena
	lists    ForestLists
	trees    Trees
	table    vk.Region[shaders.BatchMatrix]
	states   vk.Region[shaders.BatchState]
	d, e     vk.Region[float64]
	q, work  vk.Region[float64]
	matrices []ForestMatrix
}

// plantForest makes a forest for the tridiagonal matrices with diagonals d[k] and off-diagonals
// e[k]. The forest uses the sizes of `tune`.
func plantForest(t *testing.T, tune Tables, d, e [][]float64) *planted {
	t.Helper()
	dev := stagetest.Device(t)
	p := &planted{}
	rows, entries, work := 0, 0, 0
	var table []shaders.BatchMatrix
	var all, off []float64
	for k := range d {
		n := len(d[k])
		p.matrices = append(p.matrices, ForestMatrix{N: n, Lo: rows, Q: entries, Work: work})
		table = append(table, shaders.BatchMatrix{N: uint32(n), To: uint32(n), At: uint32(rows), W: uint32(rows), A: wide(entries), V: wide(entries)})
		all, off = append(all, d[k]...), append(append(off, e[k]...), vk.PoisonValue())
		rows, entries, work = rows+n, entries+n*n, work+ForestWork(n)
	}
	b := stages.Builder{Dev: dev}
	p.forest = NewForest[float64](&b, rows, tune.Products, tune.DivideConquer)
	if b.Err != nil {
		t.Fatal(b.Err)
	}
	p.table, p.states = vk.Reserve[shaders.BatchMatrix]("table", len(d)), vk.Reserve[shaders.BatchState]("states", len(d))
	p.d, p.e = vk.Reserve[float64]("d", rows), vk.Reserve[float64]("e", rows)
	p.q, p.work = vk.Reserve[float64]("q", entries), vk.Reserve[float64]("w", work)
	p.ws = stagetest.Arena(t, dev, vk.Together(p.forest.Work, p.table, p.states, p.d, p.e, p.q, p.work))
	stagetest.Put(t, dev, p.d.In(p.ws), all)
	stagetest.Put(t, dev, p.e.In(p.ws), off)
	stagetest.Put(t, dev, p.table.In(p.ws), table)
	stagetest.Put(t, dev, p.states.In(p.ws), make([]shaders.BatchState, len(d)))
	p.trees = p.forest.Plant(&p.lists, p.matrices)
	return p
}

// push returns the arguments of laed0_batch for all matrices.
func (p *planted) push() shaders.Laed0BatchPush[float64] {
	return shaders.Laed0BatchPush[float64]{
		Matrices: p.table.In(p.ws).Addr(), States: p.states.In(p.ws).Addr(),
		D: p.d.In(p.ws).Addr(), E: p.e.In(p.ws).Addr(), Count: uint32(len(p.matrices)),
	}
}

// TestForestTears compares the leaves that laed0_batch makes with those of package dc on the host:
// scaled and torn diagonals, off-diagonals and orders must have the same bits. A matrix with an
// infinity must become zero.
func TestForestTears(t *testing.T) {
	roomtest.SkipFlushed(t)
	tune := SmallestTuning()
	var d, e [][]float64
	for _, n := range []int{1, 2, 3, 4, 7, 12, 13, 41} {
		for _, kind := range matgen.Tridiagonals() {
			for _, scale := range []float64{1, 0x1p-1060, 0x1p900} {
				x, y := kind.Tridiagonal(n)
				for i := range x {
					x[i] *= scale
				}
				for i := range y {
					y[i] *= scale
				}
				d, e = append(d, x), append(e, y)
			}
		}
		bad := slices.Clone(d[len(d)-3])
		bad[n/2] = math.Inf(-1)
		d, e = append(d, bad), append(e, e[len(e)-3])
		d, e = append(d, make([]float64, n)), append(e, make([]float64, n-1))
	}
	p := plantForest(t, tune, d, e)
	dev := stagetest.Device(t)
	push, all, rows := p.push(), p.forest.values.leafNumbers.In(p.ws), p.forest.values.n
	push.TornE, push.TornD, push.Order = all.Addr(), all.From(rows).Addr(), p.forest.Deflation.orders.In(p.ws).Addr()
	rec := vk.NewRecorder(dev)
	p.forest.prepare.Dispatch(rec, vk.Folded(len(d)), push)
	stagetest.Run(t, dev, rec)
	states := stagetest.Get(t, dev, p.states.In(p.ws))
	gotE, gotD := stagetest.Get(t, dev, all.Sub(0, rows)), stagetest.Get(t, dev, all.Sub(rows, rows))
	order := stagetest.Get(t, dev, p.forest.Deflation.orders.In(p.ws))
	for k, m := range p.matrices {
		finite, wantD, wantE := tridiag.CheckFinite(d[k], e[k]) == nil, slices.Clone(d[k]), slices.Clone(e[k])
		status := uint32(shaders.ProblemDone)
		if !finite {
			status, wantD, wantE = shaders.ProblemNonfinite, make([]float64, m.N), make([]float64, m.N-1)
		}
		exponent := tridiag.Scale(wantD, wantE)
		for i := range wantE {
			if math.Abs(wantE[i]) < tridiag.Tiny {
				wantE[i] = 0
			}
		}
		var tree dc.Tree
		tree.Halve(0, m.N, tune.DivideConquer.Leaf, func(row int) {
			cut := math.Abs(wantE[row-1])
			wantD[row-1] -= cut
			wantD[row] -= cut
		})
		if states[k].Status != status || finite && int(states[k].Exponent) != exponent {
			t.Errorf("matrix %d of order %d: %+v, not exponent %d", k, m.N, states[k], exponent)
		}
		if !slices.Equal(gotD[m.Lo:m.Lo+m.N], wantD) || !slices.Equal(gotE[m.Lo:m.Lo+m.N-1], wantE) {
			t.Errorf("matrix %d of order %d: d = %v, e = %v, not %v, %v", k, m.N, gotD[m.Lo:m.Lo+m.N], gotE[m.Lo:m.Lo+m.N-1], wantD, wantE)
		}
		for _, l := range tree.Leaves {
			for i := range l.N1 {
				if order[m.Lo+l.Lo+i] != int32(i) {
					t.Errorf("matrix %d of order %d: order %v of leaf %+v", k, m.N, order[m.Lo:m.Lo+m.N], l)
				}
			}
		}
	}
}

// TestForestFitsItsMemory checks three matrices for many orders: Q, the vectors of the solved
// blocks; W, the rotated vectors of the merges; and S, the vectors of the secular equations. The
// parts of a matrix that belong to the blocks or merges of one level must not overlap each other or
// the memory of another matrix.
func TestForestFitsItsMemory(t *testing.T) {
	tune := SmallestTuning()
	b := stages.Builder{Dev: vk.Dry(vk.Info{SharedBytes: 48 << 10, MaxLocal: 1024})}
	f := NewForest[float64](&b, 1<<12, tune.Products, tune.DivideConquer)
	for n := 1; n < 80; n++ {
		var lists ForestLists
		first := ForestMatrix{N: n, Lo: 5, Q: 1 << 10, Work: 1 << 11}
		second := ForestMatrix{N: n, Lo: 5 + n, Q: first.Q + n*n, Work: first.Work + ForestWork(n)}
		all := f.Plant(&lists, []ForestMatrix{first, second})
		used := func(used []bool, at, count, from, most int) {
			if at < from || at+count > from+most {
				t.Fatalf("order %d: elements %d to %d", n, at, at+count)
			}
			for i := range count {
				if used[at+i-first.Q] {
					t.Fatalf("order %d: element %d is used twice", n, at+i)
				}
				used[at+i-first.Q] = true
			}
		}
		rows := make([]bool, 2*n)
		q := make([]bool, 2*n*n)
		for i, l := range lists.Leaves {
			m := []ForestMatrix{first, second}[2*i/len(lists.Leaves)]
			used(q, int(l.At[0]), int(l.N*l.N), m.Q, n*n)
			for i := range l.N {
				rows[int(l.Lo+i)-first.Lo] = true
			}
		}
		if slices.Contains(rows, false) || all.rows.Len() != 2*n {
			t.Errorf("order %d: the leaves have %v of the rows", n, rows)
		}
		for _, l := range all.levels {
			merges := lists.merges[l.merges.First:l.merges.Last]
			q, work := make([]bool, 2*n*n), make([]bool, 1<<16)
			for i, x := range merges {
				m := []ForestMatrix{first, second}[2*i/len(merges)]
				used(q, int(x.At[0]), int(x.N*x.N), m.Q, n*n)
				used(work, int(x.Work[0]), ForestWork(int(x.N)), m.Work, ForestWork(n))
			}
		}
	}
}
