package svd

import (
	"context"
	"errors"
	"math"
	"os"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestPlansAreSmall checks upper limits for the memory of a plan, in bytes per entry of the m×n
// matrix.
func TestPlansAreSmall(t *testing.T) {
	dev := card(1<<40, 1)
	for _, c := range []struct {
		m, n int
		opt  Options
		most float64
	}{
		{16384, 16384, Options{}, 9}, {32768, 32768, Options{}, 9},
		{16384, 16384, Options{U: Thin, V: Thin}, 40}, {32768, 32768, Options{U: Thin, V: Thin}, 40}, {32768, 32768, Options{U: Thin, V: Thin, Largest: 100}, 40},
		{16384, 16384, Options{Products: evd.ProductsEmulated}, 9}, {24576, 24576, Options{Products: evd.ProductsEmulated}, 9},
		{32768, 32768, Options{Products: evd.ProductsEmulated}, 9}, {16384, 16384, Options{U: Thin, V: Thin, Products: evd.ProductsEmulated}, 40},
		{32768, 32768, Options{U: Thin, V: Thin, Products: evd.ProductsEmulated}, 40},
		{1024, 1024, Options{U: Thin, V: Thin}, 84}, {4096, 4096, Options{U: Thin, V: Thin}, 45},
		{1000000, 128, Options{}, 17}, {1000000, 128, Options{U: Thin, V: Thin}, 25}, {128, 1000000, Options{U: Thin, V: Thin}, 25},
	} {
		p, err := NewPlan[float64](dev, c.m, c.n, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		got := float64(p.Bytes()) / (float64(c.m) * float64(c.n))
		t.Logf("%d×%d, U %v, V %v: %.2f bytes an entry", c.m, c.n, c.opt.U, c.opt.V, got)
		if !(got <= c.most) {
			t.Errorf("at most %g; regions:", c.most)
			for _, r := range p.Memory() {
				t.Logf("%12d bytes at %12d: %s", r.Bytes, r.Offset, r.Name)
			}
		}
	}
}

// TestForecast compares a plan on a vk.Dry device, which only makes forecasts, with a plan on a
// real device. The numbers of bytes and of phases must be equal. Each phase that has operations in
// the forecast must take time in a solve.
func TestForecast(t *testing.T) {
	dev := testDevice(t)
	small := tuning.Smallest()
	for _, shape := range [][2]int{{30, 30}, {30, 25}, {25, 30}, {90, 30}} {
		opt := Options{U: Full, V: Thin, Tuning: &small}
		p, err := NewPlan[float64](dev, shape[0], shape[1], opt)
		if err != nil {
			t.Fatal(err)
		}
		dry, err := NewPlan[float64](vk.Dry(dev.Info()), shape[0], shape[1], opt)
		if err != nil {
			t.Fatal(err)
		}
		if dry.Bytes() != p.Bytes() || len(dry.Costs()) != len(p.Costs()) {
			t.Errorf("%v: %d bytes, %d in the forecast", shape, p.Bytes(), dry.Bytes())
		}
		a, _ := families[0].make(shape[0], shape[1], false)
		res, err := p.Solve(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range p.Costs() {
			if !(c.Flops >= 0) || c.Flops != 0 && res.Profile.Phase(c.Stage) == 0 {
				t.Errorf("%v: %s: %g operations, %g seconds", shape, c.Stage, c.Flops, res.Profile.Phase(c.Stage))
			}
		}
		p.Close()
	}
}

// TestCancelInEachPhase ends the context of a solve in each of seven phases. The solve must end,
// and the plan must work afterwards. In a solve that is not cancelled, the last progress report
// must say that all forecast operations are done.
func TestCancelInEachPhase(t *testing.T) {
	when.Skip(t, when.Quick, "cancelled solves of evd")
	when.Skip(t, when.Validation, "the calls of evd's tests of cancelled solves")
	a, g := families[0].make(130, 60, false)
	t.Run("float64", func(t *testing.T) {
		cancelInEachPhase(t, a, func(what string, p *Plan[float64], res *Result[float64]) {
			decomposed(t, what, g, p.opt, res)
		})
	})
	single, g32 := rounded(a)
	t.Run("float32", func(t *testing.T) {
		cancelInEachPhase(t, single, func(what string, p *Plan[float32], res *Result[float32]) {
			decomposedIn(t, what, g32, p.opt, widened(res), ulp32)
		})
	})
}

// cancelInEachPhase does the same as TestCancelInEachPhase for one number type. The function
// `right` checks a result. Each command is a batch of its own, because a solve reports its progress
// only at the end of a batch, and a batch may otherwise contain a whole phase.
func cancelInEachPhase[T evd.Float](t *testing.T, a evd.Dense[T], right func(what string, p *Plan[T], res *Result[T])) {
	seen := map[string]bool{}
	var cancelAt string
	var cancel context.CancelFunc
	done, total := 0.0, 0.0
	small := tuning.Smallest()
	dev, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), Batch: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	p, err := NewPlan[T](dev, a.Rows, a.Cols, Options{U: Full, V: Thin, Tuning: &small, Progress: func(at evd.Progress) {
		if !(at.Done >= done) {
			t.Errorf("%s: %g operations after %g", at.Stage, at.Done, done)
		}
		seen[at.Stage] = true
		if done, total = at.Done, at.Total; at.Stage == cancelAt {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	first, err := p.Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	right("first", p, first)
	if done != total || total == 0 {
		t.Errorf("progress ended at %g of %g", done, total)
	}
	phases := seen
	for _, phase := range []string{
		stages.PhaseQR, stages.PhaseBandReduction, stages.PhaseBulgeChasing, stages.PhaseBisection,
		stages.PhaseBidiagonal, stages.PhaseApplyP2, stages.PhaseApplyQ0,
	} {
		if !phases[phase] {
			t.Errorf("no progress in %s", phase)
			continue
		}
		var ctx context.Context
		ctx, cancel = context.WithCancel(context.Background())
		cancelAt, done = phase, 0
		if _, err := p.Solve(ctx, a); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled in %s: %v", phase, err)
		}
		cancelAt, done = "", 0
		cancel()
	}
	res, err := p.Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	right("after all", p, res)
}

// TestPlanRefusesLargeIdentities makes plans with Full for matrices without entries. NewPlan must
// refuse a plan if the device has too little memory for the identity matrix.
func TestPlanRefusesLargeIdentities(t *testing.T) {
	for _, shape := range [][2]int{{10000000, 0}, {0, 10000000}} {
		p, err := NewPlan[float64](testDevice(t), shape[0], shape[1], Options{U: Full, V: Full})
		var memory *vk.OutOfMemoryError
		if p != nil || !errors.As(err, &memory) {
			t.Errorf("%v: %v", shape, err)
		}
	}
}

// TestCosts compares the forecast of the vectors' costs with formulas: 8/3·n³ operations for divide
// and conquer with the vectors of both sides, and 2·(2·m − n)·n operations for each vector that Q1
// is applied to.
func TestCosts(t *testing.T) {
	dev := card(1<<40, 1)
	const m, n = 1200, 1000
	for _, c := range []struct {
		m             int
		opt           Options
		conquer, left float64 // conquer: costs of divide and conquer divided by 8/3·n³; left: number of vectors that Q1 is applied to
		right         bool
	}{
		{n, Options{U: Thin, V: Thin}, 1, n, true},
		{n, Options{U: Thin}, 0.5, n, false},
		{m, Options{U: Full, V: Thin}, 1, m, true},
		{n, Options{U: Thin, V: Thin, Largest: n / 10}, 0.325, n / 10, true},
	} {
		p, err := NewPlan[float64](dev, c.m, n, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, x := range p.Costs() {
			got[x.Stage] = x.Flops / (n * n * n)
		}
		_, right := got[stages.PhaseApplyP2]
		q1 := 2 * float64(2*c.m-n) * n * c.left / (n * n * n)
		if !(math.Abs(got[stages.PhaseBidiagonal]-c.conquer*8/3) <= 1e-9 && math.Abs(got[stages.PhaseApplyQ1]-q1) <= 1e-9) || right != c.right {
			t.Errorf("%d rows, %+v: %v, want %g of the bidiagonal and %g", c.m, c.opt, got, c.conquer*8/3, q1)
		}
	}
}
