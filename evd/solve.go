package evd

import (
	"context"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Solve computes the spectrum of a, or the part selected. Errors: *ShapeError, *NonFiniteError (the
// first entry of the referenced triangle that is NaN or infinite), ctx.Err()
// when the context ends first, *TooManyError,
// *NoConvergenceError (never seen), *StageError, and those of the device.
//
// The method, as LAPACK's dsyevd_2stage has it:
//
//	σ·A = Q1·B·Q1ᵀ         to a band
//	  B = Q2·T·Q2ᵀ         to tridiagonal form, chasing bulges
//	  T = S·Λ·Sᵀ           what is selected of it, by Options.Solver
//	  Q = Q1·(Q2·S)        back
//
// With Options.Verify the result comes with a Certificate that has passed, or the error
// is an *UnverifiedError.
func (p *Plan[T]) Solve(ctx context.Context, a Sym[T]) (*Result[T], error) {
	p.busy.Lock()
	defer p.busy.Unlock()
	if err := p.accepts(a); err != nil {
		return nil, err
	}
	if p.opt.Verify {
		return p.verified(ctx, a)
	}
	return p.solve(ctx, a)
}

// solve is Solve once, for a matrix that fits. With Options.Verify it certifies its result,
// whatever comes of that.
func (p *Plan[T]) solve(ctx context.Context, a Sym[T]) (*Result[T], error) {
	s := p.begin(ctx)
	if p.n <= 1 {
		return s.trivial(a)
	}
	sigma, err := scale(a)
	if err != nil {
		return nil, err
	}
	t, err := s.reduce(a, sigma)
	if err != nil {
		return nil, err
	}
	room := newRoom[T](ctx)
	defer room.leave()
	f, err := s.steps.spectral.solve(s.call, t, sigma, func(m int) { s.makeRoom(room, a, m) })
	if err != nil {
		return nil, err
	}
	res := &Result[T]{First: f.first, Values: unscale[T](f.values, sigma), Profile: s.profile, Tree: s.tree}
	if p.opt.Verify {
		if res.Certificate, err = s.certifyValues(a, sigma, f); err != nil {
			return nil, err
		}
	}
	if p.opt.Vectors {
		q, err := s.transformBack(f.x)
		if err != nil {
			return nil, err
		}
		if res.Vectors, err = fetch(s.call, room.ready(), q); err != nil {
			return nil, err
		}
	}
	if p.opt.Verify && p.opt.Vectors {
		res.Certificate.Ratios, err = p.check(ctx, a, res)
	}
	return res, err
}

// reduce is A → B → T. It is recorded while A is on its way.
func (s *solve[T]) reduce(a Sym[T], sigma float64) (host Tridiagonal[float64], err error) {
	recorded := make(chan *vk.Recorder)
	go func() {
		recorded <- s.record(func(rec *vk.Recorder) { host = s.recordReduction(rec, a.Uplo, sigma) })
	}()
	err = s.upload(s.ctx, a)
	rec := <-recorded
	if err == nil {
		err = s.execute(rec)
	}
	return host, err
}

func (s *solve[T]) recordReduction(rec *vk.Recorder, uplo Uplo, sigma float64) (host Tridiagonal[float64]) {
	r, t, ws := &s.regions, s.steps.spectral, s.arena
	s.recordLoad(rec, uplo, sigma)
	rec.Phase(stages.PhaseBandReduction, 0, 1)
	s.steps.band.Record(rec, ws, s.matrixA(), r.band.In(ws), r.t.In(ws))
	s.info(rec, stages.PhaseBandReduction, s.steps.band.Info(ws))
	rec.Phase(stages.PhaseBulgeChasing, 0, 1)
	s.steps.chase.Record(rec, ws, r.band.In(ws), t.d.In(ws), t.e.In(ws), r.v.In(ws), r.tau.In(ws))
	s.info(rec, stages.PhaseBulgeChasing, s.steps.chase.Info(ws))
	return t.receive(rec, ws)
}

// transformBack is Sᵀ → Qᵀ → Q, which takes A's place. It returns what is to be downloaded: Q, or Qᵀ, whose
// columns are the rows of Q.
func (s *solve[T]) transformBack(x stages.Matrix) (q stages.Matrix, err error) {
	r, ws := &s.regions, s.arena
	q = stages.NewMatrix(r.a.In(ws), s.n, x.Rows, s.n)
	if x.Rows == 0 {
		return q, nil
	}
	err = s.run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseApplyQ2, 0, 1)
		s.steps.q2.Record(rec, ws, r.v.In(ws), r.tau.In(ws), x)
		s.info(rec, stages.PhaseApplyQ2, s.steps.q2.Info(ws))
		rec.Phase(stages.PhaseApplyQ1, 0, 1)
		s.steps.q1.Record(rec, ws, s.matrixA(), r.t.In(ws), x)
		q = s.steps.finish.record(rec, x, q)
	})
	return q, err
}

// matrixA is the dense matrix; after the band reduction its reflectors, at the
// end the eigenvectors.
func (p *Plan[T]) matrixA() stages.Matrix {
	return stages.NewMatrix(p.regions.a.In(p.arena), p.n, p.n, p.n)
}
