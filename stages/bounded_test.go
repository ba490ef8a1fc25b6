package stages

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/bidiagonal"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/stages/tridiag/mrrr"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/vk"
)

// slowCards are devices on which the largest dispatches take longest. The list has the FP64 rate of
// each device in flops per second.
var slowCards = []struct {
	name, family string
	rate         float64
	n            int
}{
	{"a card for desktops, 1/64 rate", "nvidia", 0.2e12, 20000},
	{"the same card with a very large matrix", "nvidia", 0.2e12, 65536},
	{"an APU", "amd", 0.06e12, 12000},
	{"an APU with a very large matrix", "amd", 0.06e12, 65536},
	{"a large card for desktops", "nvidia", 1.3e12, 32768},
	{"H200", "nvidia", 32e12, 32768},
}

// perPivot is a ratio: the time of a pivot (one row of a Sturm count), in flops at the rate of
// fused multiply-adds, divided by the number of flops per pivot in the cost estimates. The ratio is
// large, because most of the time of a pivot is a division.
const perPivot = 40.0 / pivotFlops

// TestTridiagonalDispatchesAreBounded records the solvers for tridiagonal and bidiagonal matrices on
// dry devices (devices that run nothing). No dispatch may be predicted to take more than 100 ms at
// half of the device's rate. The matrices are those that cost most: no column deflates, and half of
// all eigenvalues are in clusters of two.
func TestTridiagonalDispatchesAreBounded(t *testing.T) {
	for _, card := range slowCards {
		dev := vk.Dry(vk.Info{
			Name: card.name, Family: card.family, Type: "discrete", Memory: 1 << 40, Free: 1 << 40,
			SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 32,
		})
		tune := BoundedFor(dev.Info(), card.rate)
		longest := map[string]float64{}
		// `seen` returns an executor that records the longest dispatch of its recordings. One unit
		// of the cost estimates takes `flops` flops.
		seen := func(name string, flops float64) func(context.Context, *vk.Recorder, func(vk.Progress)) (*vk.Profile, error) {
			return func(_ context.Context, rec *vk.Recorder, _ func(vk.Progress)) (*vk.Profile, error) {
				for _, cost := range rec.Estimates() {
					longest[name] = max(longest[name], flops*cost/(card.rate/2))
				}
				return vk.NewProfile(), nil
			}
		}
		recordBounded(t, dev, card.n, tune, seen)
		for name, seconds := range longest {
			t.Logf("%s, n = %d: %s: the longest dispatch takes %.1f ms", card.name, card.n, name, 1e3*seconds)
			if seconds > 0.1 {
				t.Errorf("%s, n = %d: a dispatch of %s takes %.0f ms", card.name, card.n, name, 1e3*seconds)
			}
		}
		if len(longest) != 7 {
			t.Errorf("%v: seven methods have recordings", longest)
		}
	}
}

// TestDeflationIsBounded checks that one dispatch does not compute too many rotations of one merge.
// One invocation computes them one after the other, so their time does not depend on the device's
// rate. The test uses four times the time of a rotation on an H200 (docs/benchmarks.md).
func TestDeflationIsBounded(t *testing.T) {
	const n, rotation = 65536, 4 * 620e-9
	for _, card := range slowCards {
		dev := vk.Dry(vk.Info{
			Name: card.name, Family: card.family, Type: "discrete", Memory: 1 << 40, Free: 1 << 40,
			SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 32,
		})
		s, err := NewDivideConquerValues(dev, n, BoundedFor(dev.Info(), card.rate).DivideConquer)
		if err != nil {
			t.Fatal(err)
		}
		ws, err := dev.NewArena(s.Work())
		if err != nil {
			t.Fatal(err)
		}
		rec := vk.NewRecorder(dev)
		merge := newMerge(&dc.Merge{Pair: dc.Pair{N1: n / 2, N2: n / 2}}, 0, 0)
		s.values.recordDeflation(rec, ws, 0, 0, []shaders.Merge{merge})
		steps, dispatches := s.values.portion, len(rec.Estimates())
		if seconds := rotation * float64(steps); seconds > 0.1 || steps*dispatches < n {
			t.Errorf("%s: %d dispatches of %d rotations, which take %.0f ms", card.name, dispatches, steps, 1e3*seconds)
		}
	}
}

type executor = func(context.Context, *vk.Recorder, func(vk.Progress)) (*vk.Profile, error)

