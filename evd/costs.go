package evd

import (
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
)

// StageCost is one line of a plan's forecast. It names a phase of a solve, and has the number of
// its floating-point operations (Flops). For bulge chasing it also has a model of the time (Model).
type StageCost = plan.StageCost

// Costs returns a forecast of the number of floating-point operations of each phase of a solve, in
// the order of the phases. Phases of O(n²) operations are left out. Costs returns nil for order 0.
func (p *Plan[T]) Costs() []StageCost { return p.path.Current().costs() }

// costs returns a forecast of the operations of each phase, in the order of the solve. The function
// plan.ProgressOf computes progress reports from this list.
func (p *path[T]) costs() []StageCost {
	if p.n == 0 {
		return nil
	}
	s := &p.steps
	costs := []StageCost{{Stage: p.phase(), Flops: s.reductionFlops()}}
	if !p.oneStage {
		model := s.chase.Model()
		costs = append(costs, StageCost{Stage: stages.PhaseBulgeChasing, Flops: s.chase.Flops(), Model: &model})
	}
	costs = append(costs, s.spectrum.Cost())
	if s.q2 != nil {
		costs = append(costs, StageCost{Stage: stages.PhaseApplyQ2, Flops: s.q2.Flops(), Products: s.q2.ProductFlops()})
	}
	if s.q1 != nil {
		costs = append(costs, StageCost{Stage: stages.PhaseApplyQ1, Flops: s.q1.Flops()})
	}
	return costs
}
