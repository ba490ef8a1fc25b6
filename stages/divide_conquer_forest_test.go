package stages

import (
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
)

// planted is a forest on the device with some tridiagonal matrices.
type planted struct {
	forest   *forest
	ws       *vk.Arena
	lists    forestLists
	trees    trees
	table    vk.Region[shaders.BatchMatrix]
	states   vk.Region[shaders.BatchState]
	d, e     vk.Region[float64]
	q, work  vk.Region[float64]
	matrices []forestMatrix
}

// plantForest makes a forest for the tridiagonal matrices with diagonals d[k] and off-diagonals
// e[k]. The forest uses the sizes of `tune`.
func plantForest(t *testing.T, tune Tuning, d, e [][]float64) *planted {
	t.Helper()
	dev := testDevice(t)
	p := &planted{}
	rows, entries, work := 0, 0, 0
	var table []shaders.BatchMatrix
	var all, off []float64
	for k := range d {
		n := len(d[k])
		p.matrices = append(p.matrices, forestMatrix{n: n, lo: rows, q: entries, work: work})
		table = append(table, shaders.BatchMatrix{N: uint32(n), To: uint32(n), At: uint32(rows), W: uint32(rows), A: wide(entries), V: wide(entries)})
		all, off = append(all, d[k]...), append(append(off, e[k]...), vk.PoisonValue())
		rows, entries, work = rows+n, entries+n*n, work+forestWork(n)
	}
	b := builder{dev: dev}
	p.forest = newForest(&b, rows, tune.Products, tune.DivideConquer)
	if b.err != nil {
		t.Fatal(b.err)
	}
	p.table, p.states = vk.Reserve[shaders.BatchMatrix]("table", len(d)), vk.Reserve[shaders.BatchState]("states", len(d))
	p.d, p.e = vk.Reserve[float64]("d", rows), vk.Reserve[float64]("e", rows)
	p.q, p.work = vk.Reserve[float64]("q", entries), vk.Reserve[float64]("w", work)
	p.ws = arena(t, dev, vk.Together(p.forest.work, p.table, p.states, p.d, p.e, p.q, p.work))
	put(t, dev, p.d.In(p.ws), all)
	put(t, dev, p.e.In(p.ws), off)
	put(t, dev, p.table.In(p.ws), table)
	put(t, dev, p.states.In(p.ws), make([]shaders.BatchState, len(d)))
	p.trees = p.forest.plant(&p.lists, p.matrices)
	return p
}

// push returns the arguments of laed0_batch for all matrices.
func (p *planted) push() shaders.Laed0BatchPush {
	return shaders.Laed0BatchPush{
		Matrices: p.table.In(p.ws).Addr(), States: p.states.In(p.ws).Addr(),
		D: p.d.In(p.ws).Addr(), E: p.e.In(p.ws).Addr(), Count: uint32(len(p.matrices)),
	}
}

