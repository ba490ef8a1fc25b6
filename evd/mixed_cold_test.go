package evd

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// gaveUp is a method for the tridiagonal problem that never converges.
type gaveUp struct{ spectrum.Method }

func (gaveUp) Solve(*spectrum.Call, spectrum.Problem, int, int, stages.Matrix) ([]float64, error) {
	return nil, &NoConvergenceError{Stage: stages.PhaseTridiagonal}
}

// TestMixedSolvesCold makes the solve in single precision fail: its method does not converge, a wait
// between workgroups fails, or its vectors are wrong. The plan must solve in double precision, give
// the reason, and work again afterwards.
func TestMixedSolvesCold(t *testing.T) {
	d := openIn(t, t.TempDir())
	const n = 40
	tune := tuning.Smallest()
	tune.Panel.Whole, tune.Panel.Groups, tune.Panel.Polls = true, 1, 1<<16
	p, err := NewMixedPlan(d, n, Options{Tuning: &tune})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	words := 0 // statuses of waits that the test has changed
	a, method := randomSym(n), p.first.steps.spectrum.Method
	for _, c := range []struct {
		name, cold string
		spoil      func()
	}{
		{"no convergence", ColdSingle, func() { p.first.steps.spectrum.Method = gaveUp{method} }},
		{"a failed wait", ColdSingle, func() {
			p.refine.base.BeforeInfo = func(rec *vk.Recorder, phase string, word vk.Slice[uint32]) {
				if phase != stages.PhaseEmulated {
					vk.Fill(rec, word, 3)
					words++
				}
			}
		}},
		{"wrong vectors", ColdFar, func() { p.first.steps.spectrum.Method = zeros{method} }},
	} {
		c.spoil()
		res, err := p.Solve(context.Background(), a)
		p.first.steps.spectrum.Method, p.refine.base.BeforeInfo = method, nil
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if c.name == "a failed wait" && words == 0 {
			continue // nothing waits on this device
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

func (m zeros) Solve(c *spectrum.Call, t spectrum.Problem, from, to int, xt stages.Matrix) ([]float64, error) {
	values, err := m.Method.Solve(c, t, from, to, xt)
	if err != nil {
		return nil, err
	}
	return values, c.Run(func(rec *vk.Recorder) { vk.Fill(rec, xt.At.Sub(0, elements(xt)), 0) })
}
