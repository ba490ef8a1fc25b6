package main

import (
	"context"

	"github.com/vkevd/vkevd/evd"
)

// mixed is the problem A = Q·Λ·Qᵀ in mixed precision: solved in single precision, and refined to
// double precision.
type mixed struct{ dense }

// A mixedSolver is the part of evd.MixedPlan that solve uses.
type mixedSolver interface {
	planned
	Solve(context.Context, evd.Sym[float64]) (*evd.Result[float64], error)
}

type mixedSolution struct {
	mixedSolver
	a evd.Sym[float64]
}

func (p mixed) plan(dev device, opt evd.Options) (solution, error) {
	s, err := planOf[mixedSolver](dev, task{kind: kindMixed, n: p.order(), evd: opt})
	return mixedSolution{s, p.a}, err
}

func (s mixedSolution) solve(ctx context.Context) (found, error) {
	res, err := s.Solve(ctx, s.a)
	return found{Result: res}, err
}

// measure returns the ratios of the certificate, which every solve in mixed precision has.
func (s mixedSolution) measure(_ context.Context, res found) (measures, error) {
	return ratios(res.Certificate.Ratios), nil
}
