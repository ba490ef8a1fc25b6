package stedc

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/bidiagonal"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/vk"
)

// TestConquerDispatchesAreBounded records divide and conquer for symmetric and for bidiagonal
// matrices on dry devices (devices that run nothing). No dispatch may be predicted to take more
// than 100 ms. For symmetric matrices it records two cases: no column deflates, and all columns
// deflate. For bidiagonal matrices no column deflates.
func TestConquerDispatchesAreBounded(t *testing.T) {
	for _, card := range roomtest.SlowCards {
		dev, n, longest := card.Dry(), card.N, roomtest.NewLongest(card)
		tune := BoundedFor(dev.Info(), card.Rate)
		conquer, ops, err := newDivideConquer(dev, n, tune)
		if err != nil {
			t.Fatal(err)
		}
		singular, err := NewBidiagonalConquer(dev, n, ops, tune.Products, tune.DivideConquer)
		if err != nil {
			t.Fatal(err)
		}
		x, left := vk.Reserve[float64]("X", n*n), vk.Reserve[float64]("S", n*n)
		ws, err := dev.NewArena(vk.Together(x, left, ops.Work(), conquer.Work(), singular.Work()))
		if err != nil {
			t.Fatal(err)
		}
		xt := stages.NewMatrix(x.In(ws), n, n, n)

		run := newDivideConquerRun(context.Background(), ws, &conquer.values)
		run.vectors = &vectorsRun{pass: &conquer.Vectors, values: conquer.values.pass, ws: ws, xt: xt, turns: 1, deflated: true}
		run.execute = longest.Seen("divide and conquer", 1)
		conquerDeflating(t, run, n, tune.DivideConquer.Leaf, false)
		run.execute = longest.Seen("divide and conquer in which all columns deflate", 1)
		conquerDeflating(t, run, n, tune.DivideConquer.Leaf, true)

		both := singular.newRun(context.Background(), ws, 0, n, stages.NewMatrix(left.In(ws), n, n, n), xt)
		both.execute = longest.Seen("bidiagonal divide and conquer", 1)
		bidiagonalWithoutDeflation(t, both, n, singular.values.tune.Leaf)
		longest.Check(t, 3)
	}
}

// TestDeflationIsBounded checks that one dispatch does not compute too many rotations of one merge.
// One invocation computes them one after the other, so their time does not depend on the device's
// rate. The test uses four times the time of a rotation on an H200.
func TestDeflationIsBounded(t *testing.T) {
	const n, rotation = 65536, 4 * 620e-9
	for _, card := range roomtest.SlowCards {
		dev := card.Dry()
		s, err := NewDivideConquerValues(dev, n, BoundedFor(dev.Info(), card.Rate).DivideConquer)
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
		if seconds := rotation * float64(steps); !(seconds <= 0.1) || steps*dispatches < n {
			t.Errorf("%s: %d dispatches of %d rotations, which take %.0f ms", card.Name, dispatches, steps, 1e3*seconds)
		}
	}
}

// conquerDeflating records both passes of divide and conquer. If `all` is true, all columns of the
// matrix deflate. Otherwise no column deflates.
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

// bidiagonalWithoutDeflation records all parts of a bidiagonal divide and conquer in which no
// column deflates.
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

// TestBoundedConquerHasTheSameBits checks that values and vectors do not depend on the number of
// dispatches into which the work is divided. The spectrum has clusters.
func TestBoundedConquerHasTheSameBits(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	d, e := suite.Glued(84, 1e-9)
	var want [][]float64
	for _, dispatch := range []float64{1e12, 200, 3e4} {
		tune := SmallestTuning()
		tune.DivideConquer.Dispatch = dispatch
		values, z := solveTridiagonal(t, tune, d, e)
		got := [][]float64{values, z, solveTridiagonalValues(t, tune, d, e)}
		if want == nil {
			want = got
		}
		for i := range got {
			if !stagetest.SameBits(got[i], want[i]) {
				t.Errorf("%g flops a dispatch: result %d has other bits", dispatch, i)
			}
		}
	}
}
