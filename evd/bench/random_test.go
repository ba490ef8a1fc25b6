package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// made executes a recording on a new arena. All memory of the arena is NaN before. The result is
// the contents of the regions `out` after the recording.
func made(t *testing.T, dev *vk.Device, l *vk.Layout, record func(*vk.Recorder, *vk.Arena), out ...vk.Region[float64]) [][]float64 {
	t.Helper()
	ctx := context.Background()
	ws, err := dev.NewGuardedArena(l)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	rec := vk.NewRecorder(dev)
	ws.Poison(rec)
	record(rec, ws)
	if _, err := dev.Run(ctx, rec, nil); err != nil {
		t.Fatal(err)
	}
	if err := ws.CheckGuards(ctx); err != nil {
		t.Error(err)
	}
	var all [][]float64
	for _, r := range out {
		host := make([]float64, r.Len())
		if err := vk.Download(ctx, dev, vk.Vector(host), r.In(ws)); err != nil {
			t.Fatal(err)
		}
		all = append(all, host)
	}
	return all
}

func newTestRandom(t *testing.T, dev *vk.Device) *random {
	t.Helper()
	r, err := newRandom(dev)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRandomMoments(t *testing.T) {
	const rows, cols = 1000, 97
	dev := device(t)
	r := newTestRandom(t, dev)
	x, y := packed("X", rows, cols), packed("Y", rows, cols)
	got := made(t, dev, vk.Together(x, y), func(rec *vk.Recorder, ws *vk.Arena) {
		r.matrix(rec, x.of(ws))
		r.matrix(rec, y.of(ws))
	}, x.Region, y.Region)
	const n = rows * cols
	// near compares `got`, the mean of n random numbers, with its expected value `want`.
	// `deviation` is the standard deviation of one number, so the mean has the standard deviation
	// deviation/√n. A difference of five standard deviations is allowed, which a mean practically
	// never exceeds.
	near := func(what string, got, want, deviation float64) {
		if !(math.Abs(got-want) < 5*deviation/math.Sqrt(n)) {
			t.Errorf("%s is %g, want %g", what, got, want)
		}
	}
	mean := func(f func(i int) float64) float64 {
		sum := 0.0
		for i := range n {
			sum += f(i)
		}
		return sum / n
	}
	a, b := got[0], got[1]
	near("mean", mean(func(i int) float64 { return a[i] }), 0, math.Sqrt(1./3))
	near("variance", mean(func(i int) float64 { return a[i] * a[i] }), 1./3, math.Sqrt(1./5-1./9))
	near("correlation of two matrices", mean(func(i int) float64 { return a[i] * b[i] }), 0, 1./3)
	near("correlation of neighbours", mean(func(i int) float64 { return a[i] * a[(i+1)%n] }), 0, 1./3)
	near("correlation of columns", mean(func(i int) float64 { return a[i] * a[(i+rows)%n] }), 0, 1./3)
	if least, most := slices.Min(a), slices.Max(a); !(least >= -1 && most < 1 && most-least >= 1.99) {
		t.Errorf("from %g to %g", least, most)
	}
	slices.Sort(a)
	if len(slices.Compact(a)) != n {
		t.Error("numbers come twice")
	}
}

func TestRandomBand(t *testing.T) {
	dev := device(t)
	r := newTestRandom(t, dev)
	for _, s := range []struct{ n, b int }{{1, 1}, {2, 1}, {3, 4}, {10, 3}, {130, 16}} {
		band := vk.Reserve[float64]("band", 2*s.b*s.n)
		got := made(t, dev, vk.Together(band), func(rec *vk.Recorder, ws *vk.Arena) { r.band(rec, band.In(ws), s.n, s.b) }, band)[0]
		for i, x := range got {
			row, col := i%(2*s.b), i/(2*s.b)
			if inside := row <= s.b && col+row < s.n; inside != (x != 0) || math.IsNaN(x) {
				t.Fatalf("%+v: element (%d, %d) is %g", s, col+row, col, x)
			}
		}
	}
}

// TestBackTransformationsAreOrthogonal applies random reflectors to vectors. The product of the
// reflectors is orthogonal, so the norms of the vectors must not change.
func TestBackTransformationsAreOrthogonal(t *testing.T) {
	b := newBench(t, everything(1))
	for _, s := range []sizes{{n: 2, b: 1, m: 1}, {n: 3, b: 2, m: 3}, {n: 37, b: 4, m: 5}, {n: 150, b: 8, m: 150}} {
		tune := tuning.Smallest()
		tune.Band = s.b
		for i, build := range []func(*load){applyQ1((*load).products), applyQ2} {
			t.Run(fmt.Sprintf("Q%d/%+v", i+1, s), func(t *testing.T) {
				l, err := stage{make: build}.load(b, s, tune)
				if err != nil {
					t.Fatal(err)
				}
				before := made(t, b.dev, l.layout(), l.prepare, l.result)[0]
				b.random.seed -= seeds // the same numbers again
				after := made(t, b.dev, l.layout(), func(rec *vk.Recorder, ws *vk.Arena) {
					l.prepare(rec, ws)
					l.record(rec, ws)
				}, l.result)[0]
				identity := s.n-s.b < 2 // no panel has enough rows
				if i == 1 {
					identity = s.b == 1 // the band is already tridiagonal
				}
				if slices.Equal(before, after) != identity {
					t.Errorf("vectors are changed, or not; want the identity: %v", identity)
				}
				for c := range s.m {
					x, y := norm(before, c, s.m), norm(after, c, s.m)
					if !(math.Abs(x-y) < 1e-13*x) {
						t.Errorf("vector %d: norm %g, before %g", c, y, x)
					}
				}
			})
		}
	}
}

// seeds is the number of random seeds that the input of one back transformation uses.
const seeds = 2

// norm returns the Euclidean norm of row c of the column-major matrix x with m rows.
func norm(x []float64, c, m int) float64 {
	sum := 0.0
	for i := c; i < len(x); i += m {
		sum += x[i] * x[i]
	}
	return math.Sqrt(sum)
}

// TestRandomUpperBand checks that all entries of the band are random, and that all other elements
// are zero.
func TestRandomUpperBand(t *testing.T) {
	dev := device(t)
	r := newTestRandom(t, dev)
	for _, size := range [][2]int{{1, 1}, {1, 3}, {5, 1}, {3, 4}, {9, 4}} {
		n, b := size[0], size[1]
		band := vk.Reserve[float64]("band", reduce.GeneralSize{M: n, N: n, B: b, K: b}.BandLen())
		got := made(t, dev, vk.Together(band), func(rec *vk.Recorder, ws *vk.Arena) {
			r.upperBand(rec, band.In(ws), n, b, b-1, 3*b)
		}, band)[0]
		inside := make([]bool, len(got))
		for j := range n {
			for i := max(0, j-b); i <= j; i++ {
				inside[i+j*(3*b-1)+2*b-1] = true
			}
		}
		for at, x := range got {
			if (x != 0) != inside[at] || !(math.Abs(x) <= 1) {
				t.Errorf("n = %d, b = %d: element %d is %g", n, b, at, x)
			}
		}
	}
}

// TestSVDRow checks the sizes in the rows of a measured singular value solve and of its reduction
// to a band. The rank of updates must be the one in the options, or else the one that package svd
// chooses.
func TestSVDRow(t *testing.T) {
	opt := everything(40)
	opt.Stages, opt.Repeat = []string{"ge2tb", "svd"}, 1
	opt.Variants[0].Tuning.Block = 400
	want := 4 // of 40 columns a block is a small part
	for range 2 {
		rows, err := newBench(t, opt).Measure(context.Background(), 40)
		if err != nil || len(rows) != 2 {
			t.Fatal(rows, err)
		}
		for _, r := range rows {
			if r.B != 4 || r.K != want {
				t.Errorf("%s with b = %d, k = %d, want 4, %d", r.Stage, r.B, r.K, want)
			}
		}
		opt.Blocks, want = []int{12}, 12
	}
}
