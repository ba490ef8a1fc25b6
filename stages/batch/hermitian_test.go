package batch

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// TestBatchOfHermitians solves Hermitian matrices with the smallest sizes: by one dispatch for all
// matrices of a class, and by many. The memory has their conjugates for every second matrix. It
// checks LAPACK's ratios, and that the results have the same bits. Each kernel for batches must have
// more dispatches the second time.
func TestBatchOfHermitians(t *testing.T) {
	stagetest.EachComplex(t, testBatchOfHermitians[complex128, float64], testBatchOfHermitians[complex64, float32])
}

func testBatchOfHermitians[T stagetest.Complex, R spirv.Real](t *testing.T) {
	var items []Item
	var full [][]complex128
	for i, kind := range matgen.Hermitians()[:5] {
		for _, n := range []int{1, 2, 3, 7, 10, 21, 41 + i} {
			a := stagetest.ComplexOf[complex128](stagetest.ComplexOf[T](kind.Dense(n)))
			items, full = append(items, Item{N: n, Upper: i%2 == 0, Conj: n%2 == 0, To: n}), append(full, a)
		}
	}
	tune := smallestBatch()
	tune.Dispatch = 1e12
	values, vectors, few := solveHermitians[T, R](t, tune, items, full)
	tune.Dispatch = 1e4
	again, same, many := solveHermitians[T, R](t, tune, items, full)
	for kernel, count := range few {
		if many[kernel] <= count {
			t.Errorf("%s has %d dispatches, and %d without the limit", kernel, many[kernel], count)
		}
	}
	worst := 0.0
	for k, m := range items {
		z := stagetest.ComplexOf[complex128](vectors[k])
		r := 0x1p-52 / stagetest.EpsilonOf[T]() * max(ratio.Residual(m.N, m.N, full[k], m.N, values[k], z, m.N), ratio.Orthogonality(m.N, m.N, z, m.N))
		if worst = max(worst, r); !(r < 10) {
			t.Errorf("matrix %d of order %d: ratio %.3g", k, m.N, r)
		}
		if !slices.Equal(values[k], again[k]) || !slices.Equal(vectors[k], same[k]) {
			t.Errorf("matrix %d of order %d has other bits in many dispatches", k, m.N)
		}
	}
	t.Logf("%d matrices: largest ratio %.3g", len(items), worst)
}

// solveHermitians solves the matrices in one batch. Matrices of Item.Conj are in memory as their
// conjugates, and have infinite imaginary parts on the diagonal. It also returns the number of
// dispatches of each kernel for batches.
func solveHermitians[T stagetest.Complex, R spirv.Real](t *testing.T, tune Tuning, items []Item, full [][]complex128) (values [][]float64, vectors [][]T, dispatches map[string]int) {
	t.Helper()
	dev, small, size := stagetest.Device(t), SmallestTuning(), Size{Count: len(items), Vectors: true}
	entries, rows := 0, 0
	for _, m := range items {
		size.N, entries, rows = max(size.N, m.N), entries+m.N*m.N, rows+m.N
	}
	s, err := New[T, R](dev, size, Fitting[T](tune, dev.Info()), small.DivideConquer, small.Products)
	if err != nil {
		t.Fatal(err)
	}
	a, w := vk.Reserve[T]("a", entries), vk.Reserve[R]("values", rows)
	ws := stagetest.Arena(t, dev, vk.Together(s.Work(), a, w))
	p, x := s.Place(items), Buffers[T, R]{a.In(ws), w.In(ws), a.In(ws)}
	for i, m := range items {
		in := slices.Clone(full[i])
		for k := range in {
			switch row, col := k%m.N, k/m.N; {
			case row == col:
				in[k] = complex(real(in[k]), vk.PoisonValue())
			case m.Upper && row > col || !m.Upper && row < col:
				in[k] = complex(vk.PoisonValue(), vk.PoisonValue())
			case m.Conj:
				in[k] = complex(real(in[k]), -imag(in[k]))
			}
		}
		stagetest.Put(t, dev, x.A.Sub(p.A[i], len(in)), stagetest.ComplexOf[T](in))
	}
	rec := vk.NewRecorder(dev)
	s.Record(rec, ws, p, x)
	var text strings.Builder
	if _, err := rec.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	dispatches = map[string]int{}
	for line := range strings.Lines(text.String()) {
		if name, _, _ := strings.Cut(line, " "); strings.Contains(name, "_batch") {
			dispatches[name]++
		}
	}
	for more := true; more; {
		stagetest.Run(t, dev, rec)
		rec = vk.NewRecorder(dev)
		more = s.Continue(rec, ws, p, x)
	}
	exponents := s.Exponents(p)
	for i, o := range p.Outcomes() {
		if o != (BatchOutcome{}) {
			t.Fatalf("matrix %d of order %d: %+v", i, items[i].N, o)
		}
		found := converted[float64](stagetest.Get(t, dev, x.Values.Sub(p.W[i], items[i].N)))
		for k := range found {
			if exponents != nil {
				found[k] = math.Ldexp(found[k], exponents[i])
			}
		}
		values = append(values, found)
		vectors = append(vectors, stagetest.Get(t, dev, x.V.Sub(p.V[i], items[i].N*items[i].N)))
	}
	return values, vectors, dispatches
}

// TestRowsForComplexNumbers checks that every row of a table fits a device with 32 KiB of shared
// memory, with smaller blocks and fewer teams for complex numbers, and that the given table does not
// change. A row of shared memory that does not fit is left out.
func TestRowsForComplexNumbers(t *testing.T) {
	info := vk.Info{SharedBytes: 32 << 10, MaxLocal: 1024, Subgroup: 32}
	given := Tuning{
		Shared: []Shared{{Order: 8, Team: 8, Matrices: 1}, {Order: 44, Team: 44, Matrices: 1}},
		Memory: []Memory{
			{Order: 128, Threads: 64, Teams: 1, Form: Form{Threads: 64, Lanes: 16, Columns: 4}},
			{Order: 256, Threads: 64, Teams: 4, Block: 2, Form: Form{Threads: 64, Lanes: 32, Columns: 3}, Conquer: true},
		},
	}
	before := slices.Clone(given.Memory)
	got := Fitting[complex128](given, info)
	if len(got.Shared) != 1 || len(got.Memory) != 2 {
		t.Fatalf("%+v", got)
	}
	if first, last := got.Memory[0], got.Memory[1]; first.Teams != 1 || first.Form.Columns != 2 || last.Block != 1 || last.Teams >= 4 || last.Form.Columns != 2 {
		t.Errorf("%+v", got.Memory)
	}
	if !slices.Equal(given.Memory, before) {
		t.Errorf("the given table is now %+v", given.Memory)
	}
	if real := Fitting[float32](given, info); len(real.Shared) != 2 || !slices.Equal(real.Memory, before) {
		t.Errorf("for real numbers: %+v", real)
	}
	if half := Fitting[complex64](given, info); len(half.Shared) != 2 || half.Memory[1].Block != 2 {
		t.Errorf("for complex64: %+v", half)
	}
	info.SharedBytes = 48 << 10
	given.Memory[1] = Memory{Order: 512, Threads: 512, Teams: 2, Conquer: true}
	if row := Fitting[complex128](given, info).Memory[1]; row.Threads != 256 || row.Teams != 2 {
		t.Errorf("for many invocations: %+v", row)
	}
	if row := Fitting[complex64](given, info).Memory[1]; row.Threads != 512 || row.Teams != 2 {
		t.Errorf("for many invocations of complex64: %+v", row)
	}
}
