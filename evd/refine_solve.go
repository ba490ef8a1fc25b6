package evd

import (
	"context"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/refinement"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Refine computes all eigenvalues and eigenvectors of the matrix `a` from n approximate
// eigenvectors, the columns of the matrix `q`, by Ogita and Aishima's iteration. The columns should
// be nearly orthonormal, and nearly in the order of the eigenvalues. Refine writes neither to `a`
// nor to `q`.
//
// A step squares the error. The iteration ends when the estimated error is a rounding error, of
// size n·ulp·‖A‖. If the iteration cannot converge or does not converge, the plan solves without
// `q` (a cold solve), and Result.Refinement.Cold has the reason. During a cold solve the plan frees
// its own memory, and allocates the memory of a Plan.
//
// The errors are *ShapeError and *NonFiniteError for `a`, *InitialShapeError and
// *InitialVectorsError for `q`, and those of Plan.Solve.
func (p *RefinePlan[T]) Refine(ctx context.Context, a Sym[T], q Dense[T]) (*Result[T], error) {
	a = a.withLd()
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.accepts(a, q); err != nil {
		return nil, err
	}
	report := plan.Rising(p.opt.Progress)
	s := p.begin(p.base.Begin(ctx, plan.ProgressOf(p.Costs(), report)), report)
	s.start = &q
	if a.N <= 1 {
		return s.exact(a)
	}
	return s.refineOrSolve(a, func() (float64, error) { return s.Load(a.triangle(), q.vectors()) })
}

// refineCall is one call of RefinePlan.Refine or of MixedPlan.Solve in flight.
type refineCall[T Double] struct {
	*RefinePlan[T]
	refinement.Iteration[T]

	// start has the caller's approximate vectors. It is nil if a solve in single precision computes
	// them.
	start *Dense[T]

	// report is the caller's progress function. It is nil if the caller wants no progress.
	report func(Progress)
}

func (p *RefinePlan[T]) begin(c *plan.Call, report func(Progress)) *refineCall[T] {
	return &refineCall[T]{RefinePlan: p, report: report, Iteration: refinement.NewIteration(p.stages, c, &ritzSolver[T]{opt: p.opt})}
}

// refineOrSolve does the iteration of one call, or a cold solve if the iteration cannot be used. It
// is the only place that decides so, in the methods of RefinePlan and of MixedPlan. The argument
// `load` is that of the method `refine`.
func (s *refineCall[T]) refineOrSolve(a Sym[T], load func() (sigma float64, err error)) (*Result[T], error) {
	res, err := s.refine(a, load)
	if err != nil && plan.MethodFailed(err) {
		// Before the first step, only the solve in single precision can fail. In a step, emulated
		// products refuse a factor, or the eigenproblem of a cluster does not converge.
		if s.Counts.Cold = ColdSingle; s.Counts.Steps > 0 {
			s.Counts.Cold = ColdFar
		}
		err = nil
	}
	if err != nil || s.Counts.Cold == "" {
		return res, err
	}
	if err := s.startIsFinite(); err != nil {
		return nil, err
	}
	return s.solveCold(a)
}

// refine does the iteration of one call. If the iteration cannot be used, `refine` sets Counts.Cold
// to the reason, and the caller must solve without the approximate vectors. The function `load`
// brings σ·A and the approximate vectors to the device, and returns σ.
func (s *refineCall[T]) refine(a Sym[T], load func() (sigma float64, err error)) (*Result[T], error) {
	memory := plan.NewResultMemory[T](s.Ctx)
	defer memory.Stop()
	memory.Allocate(a.N, a.N)
	sigma, err := load()
	if err != nil {
		return nil, cause(err)
	}
	if err := s.Iterate(); err != nil || s.Counts.Cold != "" {
		return nil, err
	}
	values, z, err := s.Download(sigma, memory)
	if err != nil {
		return nil, err
	}
	res := &Result[T]{Values: values, Vectors: denseOf(z, s.opt.RowMajor), Profile: s.Profile, Retried: s.Retried}
	if s.opt.Verify {
		sums, norm, invariants, err := s.Certify(a.triangle(), sigma)
		if err != nil {
			return nil, err
		}
		res.Certificate = &Certificate{Ratios: newRatios[T](sums, norm, a.N), Invariants: invariants}
		if !res.Certificate.Passed() {
			s.Counts.Cold = ColdCertificate
			return nil, nil
		}
	}
	return s.ends(res), res.overflow()
}

// `ends` adds the counts of the refinement to `res`, and reports that the call is done.
func (s *refineCall[T]) ends(res *Result[T]) *Result[T] {
	res.Refinement = (*Refinement)(&s.Counts)
	s.Ends()
	return res
}

// exact returns the result of a refinement of order 0 or 1.
func (s *refineCall[T]) exact(a Sym[T]) (*Result[T], error) {
	if _, err := a.largest(); err != nil {
		return nil, err
	}
	if err := s.startIsFinite(); err != nil {
		return nil, err
	}
	return s.ends(exact(s.Call, s.opt, a.Data[:a.N])), nil
}

// startIsFinite returns a *InitialVectorsError for the first element of the caller's approximate
// vectors that is NaN or infinite, in the order of the memory.
func (s *refineCall[T]) startIsFinite() error {
	if s.start == nil {
		return nil
	}
	q, z := s.start, s.start.stored()
	_, i, j := plan.Scan(z.Data, z.Ld, z.Cols, func(int) (int, int) { return 0, z.Rows })
	if i < 0 {
		return nil
	}
	e := &InitialVectorsError{Row: i, Col: j, Value: plan.NotFinite(z.Data[i+j*z.Ld])}
	if q.RowMajor {
		e.Row, e.Col = j, i
	}
	return e
}

// solveCold solves without the approximate vectors, by a new Plan. It first frees the device memory
// of the refinement, because the solve needs memory. Afterwards it allocates that memory again.
func (s *refineCall[T]) solveCold(a Sym[T]) (*Result[T], error) {
	layout := s.base.Layout
	// If this fails for lack of memory, the next call of Refine tries again, and returns the error
	// if it fails again.
	defer func() { _ = s.base.Replace(layout) }()
	if err := s.base.Replace(vk.Together()); err != nil {
		return nil, err
	}
	opt := s.opt
	opt.Progress = s.report
	p, err := NewPlan[T](s.Dev, a.N, opt)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	res, err := p.Solve(s.Ctx, a)
	if res == nil {
		return nil, err
	}
	res.Profile.Merge(s.Profile)
	if res.Retried == nil {
		res.Retried = s.Retried
	}
	return s.ends(res), err
}

// ritzSolver solves the eigenproblems of large clusters by a plan.
type ritzSolver[T Double] struct {
	opt  Options
	plan *Plan[T]
}

func (r *ritzSolver[T]) Solve(c *plan.Call, m, ld int, block []T, values []float64) (err error) {
	if r.plan == nil || r.plan.team.N != m {
		r.Close()
		opt := Options{Vectors: true, Tuning: r.opt.Tuning, Products: r.opt.Products, Moduli: r.opt.Moduli}
		if r.plan, err = NewPlan[T](c.Dev, m, opt); err != nil {
			return err
		}
	}
	res, err := r.plan.Solve(c.Ctx, Sym[T]{N: m, Ld: ld, Data: block})
	if err != nil {
		return err
	}
	copy(values, res.Values)
	for j := range m {
		copy(block[j*ld:j*ld+m], res.Vectors.Col(j))
	}
	c.Profile.Add(stages.PhaseRitz, res.Profile.Total())
	return nil
}

func (r *ritzSolver[T]) Close() {
	if r.plan != nil {
		r.plan.Close()
		r.plan = nil
	}
}
