package svd

import (
	"context"
	"errors"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tuning"
)

// UnverifiedError says that the result did not pass its certificate, and that a second result, by
// slower and simpler methods (the safe path), did not pass, either. So the device or vkevd computes
// wrong results.
type UnverifiedError struct {
	// First is the certificate of the first result. It is nil if the first solve failed before it
	// had a result. Safe is the certificate of the second result, which the safe path computed.
	First, Safe *Certificate
}

// Error returns a text with all numbers of both certificates, and with the threshold.
func (e *UnverifiedError) Error() string {
	return spectrum.Unverified(e.First, e.Safe, evd.Threshold)
}

// maxSafeQR is the largest number of singular values for which the safe path computes the vectors of
// the bidiagonal matrix on the host, by QR iteration. For this number the computation takes minutes.
const maxSafeQR = 2048

// safely returns the tuning of the safe path, which computes a second result for Options.Verify. On
// this path no workgroup waits for another workgroup, and all products are native.
func safely(t tuning.Tuning) tuning.Tuning {
	t.Waits.Wavefront = true
	return t
}

// prepareSafe makes the stages of the safe path, for a plan with Options.Verify. They share the
// memory of the plan's other stages, because both never run at the same time.
func (p *Plan[T]) prepareSafe() (err error) {
	wanted := p.emulates
	p.emulates = choice{}
	p.safe, err = p.compile(safely(p.tune))
	if p.emulates = wanted; err != nil {
		return err
	}
	if n := p.base.N; p.vectors() && n <= maxSafeQR {
		p.safe.steps.conquer = p.safe.doubles.iteration(p.base.Dev, n, p.safe.steps.conquer)
	}
	p.shared = p.safe.memory()
	return nil
}

// computed returns the options with both sides of the vectors if one side is wanted and results are
// verified. The residual, which proves the vectors, needs both sides.
func (o Options) computed() Options {
	if o.Verify && (o.U != None || o.V != None) {
		o.U, o.V = max(o.U, Thin), max(o.V, Thin)
	}
	o.Certify = o.Certify || o.Verify
	return o
}

// verified solves for Options.Verify. It first uses the plan's usual methods. If the result does not
// pass its certificate, or if a method failed, it solves again on the safe path. A value that
// overflows may be a wrong value, so it also needs the second solve. If it overflows again, the
// result is returned beside the *evd.OverflowError. Any other error would also happen on the safe path, so `verified` returns it without a second solve. A wait between
// workgroups that fails is handled within the first solve (see Plan.Solve). The profile of the result
// has the times of both solves.
func (p *Plan[T]) verified(ctx context.Context, a evd.Dense[T], report func(evd.Progress)) (*Result[T], error) {
	first, err := p.survive(ctx, a, report)
	switch {
	case err == nil && first.Certificate.Passed():
		return only(p.asked, first), nil
	case err != nil && !methodFailed(err) && !overflows(err):
		return nil, err
	}
	if first != nil {
		first.U, first.V = nil, nil // their memory may be collected
	}
	c := p.base.Begin(ctx, spectrum.ProgressOf(p.Costs(), report))
	res, err := p.solve(c, p.safe, a)
	if res == nil {
		return nil, err
	}
	res.Certificate.Safe = true
	failed := &UnverifiedError{Safe: res.Certificate}
	if first != nil {
		failed.First = first.Certificate
		res.Profile.Merge(first.Profile)
		res.Retried = first.Retried
	}
	switch {
	case err != nil: // the same value overflows on the safe path
		return only(p.asked, res), err
	case !res.Certificate.Passed():
		return nil, failed
	}
	return only(p.asked, res), nil
}

// only removes the vectors of a side that the options do not ask for, and returns `res`.
func only[T evd.Float](o Options, res *Result[T]) *Result[T] {
	if o.U == None {
		res.U = nil
	}
	if o.V == None {
		res.V = nil
	}
	return res
}

// methodFailed reports whether err says that one of the solve's methods has failed. A solve by
// another method may succeed then.
func methodFailed(err error) bool {
	return errors.As(err, new(*evd.StageError)) || errors.As(err, new(*evd.NoConvergenceError))
}

// verifyVectors measures the vectors of `res` and adds their ratios to its certificate.
func (s *solve[T]) verifyVectors(a evd.Dense[T], res *Result[T]) error {
	r, err := s.measure(a, res)
	res.Certificate.Vectors = &r
	return spectrum.During(stages.PhaseCheck, err)
}
