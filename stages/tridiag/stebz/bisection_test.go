package stebz

import (
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// bisectionBench is a Bisection stage with its memory on the device.
type bisectionBench struct {
	t            testing.TB
	dev          *vk.Device
	stage        *Bisection
	ws           *vk.Arena
	d, e, values vk.Slice[float64]
}

func newBisectionBench(t testing.TB, n int, tune Tuning) *bisectionBench {
	t.Helper()
	dev := stagetest.Device(t)
	stage, err := NewBisection(dev, n, tune)
	if err != nil {
		t.Fatal(err)
	}
	d, e, values := vk.Reserve[float64]("d", n), vk.Reserve[float64]("e", max(0, n-1)), vk.Reserve[float64]("values", n)
	ws := stagetest.Arena(t, dev, vk.Together(stage.Work(), d, e, values))
	return &bisectionBench{t, dev, stage, ws, d.In(ws), e.In(ws), values.In(ws)}
}

// begin uploads the diagonal d and the off-diagonal e to device memory filled with NaN, and returns
// an empty recording.
func (c *bisectionBench) begin(d, e []float64) *vk.Recorder {
	c.t.Helper()
	rec := vk.NewRecorder(c.dev)
	c.ws.Poison(rec)
	stagetest.Run(c.t, c.dev, rec)
	stagetest.Put(c.t, c.dev, c.d, d)
	stagetest.Put(c.t, c.dev, c.e, e)
	return vk.NewRecorder(c.dev)
}

// run finds eigenvalues [il, iu) in an arena filled with NaN. It returns the memory of all n
// values, including the elements that the stage must not write.
func (c *bisectionBench) run(d, e []float64, il, iu int) []float64 {
	c.t.Helper()
	rec := c.begin(d, e)
	c.stage.RecordRange(rec, c.ws, c.d, c.e, il, iu, c.values)
	stagetest.Run(c.t, c.dev, rec)
	return stagetest.Get(c.t, c.dev, c.values)
}

// TestBisection compares the bits of eigenvalues with the bits of package ref, for all kinds of
// tridiagonal matrices of package matgen. The Sturm counts of an independent implementation certify
// the values.
func TestBisection(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 16, 17, 42, 105} {
		bench := newBisectionBench(t, n, SmallestTuning().Bisection)
		for _, kind := range matgen.Tridiagonals() {
			d, e := kind.Tridiagonal(n)
			got := bench.run(d, e, 0, n)
			if roomtest.DividesExactly(t) && !stagetest.SameBits(got, ref.Bisection(d, e)) {
				t.Errorf("%s n=%d: other bits than package ref's", kind.Name(), n)
			}
			if !slices.IsSorted(got) {
				t.Errorf("%s n=%d: not ascending", kind.Name(), n)
			}
			if err := ratio.Sturm(d, e, got, 4*ratio.Ulp*ratio.NormTridiagonal(d, e)); err != nil {
				t.Errorf("%s n=%d: %v", kind.Name(), n, err)
			}
		}
	}
}

// TestBisectionRange checks that solves for ranges of eigenvalues, with two tunings, give the bits
// of package ref. It also checks that nothing outside the range is written.
func TestBisectionRange(t *testing.T) {
	const n = 50
	for _, kind := range matgen.Tridiagonals()[:12] {
		d, e := kind.Tridiagonal(n)
		all := ref.Bisection(d, e)
		for i, tune := range []Tuning{SmallestTuning().Bisection, tuningFor("cpu").Bisection} {
			bench := newBisectionBench(t, n, tune)
			for _, r := range [][2]int{{0, 0}, {0, 1}, {n, n}, {n - 1, n}, {7, 23}, {0, n}}[i:] {
				got := bench.run(d, e, r[0], r[1])
				m := r[1] - r[0]
				if roomtest.DividesExactly(t) && !stagetest.SameBits(got[:m], all[r[0]:r[1]]) {
					t.Errorf("%s [%d, %d): other bits", kind.Name(), r[0], r[1])
				}
				if err := ratio.SturmRange(d, e, r[0], got[:m], 4*ratio.Ulp*ratio.NormTridiagonal(d, e)); err != nil {
					t.Errorf("%s [%d, %d): %v", kind.Name(), r[0], r[1], err)
				}
				for _, x := range got[m:] {
					if !math.IsNaN(x) {
						t.Fatalf("%s [%d, %d): wrote more than it was asked for", kind.Name(), r[0], r[1])
					}
				}
			}
		}
	}
}

