package pencil

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/vk"
)

// Factorization describes the factor of B that a plan has on its device.
type Factorization struct {
	// Condition is an estimate of the condition number ‖B‖₁·‖B⁻¹‖₂, usually within a factor of 3
	// and never larger, except by rounding errors. If it is larger than 1/(n·ε), B is singular to
	// working precision, and small eigenvalues of A·x = λ·B·x have no correct digit.
	//
	// With canonical orthogonalisation it is max s / Kept, the condition number of what was kept.
	Condition float64

	// Dropping says what canonical orthogonalisation has dropped.
	Dropping

	// Retried is the reason why Factor has computed the factor twice (see evd.Result.Retried).
	Retried *evd.StageError

	// Profile has the seconds of each phase.
	Profile *vk.Profile
}

// Factor computes the factor L of B = L·Lᴴ, which stays on the device until the next call of Factor
// or SolvePair. Factor reads one triangle of `b`, and does not write to it.
//
// The error is a *NotPositiveError, a *MatrixError for B, which wraps an *evd.ShapeError or an
// *evd.NonFiniteError, ctx.Err(), evd.ErrClosed, *evd.StageError or an error of the device. With
// canonical orthogonalisation an *IndefiniteError takes the place of *NotPositiveError. After
// an error the plan has no factor, except that an *evd.ShapeError leaves the old one.
func (p *Plan[T]) Factor(ctx context.Context, b evd.Sym[T]) (*Factorization, error) {
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.accepts(b, "B"); err != nil {
		return nil, err
	}
	report := plan.Rising(p.opt.Progress)
	if p.canonical != nil {
		return p.canonical.factorisation(ctx, b, report)
	}
	c, err := plan.Survive(
		func() *plan.Call { return p.base.Begin(ctx, plan.ProgressOf(p.FactorCosts(), report)) },
		func(c *plan.Call) (*plan.Call, error) { return c, p.factorise(p.stages.Now, c, b) },
		p.avoid)
	if err != nil {
		return nil, err
	}
	c.Ends()
	return &Factorization{Condition: p.factored.Condition, Dropping: p.exactDropping(), Retried: c.Retried, Profile: c.Profile}, nil
}

// factorise computes the factor of B by the stages `by`.
func (p *Plan[T]) factorise(by *dense.Stages[T], c *plan.Call, b evd.Sym[T]) error {
	p.factored = nil
	if p.base.N <= 1 {
		return p.factoriseOne(b)
	}
	s := dense.Solve[T]{Stages: by, Call: c}
	f, err := s.Factorise(triangle(b))
	return cause("B", p.hold(f, err))
}

// factoriseAgain computes the factor of the same B once more, by the stages `by`.
func (p *Plan[T]) factoriseAgain(by *dense.Stages[T], c *plan.Call) error {
	sigma := p.factored.Sigma
	p.factored = nil
	s := dense.Solve[T]{Stages: by, Call: c}
	return p.hold(s.FactoriseAgain(sigma))
}

// hold makes f the plan's factorisation, if there was no error and B is positive definite.
func (p *Plan[T]) hold(f dense.Factored, err error) error {
	switch {
	case err != nil:
		return err
	case f.Minor > 0:
		return &NotPositiveError{Order: f.Minor}
	}
	p.factored = &f
	return nil
}

// factoriseOne does the same as factorise for the orders 0 and 1.
func (p *Plan[T]) factoriseOne(b evd.Sym[T]) error {
	f := &dense.Factored{Sigma: 1, Condition: 1}
	if p.base.N == 1 {
		if _, err := triangle(b).Largest(); err != nil {
			return cause("B", err)
		}
		p.one = triangle(b).Diagonal(0)
		switch {
		case p.one > 0:
		case p.opt.Overlap.Canonical && p.one < 0:
			return &IndefiniteError{-1, -1}
		case p.opt.Overlap.Canonical:
			return &IndefiniteError{}
		default:
			return &NotPositiveError{Order: 1}
		}
	}
	p.factored = f
	return nil
}

// exactDropping says for the orders 0 and 1 that canonical orthogonalisation drops nothing. The
// only s is 1. Without canonical orthogonalisation it returns zeros, for all orders.
func (p *Plan[T]) exactDropping() (d Dropping) {
	if p.opt.Overlap.Canonical {
		d = Dropping{Threshold: threshold[T](p.opt.Overlap, p.base.N), Kept: float64(p.base.N)}
	}
	return d
}

// exactOne returns the value of a pair of order 1, and the length of its vector.
func (p *Plan[T]) exactOne(a float64) (value, vector float64) {
	switch p.opt.Type {
	case AxLBx:
		return a / p.one, 1 / math.Sqrt(p.one)
	case ABxLx:
		return a * p.one, 1 / math.Sqrt(p.one)
	}
	return a * p.one, math.Sqrt(p.one)
}
