package pencil

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/vk"
)

// Solve computes the spectrum of the pair of `a` and the B of the last Factor, or the selected part
// of it. It does not write to `a`. The method is that of dsygvd and zhegvd, with the standard
// problem solved as evd.Plan.Solve does:
//
//	σ_B·B = L·Lᴴ                                 by Factor
//	C = L⁻¹·(σ_A·A)·L⁻ᴴ, or Lᴴ·(σ_A·A)·L         by a recursive method of n³ operations
//	C = Z·Λ·Zᴴ
//	X = L⁻ᴴ·Z, or L·Z for BAxLx
//
// The factors σ are powers of four, and 1 unless the largest element is far from 1. The errors are
// ErrNoFactor, a *MatrixError for A or C, and those of evd.Plan.Solve. If a wait between workgroups
// fails, Solve returns no error, but solves again (see evd.Plan.Solve).
func (p *Plan[T]) Solve(ctx context.Context, a evd.Sym[T]) (*Result[T], error) {
	return p.solve(ctx, a, nil)
}

// SolvePair computes the spectrum of the pair of `a` and `b`: Factor and Solve in one call. The
// errors are those of both.
func (p *Plan[T]) SolvePair(ctx context.Context, a, b evd.Sym[T]) (*Result[T], error) {
	return p.solve(ctx, a, &b)
}

// solve computes the spectrum of A and *b, or of A and the B of the last Factor if b is nil.
func (p *Plan[T]) solve(ctx context.Context, a evd.Sym[T], b *evd.Sym[T]) (*Result[T], error) {
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.accepts(a, "A"); err != nil {
		return nil, err
	}
	if b != nil {
		if err := p.accepts(*b, "B"); err != nil {
			return nil, err
		}
	} else if p.factored == nil {
		return nil, ErrNoFactor
	}
	report := plan.Rising(p.opt.Progress)
	if p.canonical != nil {
		return p.canonical.solution(ctx, a, b, report)
	}
	attempt := func(by *dense.Stages[T], c *plan.Call) (*Result[T], error) {
		switch {
		case b != nil:
			if err := p.factorise(by, c, *b); err != nil {
				return nil, err
			}
		case by == p.safe && p.base.N > 1:
			if err := p.factoriseAgain(by, c); err != nil {
				return nil, err
			}
		}
		return p.solveBy(by, c, a)
	}
	costs := p.SolveCosts
	if b != nil {
		costs = p.Costs
	}
	var last *plan.Call
	begin := func() *plan.Call {
		last = p.base.Begin(ctx, plan.ProgressOf(costs(), report))
		return last
	}
	first := func() (*Result[T], error) {
		return plan.Survive(begin, func(c *plan.Call) (*Result[T], error) { return attempt(p.stages.Now, c) }, p.avoid)
	}
	safe := func() (*Result[T], error) { return attempt(p.safe, begin()) }
	var res *Result[T]
	var err error
	if p.opt.Verify {
		res, err = plan.Verified(first, safe, verifiable[T], unverified[T])
	} else {
		res, err = first()
	}
	if res != nil { // res may be returned beside an *evd.OverflowError
		last.Ends()
	}
	return res, err
}

// solveBy solves by the stages `by`, for a matrix that the plan accepts. The factor of B is on the
// device. With Options.Verify the result has a certificate. The caller must test whether the
// certificate has passed. With an *evd.OverflowError, solveBy returns the result, too.
func (p *Plan[T]) solveBy(by *dense.Stages[T], c *plan.Call, a evd.Sym[T]) (*Result[T], error) {
	if p.base.N <= 1 {
		return p.exact(c, a)
	}
	s := dense.Solve[T]{Stages: by, Call: c, Second: p.second()}
	tail := spectrum.Tail[T]{Stage: s.Spectrum, Vectors: s.Downloads(nil)}
	defer tail.End()
	t, sigma, err := s.Reduce(triangle(a), func() { tail.Begin(c) })
	if err != nil {
		return nil, cause("A", err)
	}
	tail.Sigma = min(max(sigma*p.second(), math.SmallestNonzeroFloat64), 0x1p1023)
	var certificate *evd.Certificate
	if p.opt.Verify {
		certificate = &evd.Certificate{}
		tail.Certify = func(values spectrum.Part) (err error) {
			certificate.Counts, certificate.Invariants, err = s.Certify(c, triangle(a), tail.Sigma, values)
			return err
		}
	}
	r, err := p.run(&tail, c, t)
	if err != nil {
		return nil, err
	}
	res := newResult(c, r, p.opt.RowMajor, p.vectorScale())
	res.Condition, res.Certificate = p.factored.Condition, certificate
	if p.opt.measures() {
		if res, err = p.refined(&s, a, res, tail.Sigma); err != nil {
			return nil, err
		}
	}
	return res, res.overflow()
}

// run runs the tail of a solve. A certificate, a refinement and a solve on the safe path may
// follow, so the end of the tail is not reported as the end of the solve.
func (p *Plan[T]) run(tail *spectrum.Tail[T], c *plan.Call, t spectrum.Tridiagonal) (spectrum.Result[T], error) {
	if report := c.Reporter(); report != nil {
		c.ReportTo(func(at vk.Progress) {
			if at.Phase != "" {
				report(at)
			}
		})
		defer c.ReportTo(report)
	}
	return tail.Run(c, t)
}

// second returns the factor by which the scale of B multiplies the values. The values of the scaled
// pair are those of the caller's pair, multiplied by this factor and by the scale of A.
func (p *Plan[T]) second() float64 {
	if p.opt.Type == AxLBx {
		return 1 / p.factored.Sigma
	}
	return p.factored.Sigma
}

// vectorScale returns the number by which the vectors of the scaled pair must be multiplied.
func (p *Plan[T]) vectorScale() float64 {
	root := math.Sqrt(p.factored.Sigma)
	if p.opt.Type == BAxLx {
		return 1 / root
	}
	return root
}

// exact computes the spectrum of a pair of order 0 or 1 on the host.
func (p *Plan[T]) exact(c *plan.Call, a evd.Sym[T]) (*Result[T], error) {
	if _, err := triangle(a).Largest(); err != nil {
		return nil, cause("A", err)
	}
	var values []float64
	length := 1.0
	if p.base.N == 1 {
		var value float64
		value, length = p.exactOne(triangle(a).Diagonal(0))
		values = []float64{value}
	}
	from, to := spectrum.SelectExact(spectrum.Selection(p.opt.Select), values)
	r := spectrum.Result[T]{First: from, Values: values[from:to]}
	if p.opt.Vectors {
		n, m := p.base.N, to-from
		if p.opt.RowMajor {
			n, m = m, n
		}
		r.Vectors = []vk.Columns[T]{{Rows: n, Cols: m, Ld: max(n, 1), Data: spectrum.Unscale[T]([]float64{length}[:n*m], 1)}}
	}
	res := newResult(c, r, p.opt.RowMajor, 1)
	res.Condition, res.Dropping = p.factored.Condition, p.exactDropping()
	if p.opt.Verify {
		res.Certificate = &evd.Certificate{}
	}
	return res, res.overflow()
}

// Solve computes the spectrum of one pair on the best device, as evd.Solve does for one matrix. The
// errors are those of vk.Open, NewPlan and Plan.SolvePair.
func Solve[T evd.Number](ctx context.Context, a, b evd.Sym[T], opt Options) (*Result[T], error) {
	return plan.Once[T](
		func(dev *vk.Device) (*Plan[T], error) { return NewPlan[T](dev, a.N, opt) },
		func(p *Plan[T]) (*Result[T], error) { return p.SolvePair(ctx, a, b) })
}
