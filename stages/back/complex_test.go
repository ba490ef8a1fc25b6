package back

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// rounded returns the numbers x, rounded to the type T.
func rounded[T stagetest.Complex](x []complex128) []complex128 {
	return stagetest.ComplexOf[complex128](stagetest.ComplexOf[T](x))
}

// complexReflectors returns the reflectors of the chasing of a random Hermitian band.
func complexReflectors(n, b int) (v, tau []complex128) {
	r := rand.New(rand.NewPCG(uint64(n), uint64(b)))
	band := make([]complex128, 2*b*n)
	for c := range n {
		for i := range min(b+1, n-c) {
			band[2*b*c+i] = complex(r.NormFloat64(), r.NormFloat64())
		}
	}
	_, _, v, tau = ref.BulgeChasing(n, b, band)
	return v, tau
}

// complexVectors returns an n×m matrix of numbers that T holds exactly.
func complexVectors[T stagetest.Complex](n, m int) []complex128 {
	x := make([]complex128, n*m)
	for l := range x {
		x[l] = complex(math.Sin(float64(1+l)), math.Cos(float64(2+5*l)))
	}
	return rounded[T](x)
}

// recorded runs a stage that transforms the n×m matrix x, and returns the result. It first copies
// `inputs` and the transpose of X to the device. The padding of X is NaN. `work` is the workspace
// of the stage.
func recorded[T stagetest.Complex](
	t *testing.T, n, m int, work *vk.Layout, inputs [][]complex128, x []complex128,
	record func(rec *vk.Recorder, ws *vk.Arena, in []vk.Slice[T], xt product.Matrix[T]) (info vk.Slice[uint32]),
) []complex128 {
	t.Helper()
	dev, ld := stagetest.Device(t), m+3
	var rooms []vk.Region[T]
	all := []vk.Space{work}
	for _, values := range append(inputs, make([]complex128, ld*n)) {
		rooms = append(rooms, vk.Reserve[T]("input", len(values)))
		all = append(all, rooms[len(rooms)-1])
	}
	ws := stagetest.Arena(t, dev, vk.Together(all...))
	var in []vk.Slice[T]
	for i, room := range rooms {
		in = append(in, room.In(ws))
		if i < len(inputs) {
			stagetest.Put(t, dev, in[i], stagetest.ComplexOf[T](inputs[i]))
		}
	}
	xt := in[len(inputs)]
	stagetest.Put(t, dev, xt, stagetest.Padded(m, n, stagetest.Transpose(n, m, stagetest.ComplexOf[T](x)), ld))
	rec := vk.NewRecorder(dev)
	word := record(rec, ws, in, product.NewMatrix(xt, m, n, ld))
	stagetest.Run(t, dev, rec)
	if word.Len() > 0 {
		if info := stagetest.Get(t, dev, word); info[0] != 0 {
			t.Fatalf("INFO %d", info[0])
		}
	}
	return stagetest.ComplexOf[complex128](stagetest.Transpose(m, n, stagetest.Unpadded(t, m, n, stagetest.Get(t, dev, xt), ld)))
}

// applyComplex returns Q2·X or Q2ᴴ·X for the n×m matrix x.
func applyComplex[T stagetest.Complex](
	t *testing.T, size Size, op product.Op, waits roomtest.Waits, tune ApplyQ2Tuning, v, tau, x []complex128,
) []complex128 {
	t.Helper()
	dev, prepare := stagetest.Device(t), NewApplyQ2[T]
	if op == product.Adjoint {
		prepare = NewApplyQ2Adjoint[T]
	}
	s, err := prepare(dev, size, waits.Waiting(t, dev), tune)
	if err != nil {
		t.Fatal(err)
	}
	return recorded(t, size.N, size.M, s.Work(), [][]complex128{v, tau}, x, func(rec *vk.Recorder, ws *vk.Arena, in []vk.Slice[T], xt product.Matrix[T]) vk.Slice[uint32] {
		s.Record(rec, ws, stages.Reflectors[T]{V: in[0], Tau: in[1]}, xt)
		return s.Info(ws)
	})
}

// worstComplex returns the largest error of a column of `got`, in units of √n·ulp·‖column‖. The ulp
// is that of T, and a NaN counts as an infinite error.
func worstComplex[T stagetest.Complex](n, m int, got, want []complex128) (worst float64) {
	for k := range m {
		var diff, norm float64
		for r := k * n; r < (k+1)*n; r++ {
			diff = math.Hypot(diff, cmplx.Abs(got[r]-want[r]))
			norm = math.Hypot(norm, cmplx.Abs(want[r]))
		}
		err := diff / (norm * stagetest.EpsilonOf[T]() * math.Sqrt(float64(n)))
		if math.IsNaN(err) {
			return math.Inf(1)
		}
		worst = max(worst, err)
	}
	return worst
}

// TestComplexApplyQ2 compares Q2·X and Q2ᴴ·X with package ref. As in TestApplyQ2, the error of each
// vector x is measured in units of √n·ulp·‖x‖.
func TestComplexApplyQ2(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	stagetest.EachComplex(t, testComplexApplyQ2[complex128], testComplexApplyQ2[complex64])
}

