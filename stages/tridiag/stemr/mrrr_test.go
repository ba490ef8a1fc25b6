package stemr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/mrrr"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/vk"
)

// solveMRRR runs MRRR for the eigenvectors il … iu−1 on the device. The stage writes them to a
// matrix xt that has padding between its columns. solveMRRR returns the vectors as columns.
func solveMRRR(t *testing.T, tune Tables, d, e []float64, il, iu int, distrust bool) (values, z []float64,
	c MRRRCounters) {
	t.Helper()
	dev, n, m := stagetest.Device(t), len(d), iu-il
	tune.MRRR.Distrust = distrust
	s, err := NewMRRR(dev, n, m, nil, tune.MRRR)
	if err != nil {
		t.Fatal(err)
	}
	ld := m + 3
	x := vk.Reserve[float64]("X", ld*n)
	ws := stagetest.Arena(t, dev, vk.Together(x, s.Work()))
	values, c, _, err = s.Solve(context.Background(), ws, d, e, il, iu, stages.NewMatrix(x.In(ws), m, n, ld))
	if err != nil {
		t.Fatal(err)
	}
	xt := stagetest.Get(t, dev, x.In(ws))
	z = make([]float64, n*m)
	for r := range n {
		for c := range m {
			z[r+c*n] = xt[c+r*ld]
		}
		for c := m; c < ld; c++ {
			if !math.IsNaN(xt[c+r*ld]) {
				t.Fatalf("padding at row %d was written", r)
			}
		}
	}
	return values, z, c
}

// newDivideConquer makes the divide and conquer that may be MRRR's fallback, and its products.
func newDivideConquer(dev *vk.Device, n int, tune Tables) (*stedc.DivideConquer, product.Ops[float64], error) {
	ops, err := product.New[float64](dev, tune.Products)
	if err != nil {
		return nil, nil, err
	}
	s, err := stedc.NewDivideConquer(dev, n, ops, tune.Products, tune.DivideConquer)
	return s, ops, err
}

// checkMRRR checks eigenvalues and eigenvectors that MRRR has found, by residual, orthogonality and
// Sturm counts.
func checkMRRR(t *testing.T, d, e []float64, il int, values, z []float64) {
	t.Helper()
	n := len(d)
	if r := ratio.TridiagonalResidual(d, e, values, z, n); !(r < 60) {
		t.Errorf("residual %g", r)
	}
	if r := ratio.Orthogonality(n, len(values), z, n); !(r < 60) {
		t.Errorf("orthogonality %g", r)
	}
	width := ratio.Within("mrrr") * ratio.Ulp * ratio.NormTridiagonal(d, e)
	if err := ratio.SturmRange(d, e, il, values, width); err != nil {
		t.Error(err)
	}
}

func TestMRRROnEveryKind(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	for _, kind := range matgen.Tridiagonals() {
		for _, n := range []int{1, 2, 3, 7, 50} {
			t.Run(fmt.Sprintf("%s/%d", kind.Name(), n), func(t *testing.T) {
				d, e := kind.Tridiagonal(n)
				values, z, _ := solveMRRR(t, SmallestTuning(), d, e, 0, n, false)
				checkMRRR(t, d, e, 0, values, z)
			})
		}
	}
}

