package evd

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Costs is the forecast of floating-point operations, stage by stage.
func (p *Plan[T]) Costs() []StageCost {
	s := &p.steps
	if p.n == 0 {
		return nil
	}
	costs := []StageCost{{Stage: stages.PhaseBandReduction, Flops: s.band.Flops()}, p.chaseCost(), s.spectral.cost()}
	if !p.opt.Vectors {
		return costs
	}
	return append(costs, StageCost{Stage: stages.PhaseApplyQ2, Flops: s.q2.Flops()}, StageCost{Stage: stages.PhaseApplyQ1, Flops: s.q1.Flops()})
}

func (p *Plan[T]) chaseCost() StageCost {
	model := p.steps.chase.Model()
	return StageCost{Stage: stages.PhaseBulgeChasing, Flops: p.steps.chase.Flops(), Model: &model}
}

// progress turns the marks of the stages' recordings, each in units of its
// own, into operations done of the whole.
type progress struct {
	costs       []StageCost
	done, total float64
	report      func(Progress)
}

func newProgress(costs []StageCost, report func(Progress)) *progress {
	g := &progress{costs: costs, report: report}
	for _, c := range g.costs {
		g.total += c.Flops
	}
	return g
}

// at reports that the stage is the given part done; stages after it are not
// begun. Marks of what costs next to nothing leave the count as it is.
func (g *progress) at(v vk.Progress) {
	if g.report == nil {
		return
	}
	before := 0.0
	for _, c := range g.costs {
		if c.Stage == v.Phase {
			g.done = before
			if v.Total > 0 {
				g.done += c.Flops * v.Done / v.Total
			}
			break
		}
		before += c.Flops
	}
	g.report(Progress{v.Phase, g.done, g.total})
}
