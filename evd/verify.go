package evd

import (
	"context"
	"errors"
	"fmt"
)

// UnverifiedError says that neither the plan's path nor the safe path gave a result that passed its
// certificate: the device computes wrongly, or vkevd does. First is nil if the first path failed
// before it had a result.
type UnverifiedError struct {
	// First is the certificate of the plan's path, Safe that of the safe path.
	First, Safe *Certificate
}

// Error has all numbers of both certificates, and the threshold.
func (e *UnverifiedError) Error() string {
	first := "no result"
	if e.First != nil {
		first = e.First.String()
	}
	return fmt.Sprintf("no result can be verified: %s; on the safe path: %v; each must be below %d",
		first, e.Safe, Threshold)
}

// maxSafeQR is the order up to which the safe path finds vectors on the host, where that takes
// minutes.
const maxSafeQR = 2048

// safely is the options of the safe path: no workgroup waits for another, and values are found by
// bisection, vectors by QR iteration on the host.
func (opt Options) safely(n int) Options {
	opt.Wavefront = true
	switch {
	case !opt.Vectors:
		opt.Solver = Bisection
	case n <= maxSafeQR:
		opt.Solver = QR
	}
	return opt
}

// verified solves on the first path. If the result does not pass its certificate, or a method of
// the path failed, it solves again on the safe path. (A wait that fails is not such a failure: the
// first path survives it by itself, see Plan.Solve.) Other errors are returned at once: the safe
// path would meet them, too. The profile of the result has the time of both.
func (p *Plan[T]) verified(ctx context.Context, a Sym[T], report func(Progress)) (*Result[T], error) {
	first, err := p.solve(ctx, a, report)
	if p.base.N <= 1 { // exact
		if err == nil {
			first.Certificate = &Certificate{}
		}
		return first, err
	}
	if err == nil && first.Certificate.Passed() {
		return first, nil
	}
	if err != nil && !methodFailed(err) {
		return nil, err
	}
	if first != nil {
		first.Vectors = nil // their memory may be collected
	}
	res, err := p.solveBy(p.safe, p.begin(ctx, p.safe, report), a)
	if err != nil {
		return nil, err
	}
	res.Certificate.Safe = true
	failed := &UnverifiedError{Safe: res.Certificate}
	if first != nil {
		failed.First = first.Certificate
		res.Profile.Merge(first.Profile)
		res.Retried = first.Retried
	}
	if !res.Certificate.Passed() {
		return nil, failed
	}
	return res, nil
}

// methodFailed says whether a method failed, where another may not.
func methodFailed(err error) bool {
	return errors.As(err, new(*StageError)) || errors.As(err, new(*NoConvergenceError))
}