func testComplexApplyQ2[T stagetest.Complex](t *testing.T) {
	worst := 0.0
	// As in TestApplyQ2, tuning 0 has the smallest sizes. The other tunings are with flags or with
	// teams, and in some of them several invocations share a vector.
	some := map[int][]int{2: {0}, 3: {5}, 4: {0, 5, 9, 10, 13, 14}, 8: {0, 11, 12}}
	for b, tunings := range some {
		for _, i := range tunings {
			for _, n := range []int{1, 2, 3, 5, 9, 14, 31} {
				m := []int{n, 1, 9, 17}[(n+i)%4]
				v, tau := complexReflectors(n, b)
				v, tau = rounded[T](v), rounded[T](tau)
				x := complexVectors[T](n, m)
				for op, apply := range map[product.Op]func(n, b int, v, tau []complex128, m int, x []complex128, ldx int){
					product.NoTrans: ref.ApplyQ2[complex128], product.Adjoint: ref.ApplyQ2Transposed[complex128],
				} {
					want := slices.Clone(x)
					apply(n, b, v, tau, m, want, n)
					got := applyComplex[T](t, Size{n, b, m}, op, roomtest.Waits{Wavefront: n == 9}, q2Tunings()[i], v, tau, x)
					err := worstComplex[T](n, m, got, want)
					if worst = max(worst, err); !(err < q2Threshold) {
						t.Fatalf("n=%d b=%d m=%d op %v, tuning %d: a vector is off by %.3g √n·ulp", n, b, m, op, i, err)
					}
				}
			}
		}
	}
	t.Logf("worst: %.3g √n·ulp", worst)
}

// TestComplexApplyQ2Squares compares the results of ApplyQ2Squares with those of package ref, as
// TestApplyQ2Squares does.
func TestComplexApplyQ2Squares(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	stagetest.EachComplex(t, testComplexApplyQ2Squares[complex128], testComplexApplyQ2Squares[complex64])
}

func testComplexApplyQ2Squares[T stagetest.Complex](t *testing.T) {
	dev, worst := stagetest.Device(t), 0.0
	for b, tunings := range map[int][]int{2: {1}, 3: {5}, 4: {0, 9, 14}, 8: {12}} {
		for _, i := range tunings {
			tune := q2Tunings()[i]
			for _, n := range []int{1, 2, 3, 5, 9, 14, 50} {
				m := []int{n, 1, 9, 17}[(n+i)%4]
				tune.Squares.Sweeps = []int{1, 4, 7, 16}[(n+b)%4]
				v, tau := complexReflectors(n, b)
				v, tau = rounded[T](v), rounded[T](tau)
				x := complexVectors[T](n, m)
				want := slices.Clone(x)
				ref.ApplyQ2(n, b, v, tau, m, want, n)
				ops, err := product.New[T](dev, SmallestTuning().Products)
				if err != nil {
					t.Fatal(err)
				}
				s, err := NewApplyQ2Squares(dev, Size{n, b, m}, ops, tune)
				if err != nil {
					t.Fatal(err)
				}
				got := recorded(t, n, m, vk.Together(s.Work(), ops.Work()), [][]complex128{v, tau}, x, func(rec *vk.Recorder, ws *vk.Arena, in []vk.Slice[T], xt product.Matrix[T]) vk.Slice[uint32] {
					s.Record(rec, ws, stages.Reflectors[T]{V: in[0], Tau: in[1]}, xt)
					return s.Info(ws)
				})
				off := worstComplex[T](n, m, got, want)
				if worst = max(worst, off); !(off < q2Threshold) {
					t.Fatalf("n=%d b=%d m=%d, %d sweeps, tuning %d: a vector is off by %.3g √n·ulp", n, b, m, tune.Squares.Sweeps, i, off)
				}
			}
		}
	}
	t.Logf("worst: %.3g √n·ulp", worst)
}

// TestComplexApplyQ1 compares Q1·X with package ref, for the reflectors of a Hermitian band
// reduction: by ApplyQ1 with all reflectors and block by block, and by ApplyPanels with the
// reflectors as columns and as rows.
func TestComplexApplyQ1(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	stagetest.EachComplex(t, testComplexApplyQ1[complex128], testComplexApplyQ1[complex64])
}

