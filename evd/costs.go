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
	model := s.chase.Model()
	costs := []StageCost{
		{Stage: stages.PhaseBandReduction, Flops: s.band.Flops()},
		{Stage: stages.PhaseBulgeChasing, Flops: s.chase.Flops(), Model: &model},
		s.spectrum.Cost(),
	}
	if !p.opt.Vectors {
		return costs
	}
	return append(costs,
		StageCost{Stage: stages.PhaseApplyQ2, Flops: s.q2.Flops()},
		StageCost{Stage: stages.PhaseApplyQ1, Flops: s.q1.Flops()})
}
