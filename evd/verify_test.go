package evd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/team"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// spoiled is a method for the tridiagonal problem, for tests: it computes right results, and then
// calls `spoil`, which makes them wrong or returns an error.
type spoiled struct {
	spectrum.Method
	spoil func(c *plan.Call, d vk.Slice[float64], values []float64, xt stages.Matrix) error
}

func (s spoiled) Solve(c *plan.Call, t spectrum.Problem, from, to int, xt stages.Matrix) ([]float64, error) {
	values, err := s.Method.Solve(c, t, from, to, xt)
	if err == nil {
		err = s.spoil(c, t.D, values, xt)
	}
	return values, err
}

func upload(c *plan.Call, to vk.Slice[float64], v []float64) error {
	return vk.Upload(c.Ctx, c.Dev, to, vk.Vector(v))
}

// A spoil is a test case: a way to make the result of the tridiagonal problem wrong.
type spoil struct {
	name    string
	vectors bool // the error is visible only with vectors
	values  bool // the error is in the values
	spoil   func(c *plan.Call, d vk.Slice[float64], values []float64, xt stages.Matrix) error
}

var spoils = []spoil{
	{"a value", false, true, func(_ *plan.Call, _ vk.Slice[float64], values []float64, _ stages.Matrix) error {
		values[0] += 1e-9
		return nil
	}},
	{"a value that is no number", false, true, func(_ *plan.Call, _ vk.Slice[float64], values []float64, _ stages.Matrix) error {
		values[len(values)/2] = math.NaN()
		return nil
	}},
	{"a value twice", false, true, func(_ *plan.Call, _ vk.Slice[float64], values []float64, _ stages.Matrix) error {
		values[len(values)-1] = values[len(values)-2]
		return nil
	}},
	{"T", false, false, func(c *plan.Call, d vk.Slice[float64], _ []float64, _ stages.Matrix) error {
		return upload(c, d.Sub(1, 1), []float64{17})
	}},
	{"an entry of a vector", true, false, func(c *plan.Call, _ vk.Slice[float64], _ []float64, xt stages.Matrix) error {
		return upload(c, xt.At.Sub(3, 1), []float64{0.125})
	}},
	{"an entry that is no number", true, false, func(c *plan.Call, _ vk.Slice[float64], _ []float64, xt stages.Matrix) error {
		return upload(c, xt.At.Sub(5, 1), []float64{math.NaN()})
	}},
	{"a failed stage", false, false, func(*plan.Call, vk.Slice[float64], []float64, stages.Matrix) error {
		return &StageError{Stage: stages.PhaseTridiagonal, Info: 1}
	}},
	{"no convergence", false, false, func(*plan.Call, vk.Slice[float64], []float64, stages.Matrix) error {
		return &NoConvergenceError{Stage: stages.PhaseTridiagonal}
	}},
}

func verifying[T Number](t *testing.T, d *vk.Device, n int, opt Options) *Plan[T] {
	t.Helper()
	small := tuning.Smallest()
	opt.Verify, opt.Tuning = true, &small
	return planFor[T](t, d, n, opt)
}

func spoilBy[T Number](by team.Stages[T], s func(*plan.Call, vk.Slice[float64], []float64, stages.Matrix) error) {
	t := by.Leader().Spectrum
	t.Method = spoiled{t.Method, s}
}

func verifyDevice(t *testing.T) *vk.Device {
	t.Helper()
	return Lend(t, vk.Options{})
}

// normal returns a matrix with normally distributed elements.
func normal(n int, seed uint64) Sym[float64] {
	a := Sym[float64]{N: n, Ld: n, Data: make([]float64, n*n)}
	rng := rand.New(rand.NewPCG(seed, seed+1))
	for i := range a.Data {
		a.Data[i] = rng.NormFloat64()
	}
	return a
}

// firstResult solves with a new plan, whose first result must pass its certificate.
func firstResult[T Number](t *testing.T, d *vk.Device, a Sym[T], opt Options) *Result[T] {
	t.Helper()
	res, err := verifying[T](t, d, a.N, opt).Solve(context.Background(), a)
	if err != nil || res.Certificate == nil || res.Certificate.Safe {
		t.Fatalf("%+v: %v, %+v", opt, err, res)
	}
	return res
}

// solvesAgain makes the plan's first result wrong and solves. The result must pass its certificate,
// and have the values of `good`. The result must come from the safe path, unless `mended` is true.
// In that case Solve has corrected the values before it made the certificate.
func solvesAgain[T Number](t *testing.T, p *Plan[T], s spoil, a Sym[T], good *Result[T]) (res *Result[T], mended bool) {
	t.Helper()
	spoilBy(p.stages.Now, s.spoil)
	res, err := p.Solve(context.Background(), a)
	mended = s.values && p.lead().Spectrum.Settles()
	if err != nil || res.Certificate.Safe == mended || !res.Certificate.Passed() {
		t.Fatalf("%v, %+v", err, res)
	}
	for k, v := range res.Values {
		if !(math.Abs(v-good.Values[k]) <= 1e-13*float64(a.N)) {
			t.Errorf("value %d is %g, not %g", k, v, good.Values[k])
		}
	}
	return res, mended
}

