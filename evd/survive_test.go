package evd

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// openIn opens a device that stores the results of experiments, such as whether workgroups may wait
// for each other, in the folder `dir`.
func openIn(t *testing.T, dir string) *vk.Device {
	t.Helper()
	d, err := vk.Open(vk.Options{Device: DeviceName(t), CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func planOf(t *testing.T, d *vk.Device, n int, opt Options) *Plan[float64] {
	t.Helper()
	return planFor[float64](t, d, n, opt)
}

func planFor[T Number](t *testing.T, d *vk.Device, n int, opt Options) *Plan[T] {
	t.Helper()
	p, err := NewPlan[T](d, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// mayWait returns what is stored about the device: whether its workgroups may wait for each other.
func mayWait(t *testing.T, d *vk.Device) bool {
	t.Helper()
	may, err := machine.Of(d).MayWait(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	return may
}

func randomSym(n int) Sym[float64] {
	a := Sym[float64]{N: n, Ld: n, Data: make([]float64, n*n)}
	rng := rand.New(rand.NewPCG(1, 3))
	for i := range a.Data {
		a.Data[i] = rng.NormFloat64()
	}
	return a
}

func randomHerm(n int) Herm[complex128] { return NewSym(n, matgen.Hermitians()[0].Dense(n), Lower) }

// sameBits reports whether two results have the same bits in values and vectors.
func sameBits[T Number](a, b *Result[T]) bool {
	return a.First == b.First && slices.Equal(a.Values, b.Values) &&
		(a.Vectors == nil) == (b.Vectors == nil) && (a.Vectors == nil || slices.Equal(a.Vectors.Data, b.Vectors.Data))
}

// panelsWait returns whether the workgroups of a panel may wait for all others on the device.
func panelsWait(d *vk.Device) bool { return !machine.Of(d).MeetingFailed() }

// TestSolveSurvivesAWaitThatFails makes a wait between workgroups fail. Solve must return no error:
// the plan must solve again without waits of this kind, with the same bits as a plan that never
// waits, and must not wait in this way in later solves. The result and its profile must name the
// stage. The failure must be stored, so that later plans of this process and of other processes do
// not wait in this way. After a wait in a panel failed, the other stages must still wait.
func TestSolveSurvivesAWaitThatFails(t *testing.T) {
	when.Skip(t, when.Quick|when.Slow, "the kernels of other tests")
	survivesAWait(t, randomSym, map[string]Options{
		"vectors":                               {Vectors: true},
		"values":                                {},
		"part":                                  {Vectors: true, Select: Index(4, 11), RowMajor: true},
		"overwrite":                             {Vectors: true, Overwrite: true},
		"verify":                                {Vectors: true, Verify: true, Solver: DivideConquer},
		"verify by the method of the safe path": {Vectors: true, Verify: true, Solver: QR},
	})
}

func TestHermitianSurvivesAWaitThatFails(t *testing.T) {
	when.Skip(t, when.Quick|when.Slow, "the kernels of other tests")
	survivesAWait(t, randomHerm, map[string]Options{
		"vectors": {Vectors: true}, "values": {}, "overwrite": {Vectors: true, Overwrite: true}, "verify": {Vectors: true, Verify: true, Solver: DivideConquer},
	})
}

func survivesAWait[T Number](t *testing.T, random func(n int) Sym[T], options map[string]Options) {
	const n, given = 21, 5
	ctx := context.Background()
	for _, phase := range waitingPhases {
		for name, opt := range options {
			if phase == stages.PhaseApplyQ2 && !opt.Vectors {
				continue
			}
			if phase != waitingPhases[0] && (opt.Overwrite || opt.RowMajor || opt.Solver == QR) {
				continue // after a failed wait, these options make no difference
			}
			t.Run(phase+"/"+name, func(t *testing.T) {
				opt.Tuning = waitingTuning()
				dir := t.TempDir()
				d := openIn(t, dir)
				waves := opt
				waves.NoWaits = true
				reference := planFor[T](t, d, n, waves)
				want, err := reference.Solve(ctx, random(n))
				if err != nil || want.Retried != nil {
					t.Fatal(err, want.Retried)
				}
				done := 0.0
				opt.Progress = func(at Progress) {
					if !(at.Done >= done) {
						t.Errorf("progress: %g operations after %g", at.Done, done)
					}
					done = at.Done
				}
				p := planFor[T](t, d, n, opt)
				if !mayWait(t, d) || infoWords(first(p), p.team.Begin(ctx, nil)) == 0 {
					t.Fatal("nothing waits")
				}
				p.team.BeforeInfo = func(rec *vk.Recorder, at string, word vk.Slice[uint32]) {
					if at == phase {
						vk.Fill(rec, word, given)
					}
				}
				asked := make(chan struct{})
				go func() { // calls methods that need no lock
					defer close(asked)
					for range 100 {
						_, _, _, _ = p.Bytes(), p.Memory(), p.Costs(), p.Band()
					}
				}()
				res, err := p.Solve(ctx, random(n))
				<-asked
				if err != nil {
					t.Fatal(err)
				}
				if res.Retried == nil || res.Retried.Stage != phase || res.Retried.Info != given {
					t.Errorf("retried after %v", res.Retried)
				}
				if i := slices.IndexFunc(res.Profile.Phases, func(l vk.Timing) bool { return l.Name == stages.PhaseGivenUp }); i < 0 ||
					res.Profile.Phases[i].Count != 1 || !(res.Profile.Phases[i].Seconds > 0) {
					t.Errorf("profile %+v", res.Profile.Phases)
				}
				if !sameBits(res, want) || res.Certificate != nil && res.Certificate.Safe {
					t.Errorf("%+v, want %+v", res, want)
				}
				panel := phase == stages.PhaseBandReduction
				for _, d := range []*vk.Device{d, openIn(t, dir)} {
					if mayWait(t, d) != panel || panelsWait(d) == panel {
						t.Errorf("the device remembers: may wait %v, panels %v", mayWait(t, d), panelsWait(d))
					}
				}
				done = 0
				again, err := p.Solve(ctx, random(n))
				if err != nil || again.Retried != nil || again.Profile.Phase(stages.PhaseGivenUp) != 0 || !sameBits(again, want) {
					t.Errorf("the next solve: %v, %+v", err, again)
				}
				later := planFor[T](t, d, n, opt)
				for which, q := range map[string]*Plan[T]{"the plan": p, "a later plan": later} {
					waits := 0
					if panel {
						waits = waitingStages(opt) - 1
					}
					if have := infoWords(first(q), q.team.Begin(ctx, nil)); have != waits {
						t.Errorf("%s: %d stages wait, want %d", which, have, waits)
					}
					if have, most := q.Bytes(), reference.Bytes(); have != most && p.stages.Now != p.safe && !panel {
						t.Errorf("%s has %d bytes, a plan without waiting %d", which, have, most)
					}
				}
				if opt.Vectors && !opt.Overwrite {
					if r, err := p.Check(ctx, random(n), res); err != nil || !r.Passed() {
						t.Errorf("check: %v, %v", r, err)
					}
				}
			})
		}
	}
}

// TestSolveSurvivesAPollLimitOfZero sets the poll limit to 0, so that a wait in a kernel fails if
// its condition does not hold at the first poll. The plan must solve again without waiting, once.
// On a CPU some wait fails, because a step takes much longer than a poll. On a GPU all conditions
// may hold at the first poll.
func TestSolveSurvivesAPollLimitOfZero(t *testing.T) {
	when.Skip(t, when.Quick, "other tests let waits fail")
	const n = 60
	ctx := context.Background()
	for name, impatient := range map[string]func(t *tuning.Tuning){
		stages.PhaseBulgeChasing: func(t *tuning.Tuning) { t.Chase.Polls = 0 },
		stages.PhaseApplyQ2:      func(t *tuning.Tuning) { t.ApplyQ2.Polls = 0 },
	} {
		d, tune := verifyDevice(t), waitingTuning()
		impatient(tune)
		want, err := planOf(t, d, n, Options{Vectors: true, NoWaits: true, Tuning: tune}).Solve(ctx, randomSym(n))
		if err != nil {
			t.Fatal(err)
		}
		p := planOf(t, d, n, Options{Vectors: true, Tuning: tune})
		retries := 0
		for round := range 2 {
			res, err := p.Solve(ctx, randomSym(n))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if failed := res.Retried; failed != nil {
				retries++
				if failed.Stage != name || failed.Info == 0 {
					t.Errorf("%s, solve %d: retried after %v", name, round, failed)
				}
			}
			if !sameBits(res, want) {
				t.Errorf("%s, solve %d: other bits than without waiting", name, round)
			}
		}
		if onCPU := d.Info().Family == "cpu"; retries > 1 || onCPU && retries == 0 {
			t.Errorf("%s: %d retries in two solves", name, retries)
		}
		if mayWait(t, d) != (retries == 0) {
			t.Errorf("%s: the device remembers the wrong answer after %d retries", name, retries)
		}
	}
}

// TestOnlyFailedWaitsAreRetried checks that other failures cause no second attempt and change no
// stored facts: a failure of a stage without waits, and a context that ends during a wait.
func TestOnlyFailedWaitsAreRetried(t *testing.T) {
	const n = 21
	d := verifyDevice(t)
	p := planOf(t, d, n, Options{Vectors: true, Tuning: waitingTuning()})
	solves := 0
	given := &StageError{Stage: stages.PhaseTridiagonal, Info: 7}
	method := p.lead().Spectrum.Method
	spoilBy(p.stages.Now, func(*plan.Call, vk.Slice[float64], []float64, stages.Matrix) error {
		solves++
		return given
	})
	var failed *StageError
	if _, err := p.Solve(context.Background(), randomSym(n)); !errors.As(err, &failed) || *failed != *given || solves != 1 {
		t.Errorf("%v after %d solves", err, solves)
	}
	p.lead().Spectrum.Method = method
	ctx, cancel := context.WithCancel(context.Background())
	recorded := 0
	p.team.BeforeInfo = func(rec *vk.Recorder, _ string, word vk.Slice[uint32]) {
		recorded++
		vk.Fill(rec, word, 1)
		cancel()
	}
	if _, err := p.Solve(ctx, randomSym(n)); !errors.Is(err, context.Canceled) || recorded > 2 {
		t.Errorf("%v after %d INFO words", err, recorded)
	}
	if !mayWait(t, d) {
		t.Error("the device may not wait any more")
	}
	p.team.BeforeInfo = nil
	if res, err := p.Solve(context.Background(), randomSym(n)); err != nil || res.Retried != nil {
		t.Errorf("afterwards: %v", err)
	}
}
