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
	"github.com/vkevd/vkevd/vk/spirv"
)

// smallestBatch returns a tuning with such small sizes that matrices of orders up to 160 reach
// every kernel for batches. In the larger matrices an invocation has several rows.
func smallestBatch() Tuning {
	return Tuning{
		Shared: []Shared{{Order: 3, Team: 2, Matrices: 3, Apart: 3}, {Order: 9, Team: 4, Matrices: 2}},
		Memory: []Memory{
			{Order: 20, Threads: 32, Teams: 2, Form: Form{Threads: 20, Lanes: 20, Columns: 1}}, {Order: 40, Threads: 4, Teams: 1, Rows: 3, Block: 3, Form: Form{Threads: 6, Lanes: 3, Columns: 2}, Matrices: 3, Turns: Turns{Threads: 4, Rows: 3, Sweeps: 5}},
			{Order: 160, Threads: 32, Teams: 1, Block: 2, Form: Form{Threads: 16, Lanes: 8, Columns: 3}, Conquer: true},
		},
		Dispatch: 1e6,
	}
}

// newBatch prepares a batch. Divide and conquer has leaves of at most three rows, and small tiles.
func newBatch[T spirv.Real](dev *vk.Device, size Size, t Tuning) (*Batch[T, T], error) {
	small := SmallestTuning()
	return New[T, T](dev, size, t, small.DivideConquer, small.Products)
}

type batchMatrix struct {
	item    Item
	a       []float64
	values  []float64
	vectors []float64
	outcome BatchOutcome
}

// converted returns the numbers x as numbers of type T.
func converted[T, S spirv.Real](x []S) []T {
	y := make([]T, len(x))
	for i := range x {
		y[i] = T(x[i])
	}
	return y
}

// matrixOf returns a matrix of order n whose entries are numbers of type T. If the largest entry is
// outside of float32's normal numbers, it becomes the largest power of two below 2^128, or is near
// 2^-130, where numbers of type float32 are subnormal.
func matrixOf[T spirv.Real](kind matgen.DenseKind, n int) []float64 {
	a := kind.Dense(n)
	if spirv.KindOf[T]() == spirv.Float32 {
		top := 0.0
		for _, x := range a {
			top = max(top, math.Abs(x))
		}
		_, e := math.Frexp(top)
		for i := range a {
			switch {
			case e > 127:
				a[i] = math.Ldexp(a[i], 127-e)
			case top > 0 && e < -125:
				a[i] = math.Ldexp(a[i], -130-e)
			}
		}
	}
	return converted[float64](converted[T](a))
}

// solveBatch solves the matrices in one batch, with small sizes of divide and conquer.
func solveBatch[T spirv.Real](t testing.TB, tune Tuning, vectors bool, all []*batchMatrix) *vk.Profile {
	t.Helper()
	return solveBatchWith[T](t, tune, SmallestTuning(), vectors, all)
}