// TestMRRRAgreesWithTwin checks that the device finds the same clusters, at the same depth, as the
// back end in plain Go, and the same bits of values and vectors, if the device rounds quotients
// correctly. It also compares both with those of Jacobi's method in package ref, which shares no
// code with the stage or with package mrrr.
func TestMRRRAgreesWithTwin(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	for name, f := range map[string]struct {
		d, e func(i int) float64
	}{
		"scattered": {func(i int) float64 { return math.Sin(float64(i * i)) },
			func(i int) float64 { return math.Cos(float64(3 * i * i)) }},
		"Wilkinson": {func(i int) float64 { return math.Abs(float64(i) - 74.5) }, func(i int) float64 { return 1 }},
		"clusters":  {func(i int) float64 { return float64(i % 3) }, func(i int) float64 { return 1e-7 }},
		"glued": {func(i int) float64 { return math.Abs(float64(i%21 - 10)) },
			func(i int) float64 { return []float64{1, 1e-8}[(i%21)/20] }},
	} {
		for _, tune := range []Tables{SmallestTuning(), TuningFor(stagetest.Device(t).Info())} {
			const n = 150
			d, e := make([]float64, n), make([]float64, n-1)
			for i := range d {
				d[i] = f.d(i)
			}
			for i := range e {
				e[i] = f.e(i)
			}
			jacobi, jacobiZ := ref.Jacobi(d, e)
			for _, r := range [][2]int{{0, n}, {37, 75}} {
				t.Run(fmt.Sprintf("%s/%d:%d", name, r[0], r[1]), func(t *testing.T) {
					values, z, counters := solveMRRR(t, tune, d, e, r[0], r[1], false)
					checkMRRR(t, d, e, r[0], values, z)
					want, vectors, host, err := mrrr.Solve(d, e, mrrr.Options{From: r[0], To: r[1]})
					if err != nil {
						t.Fatal(err)
					}
					if roomtest.DividesExactly(t) && (!stagetest.SameBits(values, want) || !stagetest.SameBits(z, vectors)) {
						t.Errorf("other bits than the host's: values differ by %g",
							ratio.Values(n, values, want, ratio.NormTridiagonal(d, e)))
					}
					if r := ratio.Values(n, values, jacobi[r[0]:r[1]], ratio.NormTridiagonal(d, e)); !(r < 1) {
						t.Errorf("values differ from Jacobi's by %g", r)
					}
					if r := suite.Angle(d, e, jacobi, r[0], z, jacobiZ); !(r < 1) {
						t.Errorf("vectors differ from Jacobi's by %g", r)
					}
					if roomtest.DividesExactly(t) && counters != host {
						t.Errorf("%+v, on the host %+v", counters, host)
					}
				})
			}
		}
	}
}

// TestMRRRRanges runs MRRR for ranges of eigenvalues of a matrix with several blocks. In some cases
// divide and conquer finds the vectors.
func TestMRRRRanges(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	const n = 100
	d, e := make([]float64, n), make([]float64, n-1)
	for i := range d {
		d[i] = math.Sin(float64(i * i))
		if i >= 30 {
			d[i] = math.Abs(float64((i-30)%21-10)) - 5
		}
	}
	for i := range e {
		e[i] = 1
		if i > 30 && (i-30)%21 == 20 {
			e[i] = 1e-3
		}
	}
	e[29], e[9] = 0, 0
	for _, r := range [][2]int{{0, n}, {0, 1}, {99, 100}, {20, 61}, {50, 50}} {
		for _, distrust := range []bool{false, true} {
			m := r[1] - r[0]
			values, z, c := solveMRRR(t, SmallestTuning(), d, e, r[0], r[1], distrust)
			if len(values) != m {
				t.Fatalf("%v: %d values", r, len(values))
			}
			checkMRRR(t, d, e, r[0], values, z)
			if want := map[bool]int{true: m}[distrust]; c.Fallback != want {
				t.Errorf("%v: divide and conquer found %d vectors, want %d", r, c.Fallback, want)
			}
		}
	}
}

