package evd

import (
	"context"
	"slices"

	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/residual"
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
// The errors are *ShapeError and *NonFiniteError for `a`, *InitialShapeError and *InitialVectorsError for `q`,
// and those of Plan.Solve.
func (p *RefinePlan) Refine(ctx context.Context, a Sym[float64], q Dense[float64]) (*Result[float64], error) {
	a = a.withLd()
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.accepts(a, q); err != nil {
		return nil, err
	}
	report := plan.Rising(p.opt.Progress)
	s := &refinement{RefinePlan: p, Call: p.begin(ctx, report), start: &q, N: p.base.N, report: report}
	if s.N <= 1 {
		return s.exact(a)
	}
	return s.refineOrSolve(a, func() (float64, error) { return s.load(a, q) })
}

// begin begins a call of a method that uses the device. `report` receives the progress, and may be
// nil.
func (p *RefinePlan) begin(ctx context.Context, report func(Progress)) *plan.Call {
	return p.base.Begin(ctx, plan.ProgressOf(p.Costs(), report))
}

// refineOrSolve does the iteration of one call, or a cold solve if the iteration cannot be used. It
// is the only place that decides so, in the methods of RefinePlan and of MixedPlan. The argument
// `load` is that of the method refine.
func (s *refinement) refineOrSolve(a Sym[float64], load func() (sigma float64, err error)) (*Result[float64], error) {
	res, err := s.refine(a, load)
	if err != nil && plan.MethodFailed(err) {
		// Before the first step, only the solve in single precision can fail. In a step, emulated
		// products refuse a factor, or the eigenproblem of a cluster does not converge.
		if s.counts.Cold = ColdSingle; s.counts.Steps > 0 {
			s.counts.Cold = ColdFar
		}
		err = nil
	}
	if err != nil || s.counts.Cold == "" {
		return res, err
	}
	if err := s.startIsFinite(); err != nil {
		return nil, err
	}
	return s.solveCold(a)
}

// refine does the iteration of one call. If the iteration cannot be used, it sets counts.Cold to the
// reason, and the caller must solve without the approximate vectors. The function `load` brings σ·A
// and the approximate vectors to the device, and returns σ.
func (s *refinement) refine(a Sym[float64], load func() (sigma float64, err error)) (*Result[float64], error) {
	memory := plan.NewResultMemory[float64](s.Ctx)
	defer memory.Stop()
	memory.Allocate(s.N, s.N)
	sigma, err := load()
	if err != nil {
		return nil, err
	}
	if err := s.iterate(); err != nil || s.counts.Cold != "" {
		return nil, err
	}
	slices.Sort(s.lambda) // they may be in the wrong order by rounding errors
	values := spectrum.Unscale[float64](s.lambda, sigma)
	from := s.y
	if err := s.Run(func(rec *vk.Recorder) { from = s.steps.orient.Record(rec, s.x, s.y) }); err != nil {
		return nil, err
	}
	z := memory.Wait()
	if err := plan.During(stages.PhaseTranspose, vk.Download(s.Ctx, s.Dev, z, from.At)); err != nil {
		return nil, err
	}
	res := &Result[float64]{Values: values, Vectors: denseOf(z, s.opt.RowMajor), Profile: s.Profile, Retried: s.Retried}
	if s.opt.Verify {
		if res.Certificate, err = s.certify(a, sigma); err != nil {
			return nil, err
		}
		if !res.Certificate.Passed() {
			s.counts.Cold = ColdCertificate
			return nil, nil
		}
	}
	res.Refinement = &s.counts
	s.Ends()
	return res, res.overflow()
}

// load uploads the matrix A and the approximate vectors, and records a command with which the
// device multiplies A by σ, a power of two. It returns σ.
func (s *refinement) load(a Sym[float64], q Dense[float64]) (sigma float64, err error) {
	largest, err := a.largest()
	if err != nil {
		return 0, err
	}
	sigma = dense.Scaling[float64](largest)
	s.x, s.y = s.in(s.Arena, s.regions.x[0]), s.in(s.Arena, s.regions.x[1])
	to := s.y // a vector per column
	if q.RowMajor {
		to = s.x
	}
	if err := plan.During(stages.PhaseLoad, vk.Upload(s.Ctx, s.Dev, to.At, q.stored())); err != nil {
		return 0, err
	}
	if err := a.triangle().Upload(s.Ctx, s.Dev, s.matrixA().At); err != nil {
		return 0, err
	}
	return sigma, s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseLoad, 0, 1)
		s.steps.load.Record(rec, s.matrixA(), a.triangle().Upper, sigma)
		if !q.RowMajor {
			s.steps.orient.Transpose.Record(rec, s.y, s.x)
		}
	})
}