// TestTinyEigenvaluesKeepTheirDigits checks matrices with a zero diagonal, whose eigenvalues have
// magnitudes from 1 down to 2⁻⁴⁴⁹ times the norm, or are zero. Each value must have a small error
// relative to itself, and the bits of package ref.
func TestTinyEigenvaluesKeepTheirDigits(t *testing.T) {
	roomtest.SkipInexact(t)
	for _, last := range []float64{0, 0x1p-449, 0x1p-54, 0x1p-52, 0x1p-50} {
		const n = 40
		d, e := make([]float64, n), make([]float64, n-1)
		want := make([]float64, n) // ±x for each 2×2 block
		for k := range n / 2 {
			x := math.Exp2(-449 * float64(k) / (n/2 - 1))
			if k == n/2-1 {
				x = last
			}
			e[2*k], want[2*k], want[2*k+1] = x, x, -x
		}
		slices.Sort(want)
		got := newBisectionBench(t, n, SmallestTuning().Bisection).run(d, e, 0, n)
		if !stagetest.SameBits(got, ref.Bisection(d, e)) {
			t.Errorf("with %g: other bits than package ref's", last)
		}
		for k, x := range want {
			if !(math.Abs(got[k]-x) <= 4*ratio.Ulp*math.Abs(x)+0x1p-890) {
				t.Errorf("with %g: eigenvalue %d is %g, want %g", last, k, got[k], x)
			}
		}
	}
}

// TestFewEigenvaluesGetLargestTeams checks bisections of at most Tuning.Few eigenvalues. They must
// have the largest teams, even if all teams together have more than Tuning.Lanes threads, and must
// give the same bits.
func TestFewEigenvaluesGetLargestTeams(t *testing.T) {
	const n, few = 17, 4
	tune := SmallestTuning().Bisection
	tune.Levels, tune.Lanes, tune.Threads = 3, few, max(tune.Threads, 1<<3-1)
	kind := matgen.Tridiagonals()[0]
	d, e := kind.Tridiagonal(n)
	want := newBisectionBench(t, n, tune).run(d, e, 0, few)
	tune.Few = few
	bench := newBisectionBench(t, n, tune)
	for m, levels := range map[int]uint32{1: 3, few: 3, few + 1: 1} {
		if got := team(bench.stage, bench.stage.bisect, m).Spec.Levels; got != levels {
			t.Errorf("%d eigenvalues: %d halvings at once, want %d", m, got, levels)
		}
	}
	if got := bench.run(d, e, 0, few); !stagetest.SameBits(got[:few], want[:few]) {
		t.Errorf("%v with larger teams, %v without", got[:few], want[:few])
	}
}

// TestBisectionExtremes checks bisection for matrices whose largest elements are near the largest
// double, near the smallest one, or far from 1. The scaling of the kernel is exact, so the bits are
// those of package ref.
func TestBisectionExtremes(t *testing.T) {
	roomtest.SkipInexact(t)
	roomtest.SkipFlushed(t)
	const n = 9
	bench := newBisectionBench(t, n, SmallestTuning().Bisection)
	for name, scale := range map[string]int{"largest": 1023, "large": 900, "small": -900, "least normal": -1022,
		"denormal": -1060} {
		d, e := make([]float64, n), make([]float64, n-1)
		for i := range d {
			d[i] = math.Ldexp(float64(i%3)-0.75, scale-1)
		}
		for i := range e {
			e[i] = math.Ldexp(1.5, scale-i*i)
		}
		if got, want := bench.run(d, e, 0, n), ref.Bisection(d, e); !stagetest.SameBits(got, want) {
			t.Errorf("%s: %g, package ref has %g", name, got, want)
		}
	}
}

