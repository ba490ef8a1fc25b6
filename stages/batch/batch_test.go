package batch

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/stebz"
	"github.com/vkevd/vkevd/vk"
)

// smallestBatch returns a tuning with such small sizes that matrices of orders up to 160 reach
// every kernel for batches. In the larger matrices an invocation has several rows.
func smallestBatch() Tuning {
	return Tuning{
		Shared: []Shared{{Order: 3, Team: 2, Matrices: 3, Apart: 3}, {Order: 9, Team: 4, Matrices: 2}},
		Memory: []Memory{
			{Order: 20, Threads: 32, Teams: 2, Apart: 1}, {Order: 40, Threads: 4, Teams: 1, Apart: 4, Rows: 3, Matrices: 3},
			{Order: 160, Threads: 32, Teams: 1, Apart: 2, Conquer: true},
		},
		Dispatch: 1e6,
	}
}

// newBatch prepares a batch. Divide and conquer has leaves of at most three rows, and small tiles.
func newBatch(dev *vk.Device, size Size, t Tuning) (*Batch, error) {
	small := SmallestTuning()
	return New(dev, size, t, small.DivideConquer, small.Products)
}

type batchMatrix struct {
	item    Item
	a       []float64
	values  []float64
	vectors []float64
	outcome BatchOutcome
}

// solveBatch solves the matrices in one batch, with small sizes of divide and conquer.
func solveBatch(t testing.TB, tune Tuning, vectors bool, all []*batchMatrix) *vk.Profile {
	t.Helper()
	return solveBatchWith(t, tune, SmallestTuning(), vectors, all)
}

// solveBatchWith solves the matrices in one batch, with the sizes of divide and conquer and of
// products that `sizes` has.
func solveBatchWith(t testing.TB, tune Tuning, sizes Tables, vectors bool, all []*batchMatrix) *vk.Profile {
	t.Helper()
	dev := stagetest.Device(t)
	size := Size{Count: len(all), Vectors: vectors}
	var items []Item
	entries, rows, wanted := 0, 0, 0
	for _, m := range all {
		size.N = max(size.N, m.item.N)
		items = append(items, m.item)
		entries += m.item.N * m.item.N
		rows += m.item.N
		wanted += m.item.N * (m.item.To - m.item.From)
	}
	s, err := New(dev, size, tune, sizes.DivideConquer, sizes.Products)
	if err != nil {
		t.Fatal(err)
	}
	a, values, v := vk.Reserve[float64]("a", entries), vk.Reserve[float64]("values", rows), vk.Reserve[float64]("v", wanted)
	ws := stagetest.Arena(t, dev, vk.Together(s.Work(), a, values, v))
	p := s.Place(items)
	x := Buffers{a.In(ws), values.In(ws), v.In(ws)}
	for i, m := range all {
		stagetest.Put(t, dev, x.A.Sub(p.A[i], len(m.a)), m.a)
	}
	rec := vk.NewRecorder(dev)
	s.Record(rec, ws, p, x)
	profile := stagetest.Run(t, dev, rec)
	for {
		rec := vk.NewRecorder(dev)
		if !s.Continue(rec, ws, p, x) {
			break
		}
		profile.Merge(stagetest.Run(t, dev, rec))
	}
	for i, m := range all {
		count := m.item.To - m.item.From
		m.outcome = p.Outcomes()[i]
		m.values = stagetest.Get(t, dev, x.Values.Sub(p.W[i], count))
		if vectors {
			m.vectors = stagetest.Get(t, dev, x.V.Sub(p.V[i], m.item.N*count))
		}
	}
	return profile
}

// `whole` returns a matrix of a batch whose eigenvalues and eigenvectors are all wanted. The
// triangle that must not be read holds invalid data.
func whole(n int, a []float64, upper bool) *batchMatrix {
	a = slices.Clone(a)
	for j := range n {
		for i := range n {
			if upper && i > j || !upper && i < j {
				a[i+j*n] = vk.PoisonValue()
			}
		}
	}
	return &batchMatrix{item: Item{N: n, Upper: upper, To: n}, a: a}
}

