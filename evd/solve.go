package evd

import (
	"context"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Solve computes the spectrum of the matrix `a`, or the selected part of it. It does not write to
// `a`, unless Options.Overwrite is set.
//
// The method is the same as in LAPACK's dsyevd_2stage:
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
// Other errors are *ShapeError, *NonFiniteError (for the first entry in the triangle that is
// read, in the order of the memory), ctx.Err() if the context ends first, *TooManyError, *NoConvergenceError
// (never seen), *StageError, ErrClosed after Close, and those of the device.
//
// If a wait between workgroups fails, Solve returns no error. The plan solves once more without
// waits of this kind, and Result.Retried names the stage. Later solves do without them, too. There
// are two kinds. In panels, and in a reduction in one stage, workgroups wait for all others. In the
// other stages they wait for workgroups that have started before; if such a wait fails, no workgroup
// waits any more, as with Options.NoWaits. The change allocates other memory, so the error may be
// a *vk.OutOfMemoryError. The failure is stored for the device and its driver, so that later plans
// do without these waits, too.
func (p *Plan[T]) Solve(ctx context.Context, a Sym[T]) (*Result[T], error) {
	a = a.withLd()
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.accepts(a); err != nil {
		return nil, err
	}
	report := plan.Rising(p.opt.Progress)
	first := func() (*Result[T], error) {
		return plan.Survive(
			func() *plan.Call { return p.begin(ctx, p.path.Now, report) },
			func(c *plan.Call) (*Result[T], error) { return p.solveBy(p.path.Now, c, a) },
			p.avoid)
	}
	if !p.opt.Verify {
		return first()
	}
	safe := func(first *Result[T]) (*Result[T], error) { return p.solveSafely(ctx, a, first, report) }
	return plan.Verified(first, safe, passed[T], unverified[T])
}

// begin begins a call that solves by the stages in `by`. `report` receives the progress, and may be
// nil.
func (p *Plan[T]) begin(ctx context.Context, by *path[T], report func(Progress)) *plan.Call {
	return p.base.Begin(ctx, plan.ProgressOf(by.costs(), report))
}

// solveBy solves by the stages in `by`, for a matrix that the plan accepts. With Options.Verify the
// result has a certificate. The caller must test whether the certificate has passed. With an
// *OverflowError, solveBy returns the result, too.
func (p *Plan[T]) solveBy(by *path[T], c *plan.Call, a Sym[T]) (*Result[T], error) {
	s := &solve[T]{by, c}
	if by.n <= 1 {
		return s.exact(a)
	}
	g := p.together(s)
	defer g.end()
	tail := spectrum.Tail[T]{Stage: s.steps.spectrum, Vectors: g.vectors(a)}
	defer tail.End()
	t, sigma, err := g.reduce(a, func() { tail.Begin(s.Call) })
	if err != nil {
		return nil, p.onFirst(err)
	}
	g.copyReflectors()
	tail.Sigma = sigma
	g.share()
	var certificate *Certificate
	if p.opt.Verify {
		tail.Certify = func(values spectrum.Part) (err error) {
			certificate, err = s.certifyValues(a, sigma, values)
			return err
		}
	}
	r, err := tail.Run(s.Call, t)
	if err != nil {
		return nil, p.onFirst(g.cause(err))
	}
	res := newResult(s.Call, r, p.opt.RowMajor)
	res.Certificate = certificate
	if p.opt.Verify && p.opt.Vectors {
		if certificate.Ratios, err = g.check(a, res); err != nil {
			return nil, p.onFirst(err)
		}
	}
	return res, res.overflow()
}

// solve is the state of one solve: the stages that it uses (a path), and the call of the plan.
type solve[T Float] struct {
	// path has the stages, and says where in the call's device memory their data are.
	*path[T]

	// Call runs the recordings of the solve. It has the device and the memory.
	*plan.Call
}

// reduce reduces A to the band B and to the tridiagonal matrix T, and returns the scale σ. Other
// goroutines scan A and record the commands while A is uploaded. If A is not finite or the upload
// fails, no command is executed. Otherwise reduce calls the function `meanwhile` before the device
// executes the commands. T stays on the device, and reduce returns the host's copy.
func (s *solve[T]) reduce(a Sym[T], meanwhile func()) (host spectrum.Tridiagonal, sigma float64, err error) {
	recorded, scanned := make(chan *vk.Recorder), make(chan struct{})
	var received func() spectrum.Tridiagonal
	var refused error
	record := func(by float64) *vk.Recorder {
		return s.Record(func(rec *vk.Recorder) { received = s.recordReduction(rec, a.upper(), by) })
	}
	go func() {
		sigma, refused = s.scale(a)
		close(scanned)
	}()
	go func() {
		rec := record(1) // nearly every matrix has σ = 1
		if <-scanned; refused == nil && sigma != 1 {
			rec = record(sigma)
		}
		recorded <- rec
	}()
	err = s.upload(s.Ctx, s.Dev, s.Arena, a)
	rec := <-recorded
	switch {
	case refused != nil:
		return host, sigma, refused
	case err == nil:
		err = s.uploadTiny(s.Ctx, s.Dev, s.Arena, a, sigma)
	}
	if err == nil {
		meanwhile()
		err = s.Execute(rec)
	}
	if err == nil {
		host = received()
	}
	return host, sigma, err
}

// recordReduction records the stages that reduce A to tridiagonal form. Each stage has a status,
// its INFO word, which is 0 for success. Each INFO word is copied before a later stage may
// overwrite it. The result returns the tridiagonal matrix on the host after the recording has been
// executed.
func (s *solve[T]) recordReduction(rec *vk.Recorder, upper bool, sigma float64) func() spectrum.Tridiagonal {
	r, t, ws := &s.regions, s.steps.spectrum, s.Arena
	s.steps.products.emulated.Begin(rec, ws)
	s.recordLoad(rec, ws, upper, sigma)
	rec.Phase(s.phase(), 0, 1)
	s.steps.reduce.Record(rec, ws, s.matrixA(ws), r.band.In(ws), r.t.In(ws))
	s.Info(rec, stages.CauseMeet, s.phase(), s.steps.reduce.Info(ws))
	s.steps.products.emulated.Refused(s.Call, rec, ws)
	if !s.oneStage {
		rec.Phase(stages.PhaseBulgeChasing, 0, 1)
	}
	s.steps.chase.Record(rec, ws, r.band.In(ws), s.doubles.tridiagonal(ws, t), r.reflectors(ws))
	s.Info(rec, stages.CauseWait, stages.PhaseBulgeChasing, s.steps.chase.Info(ws))
	return s.doubles.receive(rec, ws, t)
}

// vectors says how the eigenvectors of the matrix are copied to the host. The list is empty if no
// vectors are wanted.
func (s *solve[T]) vectors(a Sym[T]) []spectrum.Vectors[T] {
	if !s.opt.Vectors {
		return nil
	}
	v := spectrum.Vectors[T]{Rows: s.n, RowMajor: s.opt.RowMajor, Back: s.transformBack}
	if s.opt.Overwrite {
		v.Into = func(m int) vk.Columns[T] {
			return Dense[T]{Rows: s.n, Cols: m, Ld: a.Ld, Data: a.Data, RowMajor: s.opt.RowMajor}.stored()
		}
	}
	return []spectrum.Vectors[T]{v}
}

// transformBack computes the eigenvectors Q of A from the vectors S of the tridiagonal matrix,
// stored as Sᵀ: first Qᵀ = Sᵀ·Q2ᵀ·Q1ᵀ, then Q. The matrix Q overwrites A on the device.
// transformBack returns the matrix to download: Q, or Qᵀ for row-major vectors.
func (s *solve[T]) transformBack(vectors product.Matrix[float64]) (q product.Matrix[T], err error) {
	r, ws, x := &s.regions, s.Arena, s.doubles.vectors(s.Arena, vectors)
	q = product.NewMatrix(r.a.In(ws), s.n, x.Rows, s.n)
	if x.Rows == 0 {
		return q, nil
	}
	if err := s.doubles.upload(s.Call, s.steps.spectrum); err != nil {
		return q, err
	}
	err = s.Run(func(rec *vk.Recorder) {
		if s.steps.reduce == nil { // else the reduction has begun them
			s.steps.products.emulated.Begin(rec, ws)
		}
		s.doubles.Narrow(rec, ws, 0, vectors)
		if s.steps.q2 != nil {
			rec.Phase(stages.PhaseApplyQ2, 0, 1)
			s.steps.q2.Record(rec, ws, r.reflectors(ws), x)
			s.Info(rec, stages.CauseWait, stages.PhaseApplyQ2, s.steps.q2.Info(ws))
		}
		rec.Phase(stages.PhaseApplyQ1, 0, 1)
		s.steps.q1.Record(rec, ws, s.matrixA(ws), r.t.In(ws), x)
		s.steps.products.emulated.Refused(s.Call, rec, ws)
		q = s.steps.orient.record(rec, x, q)
	})
	return q, err
}

// exact computes the spectrum of a matrix of order 0 or 1 on the host. With Options.Overwrite it
// writes the vector to the input's memory, as for larger orders.
func (s *solve[T]) exact(a Sym[T]) (*Result[T], error) {
	if _, err := scan(a); err != nil {
		return nil, err
	}
	res := exact(s.Call, s.opt, a.Data[:s.n])
	if s.opt.Overwrite {
		copy(a.Data, res.Vectors.Data)
		res.Vectors.Ld, res.Vectors.Data = max(a.Ld, 1), a.Data
	}
	return res, nil
}