// certify measures the errors of a refined result. Its vectors are in the device memory s.y, one per
// column.
func (s *refinement) certify(a Sym[float64], sigma float64) (*Certificate, error) {
	var sums [2][]float64
	err := s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseCheck, 0, s.steps.residuals.Flops())
		r := &s.regions.sums
		vk.SendFirst(rec, r[0].In(s.Arena), s.lambda)
		out := residual.Sums[float64]{Lambda: r[0].In(s.Arena), Residual: r[1].In(s.Arena), Orthogonality: r[2].In(s.Arena)}
		s.steps.residuals.Record(rec, s.Arena, s.matrixA(), s.y, out)
		for i, from := range []vk.Slice[float64]{out.Residual, out.Orthogonality} {
			sums[i] = make([]float64, s.N)
			vk.ReceiveLast(rec, sums[i], from)
		}
	})
	if err != nil {
		return nil, err
	}
	t := spectrum.Tridiagonal{D: s.lambda, E: make([]float64, s.N-1)}
	norm := max(a.triangle().Norm1(sigma), spectrum.SafeMin*sigma)
	return &Certificate{Ratios: newRatios[float64](sums, norm, s.N), Invariants: a.triangle().Invariants(sigma, t)}, nil
}

// exact returns the result of a refinement of order 0 or 1.
func (s *refinement) exact(a Sym[float64]) (*Result[float64], error) {
	if _, err := a.largest(); err != nil {
		return nil, err
	}
	if err := s.startIsFinite(); err != nil {
		return nil, err
	}
	res := exact(s.Call, s.opt, a.Data[:s.N])
	res.Refinement = &s.counts
	s.Ends()
	return res, nil
}

// startIsFinite returns a *InitialVectorsError for the first element of the caller's approximate vectors that
// is NaN or infinite, in the order of the memory.
func (s *refinement) startIsFinite() error {
	if s.start == nil {
		return nil
	}
	q, z := s.start, s.start.stored()
	_, i, j := plan.Scan(z.Data, z.Ld, z.Cols, func(int) (int, int) { return 0, z.Rows })
	if i < 0 {
		return nil
	}
	e := &InitialVectorsError{Row: i, Col: j, Value: z.Data[i+j*z.Ld]}
	if q.RowMajor {
		e.Row, e.Col = j, i
	}
	return e
}

// solveCold solves without the approximate vectors. It first frees the device memory of the
// refinement, because the solve needs memory. Afterwards it allocates that memory again.
func (s *refinement) solveCold(a Sym[float64]) (*Result[float64], error) {
	layout := s.base.Layout
	// If this fails for lack of memory, the next call of Refine tries again, and returns the error
	// if it fails again.
	defer func() { _ = s.base.Replace(layout) }()
	if err := s.base.Replace(vk.Together()); err != nil {
		return nil, err
	}
	return s.cold(a)
}

// cold solves without the approximate vectors, by a new Plan that it closes at the end.
func (s *refinement) cold(a Sym[float64]) (*Result[float64], error) {
	opt := s.opt
	opt.Progress = s.report
	p, err := NewPlan[float64](s.Dev, s.N, opt)
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
	res.Refinement = &s.counts
	s.Ends()
	return res, err
}
