package evd

import (
	"context"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/internal/team"
	"github.com/vkevd/vkevd/stages"
)

// Check measures the errors of the result `res`, values Λ and vectors Z, for the matrix `a`. The
// device computes the measures, and uses no intermediate results of the solve:
//
//	‖A·Z − Z·Λ‖₁ / (‖A‖₁·n·ulp),  ‖ZᴴZ − I‖₁ / (n·ulp)      (dsyt22, zhet22)
//
// The argument `a` must be the matrix that was solved. (After a Solve with Options.Overwrite, the
// memory of this matrix holds the vectors instead.) The errors are *OptionError without vectors,
// *ShapeError if `a` or `res` does not fit the plan, *NonFiniteError, ErrClosed, ctx.Err(), and
// those of the device.
func (p *Plan[T]) Check(ctx context.Context, a Sym[T], res *Result[T]) (Ratios, error) {
	a = a.withLd()
	p.team.Lock()
	defer p.team.Unlock()
	if err := p.accepts(a); err != nil {
		return Ratios{}, err
	}
	n := p.team.N
	if !p.opt.Vectors || res.Vectors == nil {
		return Ratios{}, errNoVectors
	}
	if z := res.Vectors; z.Rows != n || z.Cols > p.opt.config().Capacity(n) || len(res.Values) != z.Cols {
		return Ratios{}, &ShapeError{N: z.Rows, Ld: z.Ld, Len: len(z.Data), Plan: n}
	}
	if err := res.Vectors.check(); err != nil {
		return Ratios{}, err
	}
	w := p.stages.Now.Begin(&p.team, p.team.Begin(ctx, nil))
	defer w.End()
	ratios, err := check(w, a, res)
	return ratios, p.team.OnFirst(err)
}

// errNoVectors is the error of Check if the plan computes no vectors, or if the result has none.
var errNoVectors = plan.BadOption("Vectors", "a check needs them, in the plan and in the result")

// check measures the errors of the result `res` for the matrix `a`. Both must fit the plan. If the
// result has no values, its ratios are 0.
func check[T Number](w team.Solve[T], a Sym[T], res *Result[T]) (Ratios, error) {
	if a.N == 0 || len(res.Values) == 0 {
		return Ratios{}, nil
	}
	sums, sigma, err := w.ColumnSums(a.triangle(), res.Values, res.Vectors.vectors())
	if err != nil {
		return Ratios{}, plan.During(stages.PhaseCheck, cause(err))
	}
	norm := max(a.triangle().Norm1(sigma), precision.SafeMinOf[T]()*sigma)
	return newRatios[T](sums, norm, a.N), nil
}
