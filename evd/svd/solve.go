package svd

import (
	"context"
	"fmt"
	"slices"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Result is what Solve returns.
type Result[T evd.Float] struct {
	Values      []T          // the singular values, descending: all, or the largest
	Certificate *Certificate // with Options.Certify; it may have failed
	Profile     *vk.Profile  // seconds by phase

	// Retried is the wait between workgroups that failed, after which the plan solved again without
	// waiting; else nil. The profile then has the time of the first attempt in one line.
	Retried *evd.StageError
}

// Solve computes the singular values of a, which it does not change. The method, for a matrix with at
// least as many rows as columns, or else for its transpose:
//
//	σ·A = Q1·[B; 0]·P1ᵀ     to an upper band
//	  B = Q2·C·P2ᵀ          to bidiagonal form, by bulge chasing
//	  [0 Cᵀ; C 0]           its eigenvalues are ±σᵢ, found by bisection: sorted by rows and columns in
//	                        turn it is tridiagonal with a zero diagonal (Golub and Kahan, 1965)
//
// Errors: *ShapeError, *evd.NonFiniteError for an entry that is NaN or infinite, ctx.Err() if the
// context ends first, *evd.StageError, evd.ErrClosed after Close, and those of the device. A wait
// between workgroups that fails is no error: the plan solves once more without waiting, and stays on
// that path, as evd's Plan.Solve says.
func (p *Plan[T]) Solve(ctx context.Context, a evd.Dense[T]) (*Result[T], error) {
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.accepts(a); err != nil {
		return nil, err
	}
	report := spectrum.Rising(p.opt.Progress)
	return spectrum.Survive(
		func() *spectrum.Call { return p.base.Begin(ctx, spectrum.ProgressOf(p.Costs(), report)) },
		func(c *spectrum.Call) (*Result[T], error) { return p.solve(c, a) },
		p.avoidWaiting)
}

// solve solves on the plan's path, for a matrix that the plan accepts.
func (p *Plan[T]) solve(c *spectrum.Call, a evd.Dense[T]) (*Result[T], error) {
	s := &solve[T]{p, c}
	if p.cols == 0 {
		return s.result([]T{}, &Certificate{}), nil
	}
	largest, err := scan(a)
	if err != nil {
		return nil, err
	}
	sigma := scaling(largest)
	t, err := s.reduce(a, sigma)
	if err != nil {
		return nil, err
	}
	var certificate *Certificate
	tail := spectrum.Tail[T]{Stage: p.steps.values, Sigma: sigma}
	if p.opt.Certify {
		tail.Certify = func(part spectrum.Part) (err error) {
			certificate, err = s.certify(a, sigma, t, part)
			return err
		}
	}
	r, err := tail.Run(s.Call, t)
	if err != nil {
		return nil, err
	}
	for i, v := range r.Values {
		r.Values[i] = max(v, 0) // bisection may end just below zero
	}
	slices.Reverse(r.Values)
	return s.result(r.Values, certificate), nil
}

// result is what Solve returns. The certificate is left out unless it is wanted.
func (s *solve[T]) result(values []T, c *Certificate) *Result[T] {
	if !s.opt.Certify {
		c = nil
	}
	return &Result[T]{Values: values, Certificate: c, Profile: s.Profile, Retried: s.Retried}
}

// solve is a plan and the call that uses it, in flight.
type solve[T evd.Float] struct {
	*Plan[T]
	*spectrum.Call
}

// reduce is A → B → C. It records on another goroutine while A is being uploaded. The Golub-Kahan form
// of C stays on the device, and a copy comes to the host.
func (s *solve[T]) reduce(a evd.Dense[T], sigma float64) (host spectrum.Tridiagonal, err error) {
	recorded := make(chan *vk.Recorder)
	go func() {
		recorded <- s.Record(func(rec *vk.Recorder) { host = s.recordReduction(rec, a) })
	}()
	err = s.upload(a, sigma)
	rec := <-recorded
	if err == nil {
		err = s.Execute(rec)
	}
	return host, err
}

// recordReduction records the stages of reduce.
func (s *solve[T]) recordReduction(rec *vk.Recorder, a evd.Dense[T]) spectrum.Tridiagonal {
	r, t, ws := &s.regions, s.steps.values, s.Arena
	s.recordLoad(rec, a)
	rec.Phase(stages.PhaseBandReduction, 0, 1)
	s.steps.band.Record(rec, ws, s.matrixA(), r.band.In(ws), r.left.In(ws), r.right.In(ws))
	for _, info := range s.steps.band.Infos(ws) {
		s.Info(rec, stages.PhaseBandReduction, info)
	}
	rec.Phase(stages.PhaseBulgeChasing, 0, 1)
	vk.Fill(rec, t.D(ws), 0)
	none := stages.Reflectors[float64]{}
	s.steps.chase.Record(rec, ws, r.band.In(ws), stages.GolubKahan(t.E(ws).Sub(0, 2*s.cols-1)), none, none)
	s.Info(rec, stages.PhaseBulgeChasing, s.steps.chase.Info(ws))
	return t.Receive(rec, ws)
}

// ShapeError says that a matrix does not fit its storage or the plan.
type ShapeError struct {
	Rows, Cols, Ld, Len int // of the matrix
	PlanRows, PlanCols  int
}

func (e *ShapeError) Error() string {
	if e.Rows != e.PlanRows || e.Cols != e.PlanCols {
		return fmt.Sprintf("matrix of %d×%d given to a plan for %d×%d", e.Rows, e.Cols, e.PlanRows, e.PlanCols)
	}
	return fmt.Sprintf("matrix of %d×%d with leading dimension %d in %d elements", e.Rows, e.Cols, e.Ld, e.Len)
}