func testComplexApplyQ1[T stagetest.Complex](t *testing.T) {
	dev, worst := stagetest.Device(t), 0.0
	for _, s := range []struct{ n, b, m, merge int }{
		{1, 3, 2, 6}, {4, 4, 4, 8}, {5, 4, 5, 8}, {37, 4, 1, 12}, {50, 8, 20, 24}, {33, 1, 5, 5}, {41, 5, 12, 1000}, {70, 32, 9, 64},
	} {
		n, b := s.n, s.b
		tune := SmallestTuning()
		tune.Panel.Merge = s.merge
		r := rand.New(rand.NewPCG(uint64(n), uint64(b)))
		y := make([]complex128, n*n) // becomes the reflectors
		for l := range y {
			y[l] = stagetest.RandomComplex(r)
		}
		_, factors := ref.BandReduction(n, b, 2*b, y, n)
		y, factors = rounded[T](y), rounded[T](factors)
		x := complexVectors[T](n, s.m)
		want := slices.Clone(x)
		ref.ApplyQ1(n, b, y, n, factors, s.m, want, n)
		ops, err := product.New[T](dev, tune.Products)
		if err != nil {
			t.Fatal(err)
		}
		compare := func(how string, got, want []complex128) {
			err := worstComplex[T](len(got)/s.m, s.m, got, want)
			if worst = max(worst, err); !(err < 5) {
				t.Fatalf("%+v, %s: a vector is off by %.3g √n·ulp", s, how, err)
			}
		}
		for how, width := range map[string]int{"whole": n, "in blocks": 2 * b} {
			q, err := NewApplyQ1InBlocks(dev, Size{n, b, s.m}, width, ops, tune.Panel)
			if err != nil {
				t.Fatal(err)
			}
			compare(how, recorded(t, n, s.m, vk.Together(q.Work(), ops.Work()), [][]complex128{y, factors}, x, func(rec *vk.Recorder, ws *vk.Arena, in []vk.Slice[T], xt product.Matrix[T]) (none vk.Slice[uint32]) {
				a := product.NewMatrix(in[0], n, n, n)
				if how == "whole" {
					q.Record(rec, ws, a, in[1], xt)
					return none
				}
				for first := (n - 1) / width * width; first >= 0; first -= width {
					q.RecordBlock(rec, ws, a.Block(first, first, n-first, min(width, n-first)), first, in[1], xt)
				}
				return none
			}), want)
		}
		rows, cols := n-b, ref.Panels(n, b)*b
		if cols == 0 {
			continue
		}
		columns, below, wanted := make([]complex128, rows*cols), make([]complex128, rows*s.m), make([]complex128, rows*s.m)
		for j := range cols {
			copy(columns[j*rows:(j+1)*rows], y[b+j*n:])
		}
		for j := range s.m {
			copy(below[j*rows:(j+1)*rows], x[b+j*n:])
			copy(wanted[j*rows:(j+1)*rows], want[b+j*n:])
		}
		for how, across := range map[string]bool{"panels as columns": false, "panels as rows": true} {
			q, err := NewApplyPanels(dev, stages.PhaseApplyQ1, PanelsSize{rows, cols, b, s.m, across}, ops, tune.Panel)
			if err != nil {
				t.Fatal(err)
			}
			reflectors, shape := columns, [2]int{rows, cols}
			if across {
				reflectors, shape = stagetest.Transpose(rows, cols, columns), [2]int{cols, rows}
			}
			compare(how, recorded(t, rows, s.m, vk.Together(q.Work(), ops.Work()), [][]complex128{reflectors, factors}, below, func(rec *vk.Recorder, ws *vk.Arena, in []vk.Slice[T], xt product.Matrix[T]) (none vk.Slice[uint32]) {
				q.Record(rec, ws, product.NewMatrix(in[0], shape[0], shape[1], shape[0]), in[1], xt)
				return none
			}), wanted)
		}
	}
	t.Logf("worst: %.3g √n·ulp", worst)
}

// TestComplexApplyQ2Wide checks the sizes that GPUs use: Q2 with flags, and Q2ᴴ with teams. A
// complex vector must have twice as many invocations as a real one.
func TestComplexApplyQ2Wide(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	size := Size{N: 70, B: 32, M: 9}
	tune := tuningFor("nvidia").ApplyQ2
	info := vk.Info{Name: "nvidia", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32}
	numbers, err := q2Spec[complex128](tune, info, size, product.NoTrans)
	if err != nil {
		t.Fatal(err)
	}
	if reals, err := q2Spec[float64](tune, info, size, product.NoTrans); err != nil || numbers.Share != 2*reals.Share {
		t.Errorf("complex %+v, real %+v, %v", numbers, reals, err)
	}
	v, tau := complexReflectors(size.N, size.B)
	x := complexVectors[complex128](size.N, size.M)
	check := func(t *testing.T, op product.Op, waits roomtest.Waits, apply func(n, b int, v, tau []complex128, m int, x []complex128, ldx int)) {
		want := slices.Clone(x)
		apply(size.N, size.B, v, tau, size.M, want, size.N)
		got := applyComplex[complex128](t, size, op, waits, tune, v, tau, x)
		if err := worstComplex[complex128](size.N, size.M, got, want); !(err < q2Threshold) {
			t.Errorf("a vector is off by %.3g √n·ulp", err)
		}
	}
	t.Run("Q2 with flags", func(t *testing.T) {
		check(t, product.NoTrans, roomtest.Waits{}, ref.ApplyQ2[complex128])
	})
	t.Run("adjoint with teams", func(t *testing.T) {
		when.Long(t, "TestComplexApplyQ2 with smaller sizes; this kernel takes ten seconds to compile")
		check(t, product.Adjoint, roomtest.Waits{Wavefront: true}, ref.ApplyQ2Transposed[complex128])
	})
}
