package svd

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestSolveSurvivesAWaitThatFails makes a wait between workgroups fail. The plan must solve again
// without waits of this kind, with the same bits as a plan that never waits, and must not wait in
// this way in later solves. The device must remember the failure. After a wait in a panel failed,
// the other stages must still wait. If the context has ended, the plan must not solve again.
func TestSolveSurvivesAWaitThatFails(t *testing.T) {
	when.Skip(t, when.Quick|when.Slow, "the kernels of other tests")
	const m, n, given = 50, 21, 5
	ctx := context.Background()
	tune := tuning.Smallest()
	tune.Panel.Whole, tune.Panel.Groups, tune.Panel.Polls = true, 1, 1<<16
	waves := tune
	waves.Waits.Wavefront = true
	a, _ := families[0].make(m, n, false)
	for _, phase := range []string{stages.PhaseQR, stages.PhaseBandReduction, stages.PhaseBulgeChasing, stages.PhaseApplyP2, stages.PhaseApplyQ2} {
		t.Run(phase, func(t *testing.T) {
			d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			mayWait := func() bool {
				may, err := machine.Of(d).MayWait(ctx, false)
				if err != nil {
					t.Fatal(err)
				}
				return may
			}
			plan := func(tune tuning.Tuning, opt Options) *Plan[float64] {
				opt.Tuning, opt.Certify, opt.U, opt.V = &tune, true, Thin, Thin
				p, err := NewPlan[float64](d, m, n, opt)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(p.Close)
				return p
			}
			waits := func(p *Plan[float64]) (panels, others int) { // numbers of INFO words: each stage that may wait has one
				c := p.base.Begin(ctx, nil)
				for _, info := range p.path.Now.steps.band.Infos(c.Arena) {
					panels += info.Len()
				}
				return panels, p.path.Now.steps.chase.Info(c.Arena).Len() + p.path.Now.steps.q2.Info(c.Arena).Len()
			}
			reference := plan(waves, Options{})
			want, err := reference.Solve(ctx, a)
			if err != nil || want.Retried != nil {
				t.Fatal(err, want)
			}
			done := 0.0
			p := plan(tune, Options{Progress: func(at evd.Progress) {
				if !(at.Done >= done) {
					t.Errorf("progress: %g operations after %g", at.Done, done)
				}
				done = at.Done
			}})
			allPanels, allOthers := waits(p)
			if allPanels == 0 || allOthers == 0 || !mayWait() {
				t.Fatal("nothing waits")
			}
			inject := func(rec *vk.Recorder, at string, word vk.Slice[uint32]) {
				if at == phase {
					vk.Fill(rec, word, given)
				}
			}
			ended, cancel := context.WithCancel(ctx)
			p.base.BeforeInfo = func(rec *vk.Recorder, at string, word vk.Slice[uint32]) {
				inject(rec, at, word)
				cancel()
			}
			if _, err := p.Solve(ended, a); !errors.Is(err, context.Canceled) || !mayWait() {
				t.Errorf("cancelled: %v", err)
			} else if panels, others := waits(p); panels != allPanels || others != allOthers {
				t.Errorf("cancelled: %d and %d words", panels, others)
			}
			p.base.BeforeInfo, done = inject, 0
			for round := range 2 {
				res, err := p.Solve(ctx, a)
				if err != nil {
					t.Fatal(err)
				}
				retried := round == 0
				if (res.Retried != nil) != retried || retried && (res.Retried.Stage != phase || res.Retried.Info != given) ||
					(res.Profile.Phase(stages.PhaseGivenUp) > 0) != retried {
					t.Errorf("solve %d: retried after %v, %+v", round, res.Retried, res.Profile)
				}
				if !slices.Equal(res.Values, want.Values) || *res.Certificate != *want.Certificate ||
					!slices.Equal(res.U.Data, want.U.Data) || !slices.Equal(res.V.Data, want.V.Data) {
					t.Errorf("solve %d: %v, %v", round, res, want)
				}
				done = 0
			}
			panel := phase == stages.PhaseQR || phase == stages.PhaseBandReduction
			if !panel {
				allOthers = 0
			}
			for which, q := range map[string]*Plan[float64]{"the plan": p, "a later plan": plan(tune, Options{})} {
				if panels, others := waits(q); panels != 0 || others != allOthers {
					t.Errorf("%s waits in panels %d times, elsewhere %d times", which, panels, others)
				}
			}
			if mayWait() != panel || !panel && p.Bytes() != reference.Bytes() {
				t.Errorf("workgroups may wait: %v; %d bytes, %d in the reference", mayWait(), p.Bytes(), reference.Bytes())
			}
		})
	}
}
