package evd

import (
	"context"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Solve computes the spectrum of a, or the selected part of it. It does not write to a, unless
// Options.Overwrite is set.
//
// The method is the same as in LAPACK's dsyevd_2stage:
//
//	σ·A = Q1·B·Q1ᵀ         to a band; small orders may go to tridiagonal form at once, B = T
//	  B = Q2·T·Q2ᵀ         to tridiagonal form, by bulge chasing
//	  T = S·Λ·Sᵀ           the selected part, by Options.Solver
//	  Q = Q1·(Q2·S)        back
//
// With Options.Verify the result has a Certificate that has passed, or the error is an
// *UnverifiedError.
//
// Other errors are *ShapeError, *NonFiniteError (for the first entry, in column order, of the
// triangle that is read), ctx.Err() if the context ends first, *TooManyError, *NoConvergenceError
// (never seen), *StageError, ErrClosed after Close, and those of the device.
//
// A wait between workgroups that fails is not an error. The plan then solves once more, on a path
// on which no workgroup waits for another, as with Options.Wavefront. It stays on that path, which
// has memory of its own (*vk.OutOfMemoryError if it does not fit). Result.Retried names the stage.
// The failure is stored for the device and its driver, so that later plans do not wait.
func (p *Plan[T]) Solve(ctx context.Context, a Sym[T]) (*Result[T], error) {
	a = a.withLd()
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.accepts(a); err != nil {
		return nil, err
	}
	report := spectrum.Rising(p.opt.Progress)
	if p.opt.Verify {
		return p.verified(ctx, a, report)
	}
	return p.solve(ctx, a, report)
}

// solve solves on the plan's path, for a matrix that the plan accepts. If a wait between workgroups
// is given up, it solves once more on a path without waiting. The caller must have the plan's lock.
func (p *Plan[T]) solve(ctx context.Context, a Sym[T], report func(Progress)) (*Result[T], error) {
	var last *spectrum.Call
	return spectrum.Survive(
		func() *spectrum.Call {
			last = p.begin(ctx, p.path, report)
			return last
		},
		func(c *spectrum.Call) (*Result[T], error) { return p.solveBy(p.path, c, a) },
		func() error {
			if last.GaveUp().Stage == stages.PhaseEmulated {
				return p.goNative()
			}
			return p.avoidWaiting()
		})
}

// begin begins a call for one path. report may be nil.
func (p *Plan[T]) begin(ctx context.Context, by *path[T], report func(Progress)) *spectrum.Call {
	return p.base.Begin(ctx, spectrum.ProgressOf(by.costs(), report))
}

// solveBy solves on one path, for a matrix that the plan accepts. With Options.Verify the result
// has a certificate, which may have passed or not. Without it the certificate is nil.
func (p *Plan[T]) solveBy(by *path[T], c *spectrum.Call, a Sym[T]) (*Result[T], error) {
	s := &solve[T]{by, c}
	if by.n <= 1 {
		return s.exact(a)
	}
	t, sigma, err := s.reduce(a)
	if err != nil {
		return nil, err
	}
	tail := spectrum.Tail[T]{Stage: s.steps.spectrum, Sigma: sigma, Vectors: s.vectors(a)}
	var certificate *Certificate
	if p.opt.Verify {
		tail.Certify = func(values spectrum.Part) (err error) {
			certificate, err = s.certifyValues(a, sigma, values)
			return err
		}
	}
	r, err := tail.Run(s.Call, t)
	if err != nil {
		return nil, err
	}
	res := newResult(s.Call, r, p.opt.RowMajor)
	res.Certificate = certificate
	if p.opt.Verify && p.opt.Vectors {
		certificate.Ratios, err = s.check(a, res)
	}
	return res, err
}

// solve is a solve in flight: a path and the call that uses it.
type solve[T Float] struct {
	// The path has stages and regions. Regions lie in the call's arena.
	*path[T]

	// The call runs recordings, and has the device and the memory.
	*spectrum.Call
}

// reduce does A → B → T, and returns the scale of A. It scans A and records the commands on another
// goroutine while A is being uploaded. If A is not finite or the upload fails, nothing is run. T
// stays on the device, and a copy comes to the host.
func (s *solve[T]) reduce(a Sym[T]) (host spectrum.Tridiagonal, sigma float64, err error) {
	recorded := make(chan *vk.Recorder)
	var refused error
	go func() {
		if sigma, refused = s.scale(a); refused != nil {
			recorded <- nil
			return
		}
		recorded <- s.Record(func(rec *vk.Recorder) { host = s.recordReduction(rec, a.Uplo, sigma) })
	}()
	err = s.upload(s.Ctx, s.Dev, s.Arena, a)
	rec := <-recorded
	switch {
	case refused != nil:
		return host, sigma, refused
	case err == nil:
		err = s.Execute(rec)
	}
	return host, sigma, err
}

// recordReduction records the stages of reduce. The INFO word of each stage is read before a later
// stage may overwrite it. The result is valid when the recording has run.
func (s *solve[T]) recordReduction(rec *vk.Recorder, uplo Uplo, sigma float64) (host spectrum.Tridiagonal) {
	r, t, ws := &s.regions, s.steps.spectrum, s.Arena
	s.steps.products.begin(rec, ws)
	s.recordLoad(rec, ws, uplo, sigma)
	rec.Phase(s.phase(), 0, 1)
	s.steps.reduce.Record(rec, ws, s.matrixA(ws), r.band.In(ws), r.t.In(ws))
	s.Info(rec, s.phase(), s.steps.reduce.Info(ws))
	s.steps.products.refused(s.Call, rec, ws)
	if !s.oneStage {
		rec.Phase(stages.PhaseBulgeChasing, 0, 1)
	}
	s.steps.chase.Record(rec, ws, r.band.In(ws), s.doubles.tridiagonal(t.D(ws), t.E(ws)), r.reflectors(ws))
	s.Info(rec, stages.PhaseBulgeChasing, s.steps.chase.Info(ws))
	return t.Receive(rec, ws)
}

// vectors says how the eigenvectors come to the host. The list is empty if they are not wanted.
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

// transformBack does Sᵀ → Qᵀ → Q. Q takes A's place on the device. transformBack returns the matrix
// to download: Q, or for row-major vectors Qᵀ, whose columns are the rows of Q.
func (s *solve[T]) transformBack(vectors product.Matrix[float64]) (q product.Matrix[T], err error) {
	r, ws, x := &s.regions, s.Arena, s.doubles.vectors(vectors)
	q = product.NewMatrix(r.a.In(ws), s.n, x.Rows, s.n)
	if x.Rows == 0 {
		return q, nil
	}
	err = s.Run(func(rec *vk.Recorder) {
		if s.steps.q2 != nil {
			rec.Phase(stages.PhaseApplyQ2, 0, 1)
			s.steps.q2.Record(rec, ws, r.reflectors(ws), x)
			s.Info(rec, stages.PhaseApplyQ2, s.steps.q2.Info(ws))
		}
		rec.Phase(stages.PhaseApplyQ1, 0, 1)
		s.steps.q1.Record(rec, ws, s.matrixA(ws), r.t.In(ws), x)
		s.steps.products.refused(s.Call, rec, ws)
		q = s.steps.orient.record(rec, x, q)
	})
	return q, err
}

// exact computes the spectrum of a matrix of order 0 or 1, without a device. With Options.Overwrite
// the vector is in the input's memory, as for larger orders.
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
