package evd

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/team"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tuning"
)

// waitingTuning returns a tuning table with which workgroups wait for each other, in every stage
// that has such a variant.
func waitingTuning() *tuning.Tuning {
	t := tuning.Smallest()
	t.Panel.Whole, t.Panel.Groups, t.Panel.Polls = true, 1, 1<<16
	return &t
}

// waitingPhases are the phases in which workgroups wait for each other if the tuning is that of
// waitingTuning. The kernels of these phases write a status, the INFO word.
var waitingPhases = []string{stages.PhaseBandReduction, stages.PhaseBulgeChasing, stages.PhaseApplyQ2}

// waitingStages is the number of the waitingPhases of a solve with the given options.
func waitingStages(opt Options) int {
	if opt.Vectors {
		return len(waitingPhases)
	}
	return len(waitingPhases) - 1 // without vectors there is no back transformation
}

// With Options.Verify, a second solve may be needed, and its stages must not let workgroups wait
// for each other. TestNothingWaitsOnTheSafePath checks that none of these stages has an INFO word,
// the status that stages with such waits write.
func TestNothingWaitsOnTheSafePath(t *testing.T) {
	for _, vectors := range []bool{false, true} {
		p, err := NewPlan[float64](verifyDevice(t), 21, Options{Vectors: vectors, Verify: true, Tuning: waitingTuning()})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		want := waitingStages(Options{Vectors: vectors})
		c := p.team.Begin(context.Background(), nil)
		if have := infoWords(first(p), c); have != want {
			t.Errorf("vectors %v: %d stages wait on the first path, want %d", vectors, have, want)
		}
		if have := infoWords(safe(p), c); have != 0 {
			t.Errorf("vectors %v: %d stages wait on the safe path", vectors, have)
		}
	}
}

// infoWords returns the number of INFO words that the host reads during a solve with the stages s.
// An INFO word is the status of a stage in which workgroups wait for each other.
func infoWords[T Number](s *dense.Stages[T], c *plan.Call) int {
	words := s.Reduction.Info(c.Arena).Len() + s.Chase.Info(c.Arena).Len()
	for _, q2 := range s.Back.Q2.Stage {
		words += q2.Info(c.Arena).Len()
	}
	return words
}

// `first` and `safe` return the stages of the first solve of a plan for one device, and those of
// the second.
func first[T Number](p *Plan[T]) *dense.Stages[T] { return undivided(p.stages.Now).Stages }
func safe[T Number](p *Plan[T]) *dense.Stages[T]  { return undivided(p.safe).Stages }

func undivided[T Number](s team.Stages[T]) *team.Undivided[T] { return s.(*team.Undivided[T]) }
