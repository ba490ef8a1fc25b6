package evd

import (
	"context"
	"errors"
	"testing"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// gaveUp is a method for the tridiagonal problem that never converges.
type gaveUp struct{ spectrum.Method }

func (gaveUp) Solve(*plan.Call, spectrum.Problem, int, int, stages.Matrix) ([]float64, error) {
	return nil, &NoConvergenceError{Stage: stages.PhaseTridiagonal}
}

// TestMixedSolvesCold makes the solve in single precision fail: its method does not converge, or
// its vectors are wrong. The plan must solve in double precision, give the reason, and work again
// afterwards.
func TestMixedSolvesCold(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	d := openIn(t, t.TempDir())
	const n = 40
	p, err := NewMixedPlan[float64](d, n, Options{Tuning: waitingTuning()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	a, method := randomSym(n), singleOf(p).Now.Spectrum.Method
	for _, c := range []struct {
		name, cold string
		spoil      func()
	}{
		{"no convergence", ColdSingle, func() { singleOf(p).Now.Spectrum.Method = gaveUp{method} }},
		{"wrong vectors", ColdFar, func() { singleOf(p).Now.Spectrum.Method = zeros{method} }},
	} {
		c.spoil()
		res, err := p.Solve(context.Background(), a)
		singleOf(p).Now.Spectrum.Method = method
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if res.Refinement.Cold != c.cold || res.Certificate == nil || !res.Certificate.Passed() {
			t.Errorf("%s: %+v, %v", c.name, res.Refinement, res.Certificate)
		}
	}
	if res, err := p.Solve(context.Background(), a); err != nil || res.Refinement.Cold != "" || !res.Certificate.Passed() {
		t.Errorf("afterwards: %+v, %v", res, err)
	}
}

// zeros is a method that finds the values, and vectors of zeros.
type zeros struct{ spectrum.Method }

func (m zeros) Solve(c *plan.Call, t spectrum.Problem, from, to int, xt stages.Matrix) ([]float64, error) {
	values, err := m.Method.Solve(c, t, from, to, xt)
	if err != nil {
		return nil, err
	}
	return values, c.Run(func(rec *vk.Recorder) { vk.Fill(rec, xt.At.Sub(0, precision.Elements(xt)), 0) })
}

// TestMixedSurvivesAWaitThatFails makes a wait between workgroups fail in the solve in single
// precision. The plan must solve again without waits of this kind, without a cold solve, and must
// not wait in this way in later solves. The device must remember the failure. (Each later solve
// once waited up to the limit again, and then solved in double precision.)
func TestMixedSurvivesAWaitThatFails(t *testing.T) {
	when.Skip(t, when.Quick|when.Slow, "the kernels of other tests")
	const n, given = 40, 5
	ctx, a := context.Background(), randomSym(n)
	for _, phase := range waitingPhases {
		d := openIn(t, t.TempDir())
		p, err := NewMixedPlan[float64](d, n, Options{Tuning: waitingTuning()})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		waits := infoWords(singleOf(p).Now, p.refine.base.Begin(ctx, nil))
		if !mayWait(t, d) || waits == 0 {
			t.Fatal("nothing waits")
		}
		p.refine.base.BeforeInfo = func(rec *vk.Recorder, at string, word vk.Slice[uint32]) {
			if at == phase {
				vk.Fill(rec, word, given)
			}
		}
		asked := make(chan struct{})
		go func() { // calls methods that need no lock
			defer close(asked)
			for range 100 {
				_, _, _ = p.Bytes(), p.Memory(), p.Costs()
			}
		}()
		res, err := p.Solve(ctx, a)
		<-asked
		if err != nil {
			t.Fatalf("%s: %v", phase, err)
		}
		if res.Retried == nil || res.Retried.Stage != phase || res.Retried.Info != given || !(res.Profile.Phase(stages.PhaseGivenUp) > 0) {
			t.Errorf("%s: retried after %v, %+v", phase, res.Retried, res.Profile.Phases)
		}
		panel := phase == stages.PhaseBandReduction
		if mayWait(t, d) != panel || panelsWait(d) == panel {
			t.Errorf("%s: the device remembers: may wait %v, panels %v", phase, mayWait(t, d), panelsWait(d))
		}
		left := 0
		if panel {
			left = waits - 1
		}
		if have := infoWords(singleOf(p).Now, p.refine.base.Begin(ctx, nil)); have != left {
			t.Errorf("%s: %d stages wait afterwards, want %d", phase, have, left)
		}
		again, err := p.Solve(ctx, a)
		if err != nil {
			t.Fatalf("%s: %v", phase, err)
		}
		if again.Retried != nil || !sameBits(again, res) {
			t.Errorf("%s: the next solve retried after %v, or has other bits", phase, again.Retried)
		}
		for _, r := range []*Result[float64]{res, again} {
			if r.Refinement.Cold != "" || !r.Certificate.Passed() {
				t.Errorf("%s: %+v, %v", phase, r.Refinement, r.Certificate)
			}
		}
	}
}

// endsFirst is a method that ends the context of the solve, and does not converge.
type endsFirst struct {
	gaveUp
	end func()
}

func (m endsFirst) Solve(c *plan.Call, t spectrum.Problem, from, to int, xt stages.Matrix) ([]float64, error) {
	m.end()
	return m.gaveUp.Solve(c, t, from, to, xt)
}

// TestColdSolveIsCancelled ends the context before the solve in double precision, which must then
// return the error of the context.
func TestColdSolveIsCancelled(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	const n = 40
	p, err := NewMixedPlan[float64](openIn(t, t.TempDir()), n, Options{Tuning: waitingTuning()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	method := singleOf(p).Now.Spectrum.Method
	singleOf(p).Now.Spectrum.Method = endsFirst{gaveUp{method}, cancel}
	if res, err := p.Solve(ctx, randomSym(n)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", res, err)
	}
}

// singleOf returns the stages of the solve in single precision.
func singleOf(p *MixedPlan[float64]) *singleStages[float64, float32] {
	return p.first.(*singleStages[float64, float32])
}