// TestBatch solves batches of matrices of all kinds. The orders reach every set of kernels, up to
// the largest order of each set.
func TestBatch(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	var all []*batchMatrix
	var full [][]float64
	var names []string
	for i, kind := range matgen.Dense() {
		for _, n := range []int{1, 2, 3, 4, 5, 9, 10, 20, 21, 33 + i%8, 41 + i%16} {
			a := kind.Dense(n)
			full, names = append(full, a), append(names, fmt.Sprint(kind.Name(), " ", n))
			all = append(all, whole(n, a, i%2 == 0))
		}
	}
	solveBatch(t, smallestBatch(), true, all)
	worst := 0.0
	for i, m := range all {
		n := m.item.N
		if m.outcome != (BatchOutcome{}) || !slices.IsSorted(m.values) {
			t.Errorf("%s: %+v, values %v", names[i], m.outcome, m.values)
			continue
		}
		r := max(ratio.Residual(n, n, full[i], n, m.values, m.vectors, n), ratio.Orthogonality(n, n, m.vectors, n))
		worst = max(worst, r)
		if !(r < 10) {
			t.Errorf("%s: ratio %.3g", names[i], r)
		}
	}
	t.Logf("largest ratio %.3g", worst)
	values := make([]*batchMatrix, len(all))
	for i, m := range all {
		values[i] = &batchMatrix{item: m.item, a: m.a}
	}
	solveBatch(t, smallestBatch(), false, values)
	worst = 0
	for i, m := range values {
		norm := 0.0
		for _, x := range all[i].values {
			norm = max(norm, math.Abs(x))
		}
		r := ratio.Values(m.item.N, m.values, all[i].values, norm)
		worst = max(worst, r)
		if !(r < 10) || !slices.IsSorted(m.values) {
			t.Errorf("%s: ratio %.3g of values alone", names[i], r)
		}
	}
	t.Logf("largest ratio of values alone %.3g", worst)
}

// TestBatchDispatches checks batches of many orders and numbers of matrices: no dispatch may cost
// more than the tuning allows, and no workgroup may do more than its fraction of that cost.
func TestBatchDispatches(t *testing.T) {
	dev := vk.Dry(vk.Info{Memory: 1 << 40, Free: 1 << 40, SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32})
	const most = 1e8
	tune := Tuning{
		Shared:   []Shared{{Order: 16, Team: 16, Matrices: 2}},
		Memory:   []Memory{{Order: 256, Threads: 256, Teams: 2, Apart: 32}, {Order: 512, Threads: 512, Teams: 2, Apart: 32, Conquer: true}},
		Dispatch: most,
	}
	for _, c := range []struct{ n, count int }{{16, 100000}, {40, 1}, {40, 5000}, {512, 1}, {512, 300}} {
		for _, vectors := range []bool{true, false} {
			s, err := newBatch(dev, Size{N: c.n, Count: c.count, Vectors: vectors}, tune)
			if err != nil {
				t.Fatal(err)
			}
			a, w := vk.Reserve[float64]("a", c.count*c.n*c.n), vk.Reserve[float64]("values", c.count*c.n)
			ws, err := dev.NewArena(vk.Together(s.Work(), a, w))
			if err != nil {
				t.Fatal(err)
			}
			rec := vk.NewRecorder(dev)
			s.Record(rec, ws, s.Place(slices.Repeat([]Item{{N: c.n, To: c.n}}, c.count)), Buffers{a.In(ws), w.In(ws), a.In(ws)})
			estimates := rec.Estimates()
			if least := slices.Min(estimates); !(least > 0) {
				t.Errorf("%d of order %d: a dispatch of %g flops", c.count, c.n, least)
			}
			if largest := slices.Max(estimates); !(largest <= most*1.01) {
				t.Errorf("%d of order %d: a dispatch of %g flops", c.count, c.n, largest)
			}
			if largest := slices.Max(estimates); c.count == 1 && !(largest <= 2*most*ofWorkgroup+54*stebz.MinorFlops*512*512) {
				t.Errorf("order %d: a matrix alone costs %g flops", c.n, largest)
			}
		}
	}
}

// TestBatchRefusesTunings checks that a batch tuning is refused if it has no kernel for order 2, or
// if its rows are not sorted by order.
func TestBatchRefusesTunings(t *testing.T) {
	dev := vk.Dry(vk.Info{Memory: 1 << 40, Free: 1 << 40, SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32})
	none, small, shared, memory := smallestBatch(), smallestBatch(), smallestBatch(), smallestBatch()
	none.Shared = nil
	small.Shared = []Shared{{Order: 1, Team: 1, Matrices: 1}}
	slices.Reverse(shared.Shared)
	slices.Reverse(memory.Memory)
	for i, tune := range []Tuning{none, small, shared, memory} {
		if _, err := newBatch(dev, Size{N: 9, Count: 1}, tune); err == nil {
			t.Errorf("tuning %d is not refused", i)
		}
	}
	if _, err := newBatch(dev, Size{N: 9, Count: 1}, smallestBatch()); err != nil {
		t.Error(err)
	}
}
