package machine

import (
	"context"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/pencil"
	"github.com/vkevd/vkevd/vk"
)

// A PairSolver is a plan for generalized problems.
type PairSolver[T evd.Number] interface {
	Planned
	Factor(ctx context.Context, b evd.Sym[T]) (*pencil.Factorization, error)
	Solve(ctx context.Context, a evd.Sym[T]) (*pencil.Result[T], error)
	SolvePair(ctx context.Context, a, b evd.Sym[T]) (*pencil.Result[T], error)
	Check(ctx context.Context, a, b evd.Sym[T], res *pencil.Result[T]) (evd.Ratios, error)
}

func (d opened) pair(t Task) (Planned, error) {
	switch t.Kind {
	case KindSingle:
		return pairPlan[float32](d.Device, t)
	case KindComplex:
		return pairPlan[complex128](d.Device, t)
	case KindComplexSingle:
		return pairPlan[complex64](d.Device, t)
	case KindBatch:
		return NewOneByOne[float64](d, t)
	case KindHermitianBatch:
		return NewOneByOne[complex128](d, t)
	}
	return pairPlan[float64](d.Device, t)
}

func pairPlan[T evd.Number](dev *vk.Device, t Task) (Planned, error) {
	o := t.Evd
	return Made(pencil.NewPlan[T](dev, t.N, pencil.Options{
		Type: t.Type.Pencil(), Overlap: t.Overlap, Refine: t.Refine, Vectors: o.Vectors, Select: o.Select, Solver: o.Solver, Band: o.Band, Block: o.Block,
		Products: o.Products, Moduli: o.Moduli, Verify: o.Verify, Progress: o.Progress, Tuning: o.Tuning,
	}))
}

// A PairType is the number of a generalized problem, LAPACK's itype: 1 to 3. 0 is a problem of one
// matrix.
type PairType int

// Problem is the equation of the problem.
func (t PairType) Problem() string {
	return [...]string{"A·x = λ·B·x", "A·B·x = λ·x", "B·A·x = λ·x"}[t-1]
}

func (t PairType) Pencil() pencil.Type { return pencil.AxLBx + pencil.Type(t-1) }

// onePair is a plan for pairs with one B, whose factor it keeps.
type onePair[T evd.Number] struct {
	PairSolver[T]
	b        evd.Sym[T]
	factored *pencil.Factorization
}

func (p *onePair[T]) Solve(ctx context.Context, a evd.Sym[T]) (*evd.Result[T], error) {
	first := p.factored == nil
	if first {
		f, err := p.Factor(ctx, p.b)
		if err != nil {
			return nil, err
		}
		p.factored = f
	}
	res, err := ResultOf(p.PairSolver.Solve(ctx, a))
	if res != nil && first {
		p.factored.Profile.Merge(res.Profile)
		res.Profile = p.factored.Profile
	}
	return res, err
}

func (p *onePair[T]) Check(ctx context.Context, a evd.Sym[T], res *evd.Result[T]) (evd.Ratios, error) {
	return p.PairSolver.Check(ctx, a, p.b, &pencil.Result[T]{Result: *res})
}

// ResultOf returns the part of the result of a pair that results of one matrix have, too.
func ResultOf[T evd.Number](res *pencil.Result[T], err error) (*evd.Result[T], error) {
	if res == nil {
		return nil, err
	}
	return &res.Result, err
}