// recordBounded records bisection, both kinds of divide and conquer, and MRRR for order n. For each
// method it calls the function `seen` with the name and the flops of the method. The result of
// `seen` is a function that gets the recording instead of a device.
func recordBounded(t *testing.T, dev *vk.Device, n int, tune Tuning, seen func(name string, flops float64) executor) {
	t.Helper()
	bisection, err := NewBisection(dev, n, tune.Bisection)
	if err != nil {
		t.Fatal(err)
	}
	conquer, ops, err := newDivideConquer(dev, n, tune)
	if err != nil {
		t.Fatal(err)
	}
	singular, err := NewBidiagonalConquer(dev, n, ops, tune.Products, tune.DivideConquer)
	if err != nil {
		t.Fatal(err)
	}
	relative, err := NewMRRR(dev, n, n, nil, tune.MRRR)
	if err != nil {
		t.Fatal(err)
	}
	x, left, d := vk.Reserve[float64]("X", n*n), vk.Reserve[float64]("S", n*n), vk.Reserve[float64]("d", n)
	e, values, counts := vk.Reserve[float64]("e", n), vk.Reserve[float64]("values", n), vk.Reserve[uint32]("counts", n)
	ws, err := dev.NewArena(vk.Together(x, left, d, e, values, counts, ops.Work(), bisection.Work(), conquer.Work(), singular.Work(),
		relative.Work()))
	if err != nil {
		t.Fatal(err)
	}
	xt := NewMatrix(x.In(ws), n, n, n)

	rec := vk.NewRecorder(dev)
	bisection.recordNarrow(rec, ws, 0, n)
	seen("bisection without divisions", 1)(nil, rec, nil)
	rec = vk.NewRecorder(dev)
	bisection.recordPivots(rec, ws, 0, n, values.In(ws))
	bisection.RecordCounts(rec, ws, d.In(ws), e.In(ws), values.In(ws), counts.In(ws))
	seen("bisection", perPivot)(nil, rec, nil)

	run := newDivideConquerRun(context.Background(), ws, &conquer.values)
	run.vectors = &vectorsRun{pass: &conquer.vectors, values: conquer.values.pass, ws: ws, xt: xt, turns: 1, deflated: true}
	run.execute = seen("divide and conquer", 1)
	conquerDeflating(t, run, n, tune.DivideConquer.Leaf, false)
	run.execute = seen("divide and conquer in which all columns deflate", 1)
	conquerDeflating(t, run, n, tune.DivideConquer.Leaf, true)

	both := singular.newRun(context.Background(), ws, 0, n, NewMatrix(left.In(ws), n, n, n), xt)
	both.execute = seen("bidiagonal divide and conquer", 1)
	bidiagonalWithoutDeflation(t, both, n, singular.values.tune.Leaf)

	r := newMRRRRun(context.Background(), ws, relative, xt)
	r.execute = seen("MRRR", perPivot)
	level := clusteredLevel(n)
	tasks, numbers := level.Members, make([]float64, n)
	r.Bisect(tasks, numbers, numbers, 1e-15)
	r.Level(level)
	if _, err := r.Count(tasks, numbers); err != nil {
		t.Fatal(err)
	}
	r.execute = seen("sums of MRRR", 1)
	r.Sums(numbers)
}

// conquerDeflating records both passes of divide and conquer, for a matrix in which no column
// deflates, or all columns deflate.
func conquerDeflating(t *testing.T, run *divideConquerRun, n, leaf int, all bool) {
	t.Helper()
	tree, order := halvedTree(n, leaf), ascending(n)
	levels, err := run.Values(tree, make([]float64, n), make([]float64, n-1), order)
	if err != nil {
		t.Fatal(err)
	}
	for _, merges := range levels {
		for _, m := range merges {
			m.K, m.Upper, m.Lower, m.From, m.To = m.N(), m.N1, m.N1, 0, m.N()
			if all {
				m.K, m.Upper, m.Lower, m.To = 0, 0, 0, 0
			}
		}
	}
	if err := run.Vectors(levels, order); err != nil {
		t.Fatal(err)
	}
}

