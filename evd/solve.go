package evd

import (
	"context"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/team"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/vk"
)

// Solve computes the spectrum of the matrix `a`, or the selected part of it. It does not write to
// `a`, unless Options.Overwrite is set.
//
// The method is the same as in LAPACK's dsyevd_2stage and zheevd_2stage (where ᵀ is ᴴ, except in
// S):
//
//	σ·A = Q1·B·Q1ᵀ         reduction to a band B, or for small orders to tridiagonal form, B = T
//	  B = Q2·T·Q2ᵀ         reduction to tridiagonal form T, by bulge chasing
//	  T = S·Λ·Sᵀ           the selected part of the spectrum, by Options.Solver
//	  Q = Q1·(Q2·S)        back transformation of the vectors
//
// The factor σ is a power of two. With Options.Verify the result has a Certificate that has passed,
// or the error is an *UnverifiedError.
//
// If an eigenvalue is beyond the largest double, Solve returns the result beside an
// *OverflowError. The value is +Inf or −Inf. With Options.Verify the certificate of such a result
// has not passed.
//
// Other errors are *ShapeError, *NonFiniteError (for the first entry in the triangle that is read,
// in the order of the memory), ctx.Err() if the context ends first, *TooManyError,
// *NoConvergenceError (never seen), *StageError, ErrClosed after Close, and those of the device.
//
// If a wait between workgroups fails, Solve returns no error. The plan solves once more without
// waits of this kind, and Result.Retried names the stage. Later solves do without them, too. There
// are two kinds. In panels, and in a reduction in one stage, workgroups wait for all others. In the
// other stages they wait for workgroups that have started before; if such a wait fails, no
// workgroup waits any more, as with Options.NoWaits. The change allocates other memory, so the
// error may be a *vk.OutOfMemoryError. The failure is stored for the device and its driver, so that
// later plans do without these waits, too.
func (p *Plan[T]) Solve(ctx context.Context, a Sym[T]) (*Result[T], error) {
	a = a.withLd()
	p.team.Lock()
	defer p.team.Unlock()
	if err := p.accepts(a); err != nil {
		return nil, err
	}
	report := plan.Rising(p.opt.Progress)
	first := func() (*Result[T], error) {
		return plan.Survive(
			func() *plan.Call { return p.begin(ctx, p.stages.Now, report) },
			func(c *plan.Call) (*Result[T], error) { return p.solveBy(p.stages.Now, c, a) },
			p.avoid)
	}
	if !p.opt.Verify {
		return first()
	}
	safe := func() (*Result[T], error) { return p.solveBy(p.safe, p.begin(ctx, p.safe, report), a) }
	return plan.Verified(first, safe, verifiable[T], unverified[T])
}

// begin begins a call that solves by the stages `by`. `report` receives progress, and may be nil.
func (p *Plan[T]) begin(ctx context.Context, by team.Stages[T], report func(Progress)) *plan.Call {
	return p.team.Begin(ctx, plan.ProgressOf(by.Costs(), report))
}

// solveBy solves by the stages in `by`, for a matrix that the plan accepts. With Options.Verify the
// result has a certificate. The caller must test whether the certificate has passed. With an
// *OverflowError, solveBy returns the result, too.
func (p *Plan[T]) solveBy(by team.Stages[T], c *plan.Call, a Sym[T]) (*Result[T], error) {
	if p.team.N <= 1 {
		return p.exact(c, a)
	}
	w, lead := by.Begin(&p.team, c), by.Leader()
	defer w.End()
	tail := spectrum.Tail[T]{Stage: lead.Spectrum, Vectors: w.Downloads(p.into(a))}
	defer tail.End()
	t, sigma, err := w.Reduce(a.triangle(), func() { tail.Begin(c) })
	if err != nil {
		return nil, p.team.OnFirst(cause(err))
	}
	w.Reduced()
	tail.Sigma = sigma
	var certificate *Certificate
	if p.opt.Verify {
		certificate = &Certificate{}
		tail.Certify = func(values spectrum.Part) (err error) {
			certificate.Counts, certificate.Invariants, err = lead.Certify(c, a.triangle(), sigma, values)
			return err
		}
	}
	r, err := tail.Run(c, t)
	if err != nil {
		return nil, p.team.OnFirst(w.Cause(err))
	}
	res := newResult(c, r, p.opt.RowMajor)
	res.Certificate = certificate
	if p.opt.Verify && p.opt.Vectors {
		if certificate.Ratios, err = check(w, a, res); err != nil {
			return nil, p.team.OnFirst(err)
		}
	}
	return res, res.overflow()
}

// `into` returns the caller's memory for vectors, if they replace the matrix. It is nil otherwise.
func (p *Plan[T]) into(a Sym[T]) func(m int) vk.Columns[T] {
	if !p.opt.Overwrite {
		return nil
	}
	return func(m int) vk.Columns[T] {
		return Dense[T]{Rows: a.N, Cols: m, Ld: a.Ld, Data: a.Data, RowMajor: p.opt.RowMajor}.stored()
	}
}

// exact computes the spectrum of a matrix of order 0 or 1 on the host. With Options.Overwrite it
// writes the vector to the input's memory, as for larger orders.
func (p *Plan[T]) exact(c *plan.Call, a Sym[T]) (*Result[T], error) {
	if _, err := a.largest(); err != nil {
		return nil, err
	}
	res := exact(c, p.opt, a.Data[:a.N])
	if p.opt.Overwrite {
		copy(a.Data, res.Vectors.Data)
		res.Vectors.Ld, res.Vectors.Data = max(a.Ld, 1), a.Data
	}
	return res, nil
}