// TestVerifySeesAndSolvesAgain makes the first result wrong. Verify must detect the error and
// return the second result, which the safe path computes, unless Solve has corrected the values
// itself. If the second result is wrong, too, Solve must return an error.
func TestVerifySeesAndSolvesAgain(t *testing.T) {
	when.Skip(t, when.Quick, "Verify")
	when.Pick(t, when.Race)
	verifySeesAndSolvesAgain(t, normal(21, 1), Options{Vectors: true}, Options{}, Options{Vectors: true, Select: Index(4, 11), RowMajor: true}, Options{Select: Interval(-3, 2)}, Options{Solver: QR})
}

func TestVerifySeesHermitians(t *testing.T) {
	when.Skip(t, when.Quick, "Verify")
	verifySeesAndSolvesAgain(t, randomHerm(21), Options{Vectors: true}, Options{})
}

func verifySeesAndSolvesAgain[T Number](t *testing.T, a Sym[T], options ...Options) {
	ctx := context.Background()
	d := verifyDevice(t)
	n := a.N
	for _, opt := range options {
		good := firstResult(t, d, a, opt)
		t.Logf("%v", good.Certificate)
		for _, s := range spoils {
			if s.vectors && !opt.Vectors {
				continue
			}
			if _, converted := any(a).(Herm[complex128]); converted && s.name == "T" {
				continue // for complex T, the certificate converts the tridiagonal matrix again, and does not see the spoiled one
			}
			t.Run(fmt.Sprintf("%s/vectors=%v,%v,%v", s.name, opt.Vectors, opt.Select, opt.Solver), func(t *testing.T) {
				p := verifying[T](t, d, n, opt)
				if _, mended := solvesAgain(t, p, s, a, good); mended {
					return
				}
				spoilBy(p.safe, s.spoil)
				var failed *UnverifiedError
				if _, err := p.Solve(ctx, a); !errors.As(err, &failed) && !plan.MethodFailed(err) {
					t.Errorf("both are wrong: %v", err)
				}
			})
		}
	}
}

// TestVerifyPassesWhatIsRight solves every kind of matrix, also with entries at the ends of the
// range of doubles. The right results must pass their certificates.
func TestVerifyPassesWhatIsRight(t *testing.T) {
	when.Skip(t, when.Quick, "Verify")
	when.Skip(t, when.Validation, "TestVerifySeesAndSolvesAgain records the kernels")
	when.Pick(t, when.Race)
	ctx := context.Background()
	d := verifyDevice(t)
	for _, n := range []int{0, 1, 2, 13} {
		for _, vectors := range []bool{true, false} {
			p := verifying[float64](t, d, n, Options{Vectors: vectors})
			for _, kind := range matgen.Dense() {
				res, err := p.Solve(ctx, Sym[float64]{N: n, Ld: max(n, 1), Data: kind.Dense(n)})
				if err != nil || res.Certificate == nil || res.Certificate.Safe {
					t.Errorf("%s, n = %d, vectors %v: %v, %+v", kind.Name(), n, vectors, err, res)
				}
			}
		}
	}
}

func TestVerifyRefusesOverwrite(t *testing.T) {
	when.Pick(t, when.Race)
	var option *OptionError
	if _, err := NewPlan[float64](verifyDevice(t), 3, Options{Vectors: true, Overwrite: true, Verify: true}); !errors.As(err, &option) {
		t.Error(err)
	}
}

func TestClosedPlansRefuse(t *testing.T) {
	ctx := context.Background()
	d := openIn(t, "")
	a := Sym[float64]{N: 2, Ld: 2, Data: make([]float64, 4)}
	tri := Tridiagonal[float64]{D: make([]float64, 2), E: make([]float64, 1)}
	for _, first := range []string{"the plan", "the device"} {
		p, err := NewPlan[float64](d, 2, Options{Vectors: true})
		if err != nil {
			t.Fatal(err)
		}
		q, err := NewTridiagonalPlan[float64](d, 2, Options{Vectors: true})
		if err != nil {
			t.Fatal(err)
		}
		if first == "the plan" {
			p.Close()
			q.Close()
		} else if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Solve(ctx, a); !errors.Is(err, vk.ErrClosed) || err.Error() != first+" is closed" {
			t.Errorf("%s was closed: %v", first, err)
		}
		if _, err := q.Solve(ctx, tri); !errors.Is(err, vk.ErrClosed) || err.Error() != first+" is closed" || errors.Is(err, ErrClosed) != (first == "the plan") {
			t.Errorf("%s was closed: %v", first, err)
		}
		p.Close()
		q.Close()
	}
	if _, err := NewPlan[float64](d, 2, Options{}); !errors.Is(err, vk.ErrClosed) {
		t.Errorf("a plan for a closed device: %v", err)
	}
}