// solveBatchWith solves the matrices in one batch, with the sizes of divide and conquer and of
// products that `sizes` has. The numbers of the matrices and of the results are doubles, whatever T
// is.
func solveBatchWith[T spirv.Real](t testing.TB, tune Tuning, sizes Tables, vectors bool, all []*batchMatrix) *vk.Profile {
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
	s, err := New[T, T](dev, size, tune, sizes.DivideConquer, sizes.Products)
	if err != nil {
		t.Fatal(err)
	}
	a, values, v := vk.Reserve[T]("a", entries), vk.Reserve[T]("values", rows), vk.Reserve[T]("v", wanted)
	ws := stagetest.Arena(t, dev, vk.Together(s.Work(), a, values, v))
	p := s.Place(items)
	x := Buffers[T, T]{a.In(ws), values.In(ws), v.In(ws)}
	for i, m := range all {
		stagetest.Put(t, dev, x.A.Sub(p.A[i], len(m.a)), converted[T](m.a))
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
	outcomes, exponents := p.Outcomes(), s.Exponents(p)
	for i, m := range all {
		count := m.item.To - m.item.From
		m.outcome = outcomes[i]
		m.values = converted[float64](stagetest.Get(t, dev, x.Values.Sub(p.W[i], count)))
		for j := range m.values {
			if exponents != nil {
				m.values[j] = math.Ldexp(m.values[j], exponents[i])
			}
		}
		if vectors {
			m.vectors = converted[float64](stagetest.Get(t, dev, x.V.Sub(p.V[i], m.item.N*count)))
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
	t.Run("float64", testBatch[float64])
	t.Run("float32", testBatch[float32])
}

func testBatch[T spirv.Real](t *testing.T) {
	shorter := 0x1p-52 / stagetest.UlpOf[T]() // the ratios count ulps of doubles
	var all []*batchMatrix
	var full [][]float64
	var names []string
	for i, kind := range matgen.Dense() {
		for _, n := range []int{1, 2, 3, 4, 5, 9, 10, 20, 21, 33 + i%8, 41 + i%16} {
			a := matrixOf[T](kind, n)
			full, names = append(full, a), append(names, fmt.Sprint(kind.Name(), " ", n))
			all = append(all, whole(n, a, i%2 == 0))
		}
	}
	solveBatch[T](t, smallestBatch(), true, all)
	worst := 0.0
	for i, m := range all {
		n := m.item.N
		if m.outcome != (BatchOutcome{}) || !slices.IsSorted(m.values) {
			t.Errorf("%s: %+v, values %v", names[i], m.outcome, m.values)
			continue
		}
		r := shorter * max(ratio.Residual(n, n, full[i], n, m.values, m.vectors, n), ratio.Orthogonality(n, n, m.vectors, n))
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
	solveBatch[T](t, smallestBatch(), false, values)
	worst = 0
	for i, m := range values {
		norm := 0.0
		for _, x := range all[i].values {
			norm = max(norm, math.Abs(x))
		}
		r := shorter * ratio.Values(m.item.N, m.values, all[i].values, norm)
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
		Shared: []Shared{{Order: 16, Team: 16, Matrices: 2}},
		Memory: []Memory{
			{Order: 256, Threads: 256, Teams: 2, Form: Form{Threads: 64, Lanes: 32}, Turns: Turns{Threads: 64, Rows: 1, Sweeps: 2}},
			{Order: 512, Threads: 512, Teams: 2, Form: Form{Threads: 64, Lanes: 32}, Conquer: true},
		},
		Dispatch: most,
	}
	for _, c := range []struct{ n, count int }{{16, 100000}, {40, 1}, {40, 5000}, {512, 1}, {512, 300}} {
		for _, vectors := range []bool{true, false} {
			s, err := newBatch[float64](dev, Size{N: c.n, Count: c.count, Vectors: vectors}, tune)
			if err != nil {
				t.Fatal(err)
			}
			a, w := vk.Reserve[float64]("a", c.count*c.n*c.n), vk.Reserve[float64]("values", c.count*c.n)
			ws, err := dev.NewArena(vk.Together(s.Work(), a, w))
			if err != nil {
				t.Fatal(err)
			}
			rec := vk.NewRecorder(dev)
			s.Record(rec, ws, s.Place(slices.Repeat([]Item{{N: c.n, To: c.n}}, c.count)), Buffers[float64, float64]{a.In(ws), w.In(ws), a.In(ws)})
			estimates := rec.Estimates()
			if least := slices.Min(estimates); !(least > 0) {
				t.Errorf("%d of order %d: a dispatch of %g flops", c.count, c.n, least)
			}
			if largest := slices.Max(estimates); !(largest <= most*1.01) {
				t.Errorf("%d of order %d: a dispatch of %g flops", c.count, c.n, largest)
			}
			// org2l_batch has several workgroups for a matrix alone.
			if largest := slices.Max(estimates); c.count == 1 && !(largest <= 2*most*ofWorkgroup+54*stebz.MinorFlops*512*512+4.0/3*512*512*512) {
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
		if _, err := newBatch[float64](dev, Size{N: 9, Count: 1}, tune); err == nil {
			t.Errorf("tuning %d is not refused", i)
		}
	}
	if _, err := newBatch[float64](dev, Size{N: 9, Count: 1}, smallestBatch()); err != nil {
		t.Error(err)
	}
}
