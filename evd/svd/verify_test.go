package svd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// verifying returns a plan with Options.Verify and the smallest sizes.
func verifying(t *testing.T, m, n int, opt Options) *Plan[float64] {
	t.Helper()
	small := tuning.Smallest()
	opt.Verify, opt.Tuning = true, &small
	p, err := NewPlan[float64](testDevice(t), m, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// spoiled is a method for the Golub-Kahan form, for tests: it computes right values, and then calls
// `spoil`, which changes them or the matrix, or returns an error.
type spoiled struct {
	spectrum.Method
	spoil func(c *plan.Call, t spectrum.Problem, values []float64) error
}

func (s spoiled) Solve(c *plan.Call, t spectrum.Problem, from, to int, xt stages.Matrix) ([]float64, error) {
	values, err := s.Method.Solve(c, t, from, to, xt)
	if err == nil {
		err = s.spoil(c, t, values)
	}
	return values, err
}

// spoils are wrong results and failures of a solve. `vectors` says that only the vectors are wrong.
var spoils = []struct {
	name    string
	vectors bool
	spoil   func(c *plan.Call, t spectrum.Problem, values []float64) error
}{
	{"a value", false, func(_ *plan.Call, _ spectrum.Problem, v []float64) error { v[2] += 1e-9; return nil }},
	{"a value twice", false, func(_ *plan.Call, _ spectrum.Problem, v []float64) error { v[3] = v[4]; return nil }},
	{"a NaN", false, func(_ *plan.Call, _ spectrum.Problem, v []float64) error { v[1] = math.NaN(); return nil }},
	{"T on the device", false, func(c *plan.Call, t spectrum.Problem, _ []float64) error {
		return vk.Upload(c.Ctx, c.Dev, t.E.Sub(4, 1), vk.Vector([]float64{0.3}))
	}},
	{"a failed stage", false, func(*plan.Call, spectrum.Problem, []float64) error {
		return &evd.StageError{Stage: stages.PhaseBidiagonal, Info: 1}
	}},
	{"no convergence", false, func(*plan.Call, spectrum.Problem, []float64) error {
		return &evd.NoConvergenceError{Stage: stages.PhaseBisection}
	}},
	// The host's copy of T is the input of the method that computes the vectors. Its norm stays the
	// same, so only the residual shows the error.
	{"vectors of another matrix", true, func(_ *plan.Call, t spectrum.Problem, _ []float64) error {
		t.Host.E[3], t.Host.E[5] = t.Host.E[5], t.Host.E[3]
		return nil
	}},
}

// TestVerifySeesAndSolvesAgain makes the first result wrong. Verify must detect the error and
// return the second result, which the safe path computes. If the second result is wrong, too, Solve
// must return an error.
func TestVerifySeesAndSolvesAgain(t *testing.T) {
	when.Skip(t, when.Quick, "Verify")
	ctx := context.Background()
	for _, c := range []struct {
		m, n int
		opt  Options
	}{
		{21, 21, Options{}}, {21, 21, Options{U: Thin, V: Thin}}, {13, 24, Options{U: Full, V: Full}},
		{60, 20, Options{U: Thin}}, {23, 19, Options{V: Thin, Largest: 7}},
	} {
		a, g := families[0].make(c.m, c.n, true)
		good, err := verifying(t, c.m, c.n, c.opt).Solve(ctx, a)
		if err != nil || good.Certificate == nil || good.Certificate.Safe {
			t.Fatalf("%+v: %v, %+v", c, err, good)
		}
		vectors := c.opt.U != None || c.opt.V != None
		if (good.Certificate.Vectors != nil) != vectors || (good.U != nil) != (c.opt.U != None) || (good.V != nil) != (c.opt.V != None) {
			t.Errorf("%+v: U %v, V %v, certificate %v", c, good.U, good.V, good.Certificate)
		}
		decomposed(t, fmt.Sprint(c), g, c.opt, good)
		for _, s := range spoils {
			if s.vectors && !vectors {
				continue
			}
			t.Run(fmt.Sprintf("%d×%d %v %v %d/%s", c.m, c.n, c.opt.U, c.opt.V, c.opt.Largest, s.name), func(t *testing.T) {
				if c.m == 60 || c.m == 23 {
					when.Skip(t, when.Validation, "two other shapes, and TestVerifySurvives")
				}
				p := verifying(t, c.m, c.n, c.opt)
				spoil := func(by *path[float64]) {
					by.steps.values.Method = spoiled{by.steps.values.Method, s.spoil}
				}
				spoil(p.path.Now)
				res, err := p.Solve(ctx, a)
				if err != nil || !res.Certificate.Safe || !res.Certificate.Passed() {
					t.Fatalf("%v, %+v", err, res)
				}
				near(t, "the second result", c.m, c.n, res.Values, good.Values)
				decomposed(t, "the second result", g, c.opt, res)
				spoil(p.safe)
				var failed *UnverifiedError
				if res, err := p.Solve(ctx, a); !errors.As(err, &failed) && !plan.MethodFailed(err) {
					t.Errorf("both are wrong: %v, %v", res, err)
				} else if failed != nil && (failed.First == nil || failed.First.Passed() || failed.Safe.Passed()) {
					t.Errorf("both are wrong: %v", err)
				}
			})
		}
	}
}

// neverConverges is a method for the vectors of the bidiagonal problem that does not converge.
type neverConverges struct{ bidiagonalVectors }

func (neverConverges) solve(*plan.Call, []float64, []float64, int, int, [2]stages.Matrix) error {
	return &evd.NoConvergenceError{Stage: stages.PhaseBidiagonal, Index: 2, End: 9}
}

// TestVerifySurvivesNoConvergence makes the method for the vectors fail. With Verify the result
// must be that of the safe path. If that fails, too, or without Verify, Solve must return the
// error.
func TestVerifySurvivesNoConvergence(t *testing.T) {
	const m, n = 23, 19
	ctx, small := context.Background(), tuning.Smallest()
	a, g := families[0].make(m, n, false)
	for _, opt := range []Options{{U: Thin}, {V: Thin}, {U: Full, V: Thin}} {
		p := verifying(t, m, n, opt)
		fail := func(by *path[float64]) { by.steps.conquer = neverConverges{by.steps.conquer} }
		fail(p.path.Now)
		res, err := p.Solve(ctx, a)
		if err != nil || !res.Certificate.Safe || !res.Certificate.Passed() {
			t.Fatalf("%+v: %v, %+v", opt, err, res)
		}
		decomposed(t, fmt.Sprint(opt), g, opt, res)
		fail(p.safe)
		var failed *evd.NoConvergenceError
		if _, err := p.Solve(ctx, a); !errors.As(err, &failed) || failed.Index != 2 || failed.End != 9 {
			t.Errorf("%+v: both fail: %v", opt, err)
		}
		opt.Tuning = &small
		plain := densePlan[float64](t, m, n, opt)
		fail(plain.path.Now)
		if _, err := plain.Solve(ctx, a); !errors.As(err, &failed) {
			t.Errorf("%+v: without Verify: %v", opt, err)
		}
	}
}

// TestVerifyPassesWhatIsRight solves matrices of all families, also with entries at the ends of the
// range of doubles. The right results must pass their certificates, and must have the same bits as
// without Verify.
func TestVerifyPassesWhatIsRight(t *testing.T) {
	when.Skip(t, when.Quick, "Verify")
	when.Skip(t, when.Validation, "TestVerifySeesAndSolvesAgain records the kernels")
	ctx, small := context.Background(), tuning.Smallest()
	for i, shape := range [][2]int{{0, 3}, {1, 1}, {1, 4}, {13, 13}, {29, 11}, {11, 14}} {
		m, n := shape[0], shape[1]
		for _, opt := range []Options{{}, {U: Thin}, {V: Full}, {U: Thin, V: Thin}} {
			p := verifying(t, m, n, opt)
			opt.Tuning = &small
			plain, err := NewPlan[float64](testDevice(t), m, n, opt)
			if err != nil {
				t.Fatal(err)
			}
			for f, family := range families {
				a, _ := family.make(m, n, (i+f)%2 == 0)
				what := fmt.Sprintf("%d×%d %s, U %v, V %v", m, n, family.name, opt.U, opt.V)
				res, err := p.Solve(ctx, a)
				if err != nil || res.Certificate == nil || res.Certificate.Safe {
					t.Fatalf("%s: %v, %+v", what, err, res)
				}
				want, err := plain.Solve(ctx, a)
				if err != nil {
					t.Fatal(err)
				}
				if want.Certificate != nil || !slices.Equal(res.Values, want.Values) || !sameVectors(res.U, want.U) || !sameVectors(res.V, want.V) {
					t.Errorf("%s: other bits than without Verify", what)
				}
			}
			plain.Close()
		}
	}
}

func sameVectors(x, y *evd.Dense[float64]) bool {
	if x == nil || y == nil {
		return x == nil && y == nil
	}
	return x.Rows == y.Rows && x.Cols == y.Cols && slices.Equal(x.Data, y.Data)
}

// TestVerifyNeedsNoMoreMemory compares the memory of a plan with and without Verify. It also checks
// that no workgroup waits for another one on the safe path, and which method computes the vectors.
func TestVerifyNeedsNoMoreMemory(t *testing.T) {
	dev, tune := testDevice(t), tuning.Smallest()
	tune.Panel.Whole, tune.Panel.Groups, tune.Panel.Polls = true, 1, 1<<16
	for _, n := range []int{30, plan.MaxSafeQR + 1} {
		opt := Options{U: Thin, V: Thin, Tuning: &tune}
		if n > 100 {
			dev, opt.Tuning = vk.Dry(dev.Info()), nil
		}
		plain, err := NewPlan[float64](dev, n, n, opt)
		if err != nil {
			t.Fatal(err)
		}
		opt.Verify = true
		p, err := NewPlan[float64](dev, n, n, opt)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := float64(p.Bytes()), float64(plain.Bytes()); !(a <= 1.05*b) {
			t.Errorf("order %d: %g bytes, %g without Verify", n, a, b)
		}
		_, iterates := p.safe.steps.conquer.(iteration)
		if _, always := p.path.Now.steps.conquer.(iteration); iterates != (n <= plan.MaxSafeQR) || always {
			t.Errorf("order %d: QR iteration %v, and on the usual path %v", n, iterates, always)
		}
		if n < 100 {
			c := p.base.Begin(context.Background(), nil)
			words := func(by *path[float64]) int {
				s := &by.steps
				n := s.chase.Info(c.Arena).Len() + s.q2.Info(c.Arena).Len()
				for _, info := range s.band.Infos(c.Arena) {
					n += info.Len()
				}
				return n
			}
			if words(p.path.Now) == 0 || words(p.safe) != 0 {
				t.Errorf("%d and %d INFO words of stages that wait", words(p.path.Now), words(p.safe))
			}
		}
		p.Close()
		plain.Close()
	}
}

// TestVerifySurvives makes a wait fail in a plan with Verify. The plan must solve again without
// waits, and the memory of the safe path must stay valid.
func TestVerifySurvives(t *testing.T) {
	when.Skip(t, when.Quick, "Verify")
	const m, n = 26, 21
	ctx, tune := context.Background(), tuning.Smallest()
	d, err := vk.Open(vk.Options{Device: testDevice(t).Info().Name})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := NewPlan[float64](d, m, n, Options{U: Thin, V: Thin, Verify: true, Tuning: &tune})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	a, g := families[0].make(m, n, false)
	p.base.BeforeInfo = func(rec *vk.Recorder, at string, word vk.Slice[uint32]) {
		if at == stages.PhaseBulgeChasing {
			vk.Fill(rec, word, 5)
		}
	}
	for round := range 3 {
		if round == 2 { // the safe path, in the new memory
			p.path.Now.steps.values.Method = spoiled{p.path.Now.steps.values.Method, spoils[0].spoil}
		}
		res, err := p.Solve(ctx, a)
		if err != nil || (res.Retried != nil) != (round == 0) || res.Certificate.Safe != (round == 2) {
			t.Fatalf("round %d: %v, %+v", round, err, res)
		}
		decomposed(t, fmt.Sprint("round ", round), g, p.asked, res)
	}
}

// TestVerifyRefuses checks errors for which a second solve is of no use, and plans that cannot
// verify.
func TestVerifyRefuses(t *testing.T) {
	p := verifying(t, 6, 4, Options{})
	a, _ := families[0].make(6, 4, false)
	a.Data[1] = math.NaN()
	if _, err := p.Solve(context.Background(), a); !errors.As(err, new(*evd.NonFiniteError)) {
		t.Errorf("a NaN: %v", err)
	}
	if _, err := NewBidiagonalPlan[float64](testDevice(t), 3, Options{Verify: true}); !errors.As(err, new(*evd.OptionError)) {
		t.Errorf("a bidiagonal plan: %v", err)
	}
}