// TestForestTears compares the leaves that laed0_batch makes with those of package dc on the host:
// scaled and torn diagonals, off-diagonals and orders must have the same bits. A matrix with a NaN or
// an infinity must become zero.
func TestForestTears(t *testing.T) {
	skipFlushed(t)
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
	dev := testDevice(t)
	push, all, rows := p.push(), p.forest.values.leafNumbers.In(p.ws), p.forest.values.n
	push.TornE, push.TornD, push.Order = all.Addr(), all.From(rows).Addr(), p.forest.deflation.orders.In(p.ws).Addr()
	rec := vk.NewRecorder(dev)
	p.forest.prepare.Dispatch(rec, vk.Folded(len(d)), push)
	run(t, dev, rec)
	states := get(t, dev, p.states.In(p.ws))
	gotE, gotD := get(t, dev, all.Sub(0, rows)), get(t, dev, all.Sub(rows, rows))
	order := get(t, dev, p.forest.deflation.orders.In(p.ws))
	for k, m := range p.matrices {
		finite, wantD, wantE := tridiag.CheckFinite(d[k], e[k]) == nil, slices.Clone(d[k]), slices.Clone(e[k])
		status := uint32(shaders.ProblemDone)
		if !finite {
			status, wantD, wantE = shaders.ProblemNonfinite, make([]float64, m.n), make([]float64, m.n-1)
		}
		exponent := tridiag.Scale(wantD, wantE)
		for i := range wantE {
			if math.Abs(wantE[i]) < tridiag.Tiny {
				wantE[i] = 0
			}
		}
		var tree dc.Tree
		tree.Halve(0, m.n, tune.DivideConquer.Leaf, func(row int) {
			cut := math.Abs(wantE[row-1])
			wantD[row-1] -= cut
			wantD[row] -= cut
		})
		if states[k].Status != status || finite && int(states[k].Exponent) != exponent {
			t.Errorf("matrix %d of order %d: %+v, not exponent %d", k, m.n, states[k], exponent)
		}
		if !slices.Equal(gotD[m.lo:m.lo+m.n], wantD) || !slices.Equal(gotE[m.lo:m.lo+m.n-1], wantE) {
			t.Errorf("matrix %d of order %d: d = %v, e = %v, not %v, %v", k, m.n, gotD[m.lo:m.lo+m.n], gotE[m.lo:m.lo+m.n-1], wantD, wantE)
		}
		for _, l := range tree.Leaves {
			for i := range l.N1 {
				if order[m.lo+l.Lo+i] != int32(i) {
					t.Errorf("matrix %d of order %d: order %v of leaf %+v", k, m.n, order[m.lo:m.lo+m.n], l)
				}
			}
		}
	}
}

// TestForestFitsItsMemory checks, for many orders, that the blocks of Q of each level do not overlap
// each other or the memory of another matrix, and that neither do W and S.
func TestForestFitsItsMemory(t *testing.T) {
	tune := SmallestTuning()
	b := builder{dev: vk.Dry(vk.Info{SharedBytes: 48 << 10, MaxLocal: 1024})}
	f := newForest(&b, 1<<12, tune.Products, tune.DivideConquer)
	for n := 1; n < 80; n++ {
		var lists forestLists
		first := forestMatrix{n: n, lo: 5, q: 1 << 10, work: 1 << 11}
		second := forestMatrix{n: n, lo: 5 + n, q: first.q + n*n, work: first.work + forestWork(n)}
		all := f.plant(&lists, []forestMatrix{first, second})
		used := func(used []bool, at, count, from, most int) {
			if at < from || at+count > from+most {
				t.Fatalf("order %d: elements %d to %d", n, at, at+count)
			}
			for i := range count {
				if used[at+i-first.q] {
					t.Fatalf("order %d: element %d is used twice", n, at+i)
				}
				used[at+i-first.q] = true
			}
		}
		rows := make([]bool, 2*n)
		q := make([]bool, 2*n*n)
		for i, l := range lists.leaves {
			m := []forestMatrix{first, second}[2*i/len(lists.leaves)]
			used(q, int(l.At[0]), int(l.N*l.N), m.q, n*n)
			for i := range l.N {
				rows[int(l.Lo+i)-first.lo] = true
			}
		}
		if slices.Contains(rows, false) || all.rows.len() != 2*n {
			t.Errorf("order %d: the leaves have %v of the rows", n, rows)
		}
		for _, l := range all.levels {
			merges := lists.merges[l.merges.first:l.merges.last]
			q, work := make([]bool, 2*n*n), make([]bool, 1<<16)
			for i, x := range merges {
				m := []forestMatrix{first, second}[2*i/len(merges)]
				used(q, int(x.At[0]), int(x.N*x.N), m.q, n*n)
				used(work, int(x.Work[0]), forestWork(int(x.N)), m.work, forestWork(n))
			}
		}
	}
}