// bidiagonalWithoutDeflation records all parts of a bidiagonal divide and conquer in which no column
// deflates.
func bidiagonalWithoutDeflation(t *testing.T, run bidiagonalRun, n, leaf int) {
	t.Helper()
	numbers := func(n int) []float64 { return make([]float64, n) }
	tree, order := halvedTree(n, leaf), ascending(n)
	if err := run.Leaves(tree, numbers(n), numbers(n-1), dc.Rows{First: numbers(n), Last: numbers(n)}); err != nil {
		t.Fatal(err)
	}
	levels := make([][]*bidiagonal.Merge, len(tree.Levels))
	for level, pairs := range tree.Levels {
		for _, p := range pairs {
			steps := ascending(p.N() + 1) // each column is a chain of its own
			m := &dc.Merge{Pair: p, K: p.N(), Upper: p.N1, Lower: p.N1, To: p.N(), Gather: dc.Gather{Chain: steps}}
			m.Q = dc.Rows{First: numbers(p.N()), Last: numbers(p.N())}
			levels[level] = append(levels[level], &bidiagonal.Merge{Right: m, Left: m.With(m.Gather)})
		}
		if err := run.Roots(levels[level]); err != nil {
			t.Fatal(err)
		}
	}
	if err := run.Vectors(levels, order); err != nil {
		t.Fatal(err)
	}
}

// ascending returns the numbers 0 … n−1.
func ascending(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// halvedTree returns the tree of merges of a matrix of order n that is halved until its parts have
// at most `leaf` rows.
func halvedTree(n, leaf int) dc.Tree {
	tree := dc.Tree{}
	var divide func(lo, n int) int // returns the number of levels
	divide = func(lo, n int) int {
		if n <= leaf {
			tree.Leaves = append(tree.Leaves, dc.Pair{Lo: lo, N1: n})
			return 0
		}
		p := dc.Pair{Lo: lo, N1: n / 2, N2: n - n/2}
		level := max(divide(lo, p.N1), divide(lo+p.N1, p.N2))
		for len(tree.Levels) <= level {
			tree.Levels = append(tree.Levels, nil)
		}
		tree.Levels[level] = append(tree.Levels[level], p)
		return level + 1
	}
	divide(0, n)
	return tree
}

// clusteredLevel returns a level of MRRR's representation tree with n single eigenvalues, and with
// the largest number of clusters that a matrix of order n can have.
func clusteredLevel(n int) *mrrr.Level {
	numbers := func(n int) []float64 { return make([]float64, n) }
	l := &mrrr.Level{
		Column: make([]int32, n), Lo: numbers(n), Hi: numbers(n), Gap: numbers(n), Lambda: numbers(n), Residual: numbers(n),
		Child: make([]int32, n/2), Shifts: numbers(n / 2 * mrrr.Candidates), Chosen: make([]int32, n/2), Growth: numbers(n / 2),
		Of: make([]int32, n), MemberLo: numbers(n), MemberHi: numbers(n), RTol: 1e-15,
	}
	for i := range n {
		task := mrrr.Task{Hi: int32(n), Slot: mrrr.RootSlot, Index: int32(i)}
		l.Vectors, l.Members = append(l.Vectors, task), append(l.Members, task)
		if i%2 == 0 && len(l.Clusters) < n/2 {
			l.Clusters = append(l.Clusters, task)
		}
	}
	return l
}

// TestBoundedDispatchesHaveTheSameBits checks that eigenvalues and eigenvectors do not depend on
// the number of dispatches into which the work is divided. The matrix consists of copies of
// Wilkinson's matrix, so that its spectrum has clusters.
func TestBoundedDispatchesHaveTheSameBits(t *testing.T) {
	const n = 84
	d, e := suite.Glued(n, 1e-9)
	var want [][]float64
	for _, dispatch := range []float64{1e12, 200, 3e4} {
		tune := SmallestTuning()
		tune.DivideConquer.Dispatch, tune.Bisection.Dispatch, tune.MRRR.Dispatch = dispatch, dispatch, dispatch
		if dispatch < 1e12 { // the device counts as busy with few threads
			tune.Bisection.Lanes, tune.MRRR.Lanes, tune.Bisection.Levels, tune.MRRR.Levels = 4, 4, 1, 1
		}
		var got [][]float64
		values, z := solveTridiagonal(t, tune, d, e)
		got = append(got, values, z, solveTridiagonalValues(t, tune, d, e))
		values, z, _ = solveMRRR(t, tune, d, e, 0, n, false)
		got = append(got, values, z, newBisectionBench(t, n, tune.Bisection).run(d, e, 0, n))
		if want == nil {
			want = got
		}
		for i := range got {
			if !sameBits(got[i], want[i]) {
				t.Errorf("%g flops or pivots a dispatch: result %d has other bits", dispatch, i)
			}
		}
	}
}
