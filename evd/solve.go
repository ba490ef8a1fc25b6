package evd

import (
	"context"
	"errors"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Solve computes the spectrum of a. Errors: *ShapeError, *NonFiniteError (the
// first entry of the referenced triangle that is NaN or infinite), ctx.Err()
// when the context ends first, *NoConvergenceError (never seen), *StageError, and those of the device.
//
// The method, as LAPACK's dsyevd_2stage has it:
//
//	σ·A = Q1·B·Q1ᵀ         to a band
//	  B = Q2·T·Q2ᵀ         to tridiagonal form, chasing bulges
//	  T = S·Λ·Sᵀ           bisection, or divide and conquer with vectors
//	  Q = Q1·(Q2·S)        back
func (p *Plan[T]) Solve(ctx context.Context, a Sym[T]) (*Result[T], error) {
	if err := p.accepts(a); err != nil {
		return nil, err
	}
	s := p.begin(ctx)
	if p.n <= 1 {
		return s.trivial(a)
	}
	sigma, err := p.upload(ctx, a)
	if err != nil {
		return nil, err
	}
	if err := s.reduce(a.Uplo, sigma); err != nil {
		return nil, err
	}
	var values []float64
	if p.opt.Vectors {
		values, err = s.divide()
	} else {
		values, err = s.bisect()
	}
	if err != nil {
		return nil, err
	}
	res := &Result[T]{Values: unscale[T](values, sigma), Profile: s.profile}
	if p.opt.Vectors {
		if err := s.transformBack(); err != nil {
			return nil, err
		}
		if res.Vectors, err = s.download(a); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// reduce is A → B → T.
func (s *solve[T]) reduce(uplo Uplo, sigma float64) error {
	r, ws := &s.regions, s.arena
	err := s.run(func(rec *vk.Recorder) {
		s.recordLoad(rec, uplo, sigma)
		rec.Phase(stageBand, 0, 1)
		s.steps.band.Record(rec, ws, s.matrixA(), r.band.In(ws), r.t.In(ws))
		rec.Phase(stageChase, 0, 1)
		s.steps.chase.Record(rec, ws, r.band.In(ws), r.d.In(ws), r.e.In(ws), r.v.In(ws), r.tau.In(ws))
	})
	if err != nil {
		return err
	}
	return s.info(stageChase, s.steps.chase.Info(ws))
}

// bisect is T → λ.
func (s *solve[T]) bisect() ([]float64, error) {
	r, ws := &s.regions, s.arena
	err := s.run(func(rec *vk.Recorder) {
		rec.Phase(stageBisect, 0, 1)
		s.steps.bisect.Record(rec, ws, r.d.In(ws), r.e.In(ws), r.values.In(ws))
	})
	if err != nil {
		return nil, err
	}
	values := make([]float64, s.n)
	return values, vk.Download(s.ctx, s.dev, vk.Vector(values), r.values.In(ws))
}

// divide is T → Λ, Sᵀ.
func (s *solve[T]) divide() ([]float64, error) {
	r, ws, n := &s.regions, s.arena, s.n
	d, e := make([]float64, n), make([]float64, n-1)
	if err := vk.Download(s.ctx, s.dev, vk.Vector(d), r.d.In(ws)); err != nil {
		return nil, err
	}
	if err := vk.Download(s.ctx, s.dev, vk.Vector(e), r.e.In(ws)); err != nil {
		return nil, err
	}
	values, profile, err := s.steps.divide.Solve(s.ctx, ws, d, e, s.matrixX())
	s.profile.Merge(profile)
	var failed *stages.NoConvergenceError
	if errors.As(err, &failed) {
		err = &NoConvergenceError{Stage: stageDivide, Index: failed.Lo}
	}
	return values, err
}

// transformBack is Sᵀ → Qᵀ → Q, which takes A's place.
func (s *solve[T]) transformBack() error {
	r, ws := &s.regions, s.arena
	return s.run(func(rec *vk.Recorder) {
		rec.Phase(stageQ2, 0, 1)
		s.steps.q2.Record(rec, ws, r.v.In(ws), r.tau.In(ws), s.matrixX())
		rec.Phase(stageQ1, 0, 1)
		s.steps.q1.Record(rec, ws, s.matrixA(), r.t.In(ws), s.matrixX())
		rec.Phase(stageTranspose, 0, 1)
		s.steps.transpose.Record(rec, s.matrixX(), s.matrixA())
		s.steps.signs.Record(rec, s.matrixA())
	})
}

// matrixA is the dense matrix; after the band reduction its reflectors, at the
// end the eigenvectors.
func (p *Plan[T]) matrixA() stages.Matrix {
	return stages.NewMatrix(p.regions.a.In(p.arena), p.n, p.n, p.n)
}

// matrixX is the vectors while they are transformed, transposed.
func (p *Plan[T]) matrixX() stages.Matrix {
	return stages.NewMatrix(p.regions.x.In(p.arena), p.n, p.n, p.n)
}
