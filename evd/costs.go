package evd

import (
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
)

// StageCost is one line of a plan's forecast. Flops is the number of floating-point operations of
// one phase of a solve, and Model is a model of its time, for bulge chasing only.
type StageCost = spectrum.StageCost

// Costs is the forecast of floating-point operations, phase by phase in the order of the solve. It
// is nil for order 0. Phases of O(n²) operations are left out.
func (p *Plan[T]) Costs() []StageCost { return p.current().costs() }

// costs lists the costs in the order of the solve, which spectrum.ProgressOf needs.
func (p *path[T]) costs() []StageCost {
	if p.n == 0 {
		return nil
	}
	s := &p.steps
	costs := []StageCost{{Stage: p.phase(), Flops: s.reduce.Flops()}}
	if !p.oneStage {
		model := s.chase.Model()
		costs = append(costs, StageCost{Stage: stages.PhaseBulgeChasing, Flops: s.chase.Flops(), Model: &model})
	}
	costs = append(costs, s.spectrum.Cost())
	if s.q2 != nil {
		costs = append(costs, StageCost{Stage: stages.PhaseApplyQ2, Flops: s.q2.Flops()})
	}
	if s.q1 != nil {
		costs = append(costs, StageCost{Stage: stages.PhaseApplyQ1, Flops: s.q1.Flops()})
	}
	return costs
}
