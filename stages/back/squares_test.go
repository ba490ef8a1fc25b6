package back

import (
	"math"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

type squaresBench struct {
	*ApplyQ2Squares[float64]
	ws         *vk.Arena
	v, tau, xt vk.Slice[float64]
}

// squaresBench prepares ApplyQ2Squares for the test case. The stage is made for up to two vectors
// more than the test case has.
func (c q2Case) squaresBench(t testing.TB, tune ApplyQ2Tuning) squaresBench {
	t.Helper()
	dev := stagetest.Device(t)
	ops, err := product.New[float64](dev, SmallestTuning().Products)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewApplyQ2Squares(dev, Size{c.n, c.b, c.m + c.n%3}, ops, tune)
	if err != nil {
		t.Fatal(err)
	}
	v, tau, xt := vk.Reserve[float64]("v", len(c.v)), vk.Reserve[float64]("tau", len(c.tau)), vk.Reserve[float64]("x", len(c.xt))
	ws := stagetest.Arena(t, dev, vk.Together(s.Work(), ops.Work(), v, tau, xt))
	stagetest.Put(t, dev, v.In(ws), c.v)
	stagetest.Put(t, dev, tau.In(ws), c.tau)
	stagetest.Put(t, dev, xt.In(ws), c.xt)
	return squaresBench{s, ws, v.In(ws), tau.In(ws), xt.In(ws)}
}

// applySquares runs ApplyQ2Squares on the test case and returns all elements of the vectors.
func (c q2Case) applySquares(t testing.TB, tune ApplyQ2Tuning) []float64 {
	t.Helper()
	dev, s := stagetest.Device(t), c.squaresBench(t, tune)
	rec := vk.NewRecorder(dev)
	s.Record(rec, s.ws, stages.Reflectors[float64]{V: s.v, Tau: s.tau}, stages.NewMatrix(s.xt, c.m, c.n, c.ld))
	stagetest.Run(t, dev, rec)
	got := stagetest.Get(t, dev, s.xt)
	for r := range c.n {
		for k := c.m; k < c.ld; k++ {
			if !math.IsNaN(got[k+r*c.ld]) {
				t.Fatalf("n=%d b=%d m=%d: padding written", c.n, c.b, c.m)
			}
		}
	}
	return got
}

// packed returns the test case without padding between the vectors.
func (c q2Case) packed() q2Case {
	p := c
	p.ld, p.xt = max(c.m, 1), make([]float64, max(c.m, 1)*c.n)
	for r := range c.n {
		p.xt[r*p.ld] = math.NaN() // padding if there are no vectors
		copy(p.xt[r*p.ld:], c.xt[r*c.ld:][:c.m])
	}
	return p
}

// worstError returns the largest error of a vector x, in units of √n·ulp·‖x‖. `got` and `want` have
// the vectors as columns.
func (c q2Case) worstError(got, want []float64) (worst float64) {
	for k := range c.m {
		var diff, norm float64
		for r := range c.n {
			diff = math.Hypot(diff, got[r+k*c.n]-want[r+k*c.n])
			norm = math.Hypot(norm, want[r+k*c.n])
		}
		err := diff / max(1e-300, norm*ratio.Ulp*math.Sqrt(float64(c.n)))
		if math.IsNaN(err) {
			return math.Inf(1)
		}
		worst = max(worst, err)
	}
	return worst
}

// TestApplyQ2Squares compares the results of ApplyQ2Squares, for squares of many sizes, with those
// of package ref. The error of each vector x is measured in units of √n·ulp·‖x‖.
func TestApplyQ2Squares(t *testing.T) {
	worst := 0.0
	some := [][]int{1: {0}, 2: {1}, 3: {5}, 4: {0, 3, 6, 9, 11, 14}, 5: {7}, 8: {12}}
	for b := range some {
		for _, i := range some[b] {
			tune := q2Tunings()[i]
			for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 9, 12, 13, 14, 31, 50, 75} {
				counts := []int{1, 4, 7, 16, 100}
				m := []int{n, 1, 9, 17, 0}[(n+i)%5]
				if n < 75 {
					counts = counts[(n+i)%5:][:1]
				} else { // several squares of several groups, for several teams
					m = 17
				}
				c := newQ2Case(n, b, m)
				if n%2 == 0 {
					c = c.packed()
				}
				want := c.columns(c.xt)
				ref.ApplyQ2(n, b, c.v, c.tau, m, want, max(1, n))
				for _, tune.Squares.Sweeps = range counts {
					err := c.worstError(c.columns(c.applySquares(t, tune)), want)
					if worst = max(worst, err); !(err < q2Threshold) {
						t.Fatalf("n=%d b=%d m=%d, %d sweeps, tuning %d: a vector is off by %.3g √n·ulp", n, b, m, tune.Squares.Sweeps, i, err)
					}
				}
			}
		}
	}
	t.Logf("worst: %.3g √n·ulp", worst)
}
