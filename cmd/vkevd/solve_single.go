package main

import (
	"context"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
)

// single is the problem A = Q·Λ·Qᵀ in single precision, with all elements of A stored.
type single struct{ a evd.Sym[float32] }

type singleSolution struct {
	machine.DenseSolver[float32]
	a evd.Sym[float32]
}

func (p single) Order() int { return p.a.N }

// Plan makes a plan in single precision. It ignores the sizes that vkevd tune has saved, because
// vkevd tune measures double precision.
func (p single) Plan(dev machine.Device, opt evd.Options) (solution, error) {
	opt.Tuning = nil
	s, err := machine.PlanOf[machine.DenseSolver[float32]](dev, machine.Task{Kind: machine.KindSingle, N: p.a.N, Evd: opt})
	return singleSolution{s, p.a}, err
}

func (s singleSolution) solve(ctx context.Context) (found, error) {
	res, err := s.Solve(ctx, s.a)
	if res == nil {
		return found{}, err
	}
	return found{&evd.Result[float64]{
		First: res.First, Values: cli.DoublesOf(res.Values), Profile: res.Profile, Certificate: res.Certificate, Tree: res.Tree, Retried: res.Retried,
	}, res}, err
}

func (s singleSolution) Measure(ctx context.Context, res found) (report.Measures, error) {
	return report.Measured(ctx, s.DenseSolver, s.a, res.single)
}
