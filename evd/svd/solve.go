package svd

import (
	"context"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Solve computes the singular values of the matrix `a`, and the vectors that the options ask for.
// It does not write to the matrix `a`. The matrix A on the device is `a`, or the adjoint of `a` if
// `a` has fewer rows than columns, or is square and row-major. For the adjoint U and V are
// exchanged. The factor σ is a power of two. The method is
//
//	σ·A = Q0·R                 only if A has many more rows than columns; R takes the place of A
//	σ·A = Q1·[B; 0]·P1ᴴ        reduction to an upper band B
//	  B = Q2·C·P2ᴴ             reduction to bidiagonal form C, by bulge chasing; for large orders
//	                           without vectors, a wide B first becomes narrower, also by chasing.
//	                           C is real: a phase of U and one of V go to Q2 and P2
//	[0 Cᵀ; C 0]                has the eigenvalues ±σᵢ, which bisection finds. With sorted rows and
//	                           columns it is tridiagonal, with a zero diagonal
//	                           (Golub and Kahan, 1965)
//	  C = S·Σ·Wᵀ               vectors S, W of C, by divide and conquer (Gu and Eisenstat, 1995)
//	  U = Q0·Q1·(Q2·S)         back transformations
//	  V = P1·(P2·W)
//
// The error is a *ShapeError, an *evd.NonFiniteError for an entry that is NaN or infinite,
// ctx.Err() if the context ends first, an *evd.NoConvergenceError, an *evd.StageError,
// evd.ErrClosed after Close, an *UnverifiedError with Options.Verify, or an error of the device. If
// a wait between workgroups fails, Solve returns no error: the plan solves again without waiting,
// now and in later calls.
//
// If a singular value is beyond the largest double, Solve returns the result beside an
// *evd.OverflowError. The value is +Inf. A certificate of such a result has not passed.
func (p *Plan[T]) Solve(ctx context.Context, a evd.Dense[T]) (*Result[T], error) {
	if p.single != nil {
		return p.solveInSingle(ctx, a)
	}
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.accepts(a); err != nil {
		return nil, err
	}
	report := plan.Rising(p.opt.Progress)
	begin := func() *plan.Call { return p.base.Begin(ctx, plan.ProgressOf(p.Costs(), report)) }
	first := func() (*Result[T], error) {
		return plan.Survive(begin, func(c *plan.Call) (*Result[T], error) { return p.solve(c, p.path.Now, a) }, p.avoid)
	}
	if !p.opt.Verify {
		return first()
	}
	safe := func() (*Result[T], error) { return p.solve(begin(), p.safe, a) }
	res, err := plan.Verified(first, safe, verifiable[T], unverified[T])
	return only(p.asked, res), err
}

// solve computes the results for a matrix that fits the plan, by the stages `by`, as the comment of
// Solve says. With Options.Verify the caller must test whether the certificate has passed. With an
// *evd.OverflowError, the result is returned, too.
func (p *Plan[T]) solve(c *plan.Call, by *path[T], a evd.Dense[T]) (*Result[T], error) {
	s := &solve[T]{&p.problem, by, c}
	if p.cols == 0 {
		return s.empty(), nil
	}
	largest, err := scan(a)
	if err != nil {
		return nil, err
	}
	sigma := p.scale(a, largest)

	// σ·A = Q1·[B; 0]·P1ᴴ and B = Q2·C·P2ᴴ. The tridiagonal matrix t is the Golub-Kahan form of C.
	t, err := s.reduce(a, sigma)
	if err != nil {
		return nil, err
	}

	// Bisection of t finds Σ. Then `z` finds S and W, U and V.
	u, v := sides(a)
	z := s.singularVectors(t, u, v)
	tail := spectrum.Tail[T]{Stage: s.steps.values, Sigma: sigma, Vectors: z.downloads(u, v), Found: z.found}
	res, err := finish(c, tail, t, p.opt, s.rows, func(part spectrum.Part) (*Certificate, error) {
		return s.certify(a, sigma, t, part)
	})
	if err != nil {
		return nil, err
	}
	if p.opt.Storage == Half {
		res.ulp = Half.Ulp()
	}
	if p.opt.Verify && p.shape.vectors() && len(res.Values) > 0 { // an interval may contain no value
		if err := s.verifyVectors(a, res); err != nil {
			return nil, err
		}
	}
	return res, res.overflow()
}

// solve is the state of one solve: what a plan solves, the stages that it uses (the path), and the
// call of the plan.
type solve[T evd.Number] struct {
	*problem[T]
	*path[T]
	*plan.Call
}

// reduce reduces A to the factor R (only if a QR factorisation comes first), the band B and the
// bidiagonal matrix C. Another goroutine records the commands while A is uploaded. The Golub-Kahan
// form of C stays on the device, and `host` is the host's copy.
func (s *solve[T]) reduce(a evd.Dense[T], sigma float64) (host spectrum.Tridiagonal, err error) {
	recorded := make(chan *vk.Recorder)
	var received func() spectrum.Tridiagonal
	go func() {
		recorded <- s.Record(func(rec *vk.Recorder) { received = s.recordReduction(rec, a) })
	}()
	err = s.upload(a, sigma)
	rec := <-recorded
	if err == nil {
		err = s.Execute(rec)
	}
	if err != nil {
		return host, err
	}
	return received(), nil
}

// recordReduction records the stages of `reduce`. The returned function gives the host's copy of
// the Golub-Kahan form after the recording has been executed.
func (s *solve[T]) recordReduction(rec *vk.Recorder, a evd.Dense[T]) func() spectrum.Tridiagonal {
	r, t, ws := &s.regions, s.steps.values, s.Arena
	s.steps.products.emulated.Begin(rec, ws)
	s.recordLoad(rec, a)
	if qr := s.steps.qr; qr != nil {
		qr.Record(rec, ws, s.matrixA(), s.reduced(), r.first.In(ws))
		for _, info := range qr.Infos(ws) {
			s.Info(rec, stages.CauseMeet, stages.PhaseQR, info)
		}
	}
	rec.Phase(stages.PhaseBandReduction, 0, 1)
	s.steps.band.Record(rec, ws, s.reduced(), r.band.In(ws), r.left.In(ws), r.right.In(ws))
	for _, info := range s.steps.band.Infos(ws) {
		s.Info(rec, stages.CauseMeet, stages.PhaseBandReduction, info)
	}
	s.steps.products.emulated.Refused(s.Call, rec, ws)
	band := r.band.In(ws)
	if half := s.steps.half; half != nil {
		return half.record(rec, s.Call, band, t)
	}
	if narrow := s.steps.narrow; narrow != nil {
		narrow.RecordGeneral(rec, ws, band, r.pass.In(ws), r.narrow.In(ws))
		s.Info(rec, stages.CauseWait, stages.PhaseBandNarrowing, narrow.Info(ws))
		band = r.narrow.In(ws)
	}
	rec.Phase(stages.PhaseBulgeChasing, 0, 1)
	s.steps.chase.Record(rec, ws, band, s.doubles.bidiagonal(ws, t), s.reflectors(ws, left), s.reflectors(ws, right))
	s.Info(rec, stages.CauseWait, stages.PhaseBulgeChasing, s.steps.chase.Info(ws))
	return s.doubles.receive(rec, ws, t)
}