// TestCountBelow compares counts with those of package ref. On a device whose quotients are not
// correctly rounded, a count is that of a shift that differs by at most 4·ulp·‖T‖.
func TestCountBelow(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	for _, n := range []int{0, 1, 2, 8, 9, 43} {
		for _, kind := range matgen.Tridiagonals()[:10] {
			bench := newBisectionBench(t, n, SmallestTuning().Bisection)
			d, e := kind.Tridiagonal(n)
			values := ref.Bisection(d, e)
			shifts := []float64{0, 1e300, -1e300, 5e-324}
			for _, v := range values {
				shifts = append(shifts, v, math.Nextafter(v, -1e300), v+1e-3)
			}
			m := len(shifts)
			at, counts := vk.Reserve[float64]("shifts", m), vk.Reserve[uint32]("counts", m)
			ws := stagetest.Arena(t, bench.dev, vk.Together(at, counts))
			stagetest.Put(t, bench.dev, bench.d, d)
			stagetest.Put(t, bench.dev, bench.e, e)
			stagetest.Put(t, bench.dev, at.In(ws), shifts)
			rec := vk.NewRecorder(bench.dev)
			bench.stage.RecordCounts(rec, bench.ws, bench.d, bench.e, at.In(ws), counts.In(ws))
			stagetest.Run(t, bench.dev, rec)
			for i, got := range stagetest.Get(t, bench.dev, counts.In(ws)) {
				within := 0.0
				if !roomtest.DividesExactly(t) {
					within = 4 * ratio.Ulp * ratio.NormTridiagonal(d, e)
				}
				from, to := ref.CountBelow(d, e, shifts[i]-within), ref.CountBelow(d, e, shifts[i]+within)
				if int(got) < from || int(got) > to {
					t.Errorf("%s n=%d: %d below %g, package ref counts %d to %d", kind.Name(), n, got, shifts[i], from, to)
				}
			}
		}
	}
}

// TestBisectionDispatches checks the number of Sturm counts of one thread in a dispatch. It must be
// at least 1 and at most that of all halvings. More than one must not cost more than
// Tuning.Dispatch.
func TestBisectionDispatches(t *testing.T) {
	for _, n := range []int{1, 100, 65536} {
		s, err := NewBisection(roomtest.Dry(), n, tuningFor("nvidia").Bisection)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []int{1, n} {
			if r := s.rounds(m); r < 1 || r > bisectionRounds || r > 1 && !(float64(r)*s.pivots(m) <= s.tune.Dispatch) {
				t.Errorf("n=%d m=%d: %d halvings in a dispatch", n, m, r)
			}
		}
	}
}

// TestBracketsHold checks that the brackets (intervals) from Sturm counts without divisions are
// short. It also checks, by the Sturm counts of package ref, that no eigenvalue is further outside
// its bracket than bisection allows.
func TestBracketsHold(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	for _, n := range []int{1, 2, 9, 43, 105} {
		for i, tune := range []Tuning{SmallestTuning().Bisection, tuningFor("cpu").Bisection} {
			bench := newBisectionBench(t, n, tune)
			for _, kind := range matgen.Tridiagonals() {
				d, e := kind.Tridiagonal(n)
				il, m := 0, n
				if i == 1 {
					il, m = n/3, n-n/3
				}
				from, to := bench.brackets(d, e, il, m)
				s := ref.NewSturm(d, e)
				unit := s.Unit()
				for k := range m {
					low, high := s.Count(from[k]-6*unit), s.Count(to[k]+6*unit)
					if low > il+k || high < il+k+1 || !(to[k]-from[k] <= 2*unit) {
						t.Errorf("%s n=%d: eigenvalue %d is not in %g to %g: %d and %d below", kind.Name(), n, il+k,
							from[k], to[k], low, high)
					}
				}
			}
		}
	}
}

// brackets runs the grid and the counts without divisions, in an arena filled with NaN, and returns
// the brackets.
func (c *bisectionBench) brackets(d, e []float64, il, m int) (from, to []float64) {
	c.t.Helper()
	rec := c.begin(d, e)
	c.stage.recordPrepare(rec, c.ws, c.d, c.e)
	c.stage.recordNarrow(rec, c.ws, il, m)
	stagetest.Run(c.t, c.dev, rec)
	return stagetest.Get(c.t, c.dev, c.stage.from.In(c.ws))[:m], stagetest.Get(c.t, c.dev, c.stage.to.In(c.ws))[:m]
}

