package main

import (
	"context"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
)

// mixed is the problem A = Q·Λ·Qᵀ in mixed precision: solved in single precision, and refined to
// double precision.
type mixed struct{ dense }

// A mixedSolver is the part of evd.MixedPlan that solve uses.
type mixedSolver interface {
	machine.Planned
	Solve(context.Context, evd.Sym[float64]) (*evd.Result[float64], error)
}

type mixedSolution struct {
	mixedSolver
	a evd.Sym[float64]
}

func (p mixed) Plan(dev machine.Device, opt evd.Options) (solution, error) {
	s, err := machine.PlanOf[mixedSolver](dev, machine.Task{Kind: machine.KindMixed, N: p.Order(), Evd: opt})
	return mixedSolution{s, p.a}, err
}

func (s mixedSolution) solve(ctx context.Context) (found, error) {
	res, err := s.Solve(ctx, s.a)
	return found{Result: res}, err
}

// Measure returns the ratios of the certificate, which every solve in mixed precision has.
func (s mixedSolution) Measure(_ context.Context, res found) (report.Measures, error) {
	return report.Ratios(res.Certificate.Ratios), nil
}
