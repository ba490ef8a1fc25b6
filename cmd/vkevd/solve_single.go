package main

import (
	"context"

	"github.com/vkevd/vkevd/evd"
)

// single is the problem A = Q·Λ·Qᵀ in single precision, with all elements of A stored.
type single struct{ a evd.Sym[float32] }

type singleSolution struct {
	denseSolver[float32]
	a evd.Sym[float32]
}

func (p single) order() int { return p.a.N }

// plan makes a plan in single precision. It ignores the sizes that vkevd tune has saved, because
// vkevd tune measures double precision.
func (p single) plan(dev device, opt evd.Options) (solution, error) {
	opt.Tuning = nil
	s, err := planOf[denseSolver[float32]](dev, task{kind: kindSingle, n: p.a.N, evd: opt})
	return singleSolution{s, p.a}, err
}

func (s singleSolution) solve(ctx context.Context) (found, error) {
	res, err := s.Solve(ctx, s.a)
	if res == nil {
		return found{}, err
	}
	return found{&evd.Result[float64]{
		First: res.First, Values: doublesOf(res.Values), Profile: res.Profile, Certificate: res.Certificate, Tree: res.Tree, Retried: res.Retried,
	}, res}, err
}

func (s singleSolution) measure(ctx context.Context, res found) (measures, error) {
	return measured(ctx, s.denseSolver, s.a, res.single)
}