// TestFewHalvingsNeedDivisions checks that UsualRounds halvings by counts with divisions are enough
// to find the eigenvalues above 1 of a matrix with norm 4, if the brackets are given.
func TestFewHalvingsNeedDivisions(t *testing.T) {
	const n = 60
	d, e := matgen.Toeplitz(2, -1).Tridiagonal(n)
	bench := newBisectionBench(t, n, SmallestTuning().Bisection)
	bench.brackets(d, e, 0, n)
	s, ws := bench.stage, bench.ws
	kernel := s.bisect[0]
	rec := vk.NewRecorder(bench.dev)
	kernel.Dispatch(rec, vk.Folded(vk.Tiles(n, s.tune.Threads)), shaders.StebzBisectPush{
		Rows: s.rows.In(ws).Addr(), Start: s.start.In(ws).Addr(), From: s.from.In(ws).Addr(), To: s.to.In(ws).Addr(),
		Lo: s.lo.In(ws).Addr(), Hi: s.hi.In(ws).Addr(), Values: bench.values.Addr(), Rounds: UsualRounds, Fresh: 1, N: n, Count: n,
	})
	stagetest.Run(t, bench.dev, rec)
	want := ref.Bisection(d, e)
	for k, got := range stagetest.Get(t, bench.dev, bench.values) {
		if !(want[k] <= 1) && got != want[k] {
			t.Errorf("eigenvalue %d is %v after %d halvings, at the end %v", k, got, UsualRounds, want[k])
		}
	}
}

// TestMinorsDoNotVanish checks the Sturm counts of matrices whose leading minors shrink or grow in
// each row as much as possible. In the first rows, the off-diagonal elements are zero, tiny, just
// large enough to be used unchanged, or nearly 1. Some shifts equal the diagonal.
func TestMinorsDoNotVanish(t *testing.T) {
	const n, points = 100, 7 // the points are −¾, −½ … ¾
	bench := newBisectionBench(t, n, SmallestTuning().Bisection)
	s, ws := bench.stage, bench.ws
	for _, coupling := range []float64{0, 0x1p-440, 0x1p-300, 0x1p-61, 0x1p-60, 0x1p-40, 0.99} {
		for _, diagonal := range []float64{0, 0x1p-500, 0x1p-60, 0.5, -0.75} {
			d, e, rows := make([]float64, n), make([]float64, n-1), make([]shaders.Row, n)
			for i := range d {
				off := coupling
				d[i] = diagonal
				if i >= 6 { // the rows after those must be counted, too
					d[i], off = 0.125, 0.9
				}
				rows[i].D = d[i]
				if i > 0 {
					e[i-1], rows[i].E2 = off, off*off
				}
			}
			start := []shaders.Start{{Lo: -1, Hi: 1}}
			stagetest.Put(t, bench.dev, s.rows.In(ws), rows)
			stagetest.Put(t, bench.dev, s.start.In(ws), start)
			rec := vk.NewRecorder(bench.dev)
			s.grid.Dispatch(rec, vk.Grid(1), shaders.StebzGridPush{
				Rows: s.rows.In(ws).Addr(), Start: s.start.In(ws).Addr(), Counts: s.counts.In(ws).Addr(), N: n, Points: points,
			})
			stagetest.Run(t, bench.dev, rec)
			for g, got := range stagetest.Get(t, bench.dev, s.counts.In(ws))[:points] {
				x := -1 + 0.25*float64(g+1)
				const unit = 0x1p-50 // at least ref.Sturm.Unit of each of these matrices
				least, most := ref.CountBelow(d, e, x-6*unit), ref.CountBelow(d, e, x+6*unit)
				if int(got) < least || int(got) > most {
					t.Errorf("couplings %g, diagonal %g: %d below %g, by pivots %d to %d", coupling, diagonal, got,
						x, least, most)
				}
			}
		}
	}
}
