package batch

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// conquerBatch returns a tuning in which divide and conquer solves all matrices of orders 3 to 520.
func conquerBatch() Tuning {
	return Tuning{
		Shared:   []Shared{{Order: 2, Team: 2, Matrices: 1}},
		Memory:   []Memory{{Order: 520, Threads: 64, Teams: 1, Block: 2, Form: Form{Threads: 64, Lanes: 32, Columns: 2}, Conquer: true}},
		Dispatch: 1e9,
	}
}

// TestBatchConquer solves a batch of matrices of different orders by divide and conquer, with the
// leaves and products that the device usually has, and checks LAPACK's ratios. On a CPU device the
// large matrices are few.
func TestBatchConquer(t *testing.T) {
	t.Run("float64", testBatchConquer[float64])
	t.Run("float32", testBatchConquer[float32])
}

func testBatchConquer[T spirv.Real](t *testing.T) {
	shorter := 0x1p-52 / stagetest.UlpOf[T]() // the ratios count ulps of doubles
	large := []int{191, 192, 193, 255, 256, 257, 384, 511, 512, 513, 520}
	if stagetest.Info().Type == "cpu" {
		large = []int{193, 257}
	}
	var all []*batchMatrix
	var full [][]float64
	add := func(kind matgen.DenseKind, n int) {
		a := matrixOf[T](kind, n)
		full = append(full, a)
		all = append(all, whole(n, a, n%2 == 0))
	}
	for i, kind := range matgen.Dense() {
		for _, n := range []int{3 + i, 32 + i, 65 + i%2} {
			add(kind, n)
		}
		if i%5 == 0 || stagetest.Info().Type != "cpu" {
			add(kind, large[i%len(large)])
		}
	}
	solveBatchWith[T](t, conquerBatch(), TuningFor(stagetest.Device(t).Info()), true, all)
	worst := 0.0
	for i, m := range all {
		n := m.item.N
		if m.outcome != (BatchOutcome{}) || !slices.IsSorted(m.values) {
			t.Errorf("matrix %d of order %d: %+v", i, n, m.outcome)
			continue
		}
		r := shorter * max(ratio.Residual(n, n, full[i], n, m.values, m.vectors, n), ratio.Orthogonality(n, n, m.vectors, n))
		worst = max(worst, r)
		if !(r < 10) {
			t.Errorf("matrix %d of order %d: ratio %.3g", i, n, r)
		}
	}
	t.Logf("%d matrices: largest ratio %.3g", len(all), worst)
}

// TestBatchConquerFailure pretends that divide and conquer has failed for two of four matrices. In
// one of them an eigenvalue of a leaf is NaN. In the other one a root of a secular equation was not
// found. The batch must report that these two matrices have failed, and the results of the other
// matrices must not change.
func TestBatchConquerFailure(t *testing.T) {
	dev, small := stagetest.Device(t), SmallestTuning()
	const n, count = 50, 4
	s, err := New[float64, float64](dev, Size{N: n, Count: count, Vectors: true}, conquerBatch(), small.DivideConquer, small.Products)
	if err != nil {
		t.Fatal(err)
	}
	a, values := vk.Reserve[float64]("a", count*n*n), vk.Reserve[float64]("values", count*n)
	ws := stagetest.Arena(t, dev, vk.Together(s.Work(), a, values))
	x := Buffers[float64, float64]{a.In(ws), values.In(ws), a.In(ws)}
	stagetest.Put(t, dev, x.A, stagetest.Normal(n, count*n, n, 3).Data)
	p := s.Place(slices.Repeat([]Item{{N: n, To: n}}, count))
	rec := vk.NewRecorder(dev)
	s.Record(rec, ws, p, x)
	stagetest.Run(t, dev, rec)
	good, vectors := stagetest.Get(t, dev, x.Values), stagetest.Get(t, dev, x.A)

	stagetest.Put(t, dev, s.forest.LeafValues(ws).Sub(n+n/2, 1), []float64{math.NaN()})
	stagetest.Put(t, dev, s.forest.Deflation.Info.In(ws).Sub(3*n+1, 1), []uint32{7})
	rec = vk.NewRecorder(dev)
	s.recordMemory(rec, ws, p.classes[0], &p.lists, x).sort()
	vk.ReceiveLast(rec, p.states, s.states.In(ws))
	stagetest.Run(t, dev, rec)
	want := []BatchOutcome{{}, {Failed: true, Hi: n}, {}, {Failed: true, Hi: n}}
	if got := p.Outcomes(); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	after, again := stagetest.Get(t, dev, x.Values), stagetest.Get(t, dev, x.A)
	for k := range count {
		same := slices.Equal(after[k*n:(k+1)*n], good[k*n:(k+1)*n])
		if want[k].Failed && !math.IsNaN(after[k*n]) || !want[k].Failed && !same {
			t.Errorf("matrix %d: values %v", k, after[k*n:k*n+3])
		}
	}
	if !slices.Equal(vectors, again) {
		t.Error("vectors have changed")
	}
}

// TestBatchConquerRecording compares the recorded commands of a batch with a golden file. Two
// matrices have divide and conquer, and one has QL iteration. The merges of the two matrices are in
// one list, and each level of merges is dispatched for the two matrices together.
func TestBatchConquerRecording(t *testing.T) {
	dev := roomtest.Dry()
	tune := smallestBatch()
	s, err := newBatch[float64](dev, Size{N: 50, Count: 3, Vectors: true}, tune)
	if err != nil {
		t.Fatal(err)
	}
	a, values := vk.Reserve[float64]("A", 3*50*50), vk.Reserve[float64]("values", 3*50)
	ws, err := dev.NewArena(vk.Together(s.Work(), a, values))
	if err != nil {
		t.Fatal(err)
	}
	rec := vk.NewRecorder(dev)
	p := s.Place([]Item{{N: 50, To: 50}, {N: 12, To: 12}, {N: 45, From: 3, To: 8}})
	s.Record(rec, ws, p, Buffers[float64, float64]{a.In(ws), values.In(ws), a.In(ws)})
	for i, cost := range rec.Estimates() {
		if !(cost > 0) {
			t.Errorf("dispatch %d has no estimate of its cost", i)
		}
	}
	var text strings.Builder
	if _, err := rec.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	stagetest.Golden(t, "batch_conquer.golden", text.String())
}