// TestMRRRFallsBackOnDevice checks that the fallback, divide and conquer, runs on the device. It
// must use the solver's memory if the solver was prepared for all vectors, and other memory
// otherwise.
func TestMRRRFallsBackOnDevice(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	const n = 305
	dev, tune := stagetest.Device(t), SmallestTuning()
	tune.MRRR.Distrust = true
	divide, ops, err := newDivideConquer(dev, n, tune)
	if err != nil {
		t.Fatal(err)
	}
	d, e := matgen.GluedWilkinson(1e-3).Tridiagonal(n)
	e[20] = 0 // this splits T into two blocks, one of them small
	for _, c := range []struct{ most, from, to int }{{n, 0, n}, {n, 100, 140}, {40, 100, 140}, {40, 290, 305}} {
		s, err := NewMRRR(dev, n, c.most, divide, tune.MRRR)
		if err != nil {
			t.Fatal(err)
		}
		m := c.to - c.from
		x := vk.Reserve[float64]("X", n*c.most)
		ws := stagetest.Arena(t, dev, vk.Together(x, s.Work(), ops.Work()))
		values, counters, profile, err := s.Solve(context.Background(), ws, d, e, c.from, c.to,
			stages.NewMatrix(x.In(ws), m, n, m))
		if err != nil {
			t.Fatal(err)
		}
		if counters.Fallback != m {
			t.Errorf("%v: %+v", c, counters)
		}
		if m == n && !(profile.Total() > 0) {
			t.Error("no time was spent")
		}
		// The result must have the same bits as that of divide and conquer. The vectors of MRRR
		// would be as accurate, but their bits differ, so the comparison shows which method was
		// used.
		whole := vk.Reserve[float64]("X", n*n)
		alone := stagetest.Arena(t, dev, vk.Together(whole, divide.Work(), ops.Work()))
		all, _, err := divide.SolveRange(context.Background(), alone, d, e, c.from, c.to,
			stages.NewMatrix(whole.In(alone), m, n, m))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(values, all[c.from:c.to]) || !slices.Equal(stagetest.Get(t, dev, x.In(ws).Sub(0, n*m)),
			stagetest.Get(t, dev, whole.In(alone).Sub(0, n*m))) {
			t.Errorf("%v: not what divide and conquer finds", c)
		}
	}
}

// TestMRRRSaysThatItsFallbackHasNoRoom checks the error if MRRR needs divide and conquer but there
// is not enough memory for it: the error must name the purpose of the memory.
func TestMRRRSaysThatItsFallbackHasNoRoom(t *testing.T) {
	const n, m = 1 << 17, 3
	dev, tune := stagetest.Device(t), TuningFor(stagetest.Device(t).Info())
	divide, ops, err := newDivideConquer(dev, n, tune)
	if err != nil {
		t.Fatal(err)
	}
	if _, free := dev.Memory(); divide.Work().Bytes()+8*n*n < free {
		t.Skip("there is room even for this")
	}
	s, err := NewMRRR(dev, n, m, divide, tune.MRRR)
	if err != nil {
		t.Fatal(err)
	}
	x := vk.Reserve[float64]("X", n*m)
	ws := stagetest.Arena(t, dev, vk.Together(x, s.Work(), ops.Work()))
	r := newMRRRRun(context.Background(), ws, s, stages.NewMatrix(x.In(ws), m, n, m))
	_, err = r.SolveAll(make([]float64, n), make([]float64, n-1), 0, m)
	var full *vk.OutOfMemoryError
	if !errors.As(err, &full) || full.Need < 8*n*n || !strings.Contains(err.Error(), "divide and conquer") {
		t.Errorf("%v", err)
	}
}

// TestMRRRRefuses checks that NewMRRR refuses a tuning if a workgroup has an odd number of
// invocations, if the threads that bisect one interval do not fit into a workgroup, or if the
// number of vectors in flight is zero.
func TestMRRRRefuses(t *testing.T) {
	for _, change := range []func(*Tuning){
		func(t *Tuning) { t.Threads = 0 }, func(t *Tuning) { t.Threads = 9 }, func(t *Tuning) { t.Threads, t.Levels = 1, 0 },
		func(t *Tuning) { t.Levels = 4 }, func(t *Tuning) { t.Vectors = 0 },
	} {
		tune := SmallestTuning()
		change(&tune.MRRR)
		if _, err := NewMRRR(stagetest.Device(t), 10, 10, nil, tune.MRRR); err == nil {
			t.Errorf("%+v was accepted", tune.MRRR)
		}
	}
}

// TestMRRRAccessesAreNotPrivate checks the accesses of the two threads that compute one vector. One
// thread loads what the other thread stores, so these accesses must not be private to a thread.
func TestMRRRAccessesAreNotPrivate(t *testing.T) {
	const inputs, outputs = 4, 1 // no thread stores tasks, columns, gaps and representations; no thread loads residuals
	got := stagetest.AccessesOf(shaders.StemrVector().Code)
	if got.PrivateLoads != inputs || got.PrivateStores != outputs || got.Loads == inputs || got.Stores == outputs {
		t.Errorf("%+v", got)
	}
}
