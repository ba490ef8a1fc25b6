package evd

import (
	"context"
	"errors"
	"fmt"
)

// UnverifiedError says that neither the plan's path nor the safe path gave a result that passed its
// certificate. So the device computes wrongly, or vkevd does. First is nil if the first path failed
// before it had a result.
type UnverifiedError struct {
	// First is the certificate of the plan's path, and Safe that of the safe path.
	First, Safe *Certificate
}

// Error names all numbers of both certificates, and the threshold.
func (e *UnverifiedError) Error() string {
	first := "no result"
	if e.First != nil {
		first = e.First.String()
	}
	return fmt.Sprintf("no result can be verified: %s; on the safe path: %v; each must be below %d",
		first, e.Safe, Threshold)
}

// maxSafeQR is the order up to which the safe path finds vectors on the host. At this order it
// takes minutes.
const maxSafeQR = 2048

// safely returns the options of the safe path: no workgroup waits for another, bisection finds the
// values, and QR iteration on the host finds the vectors.
func (opt Options) safely(n int) Options {
	opt.Wavefront, opt.Products = true, ProductsNative
	switch {
	case !opt.Vectors:
		opt.Solver = Bisection
	case n <= maxSafeQR:
		opt.Solver = QR
	}
	return opt
}

// verified solves on the first path. If the result does not pass its certificate, or if a method of
// the path failed, it solves again on the safe path. (A wait that fails is handled within the first
// path, see Plan.Solve.) Other errors are returned at once, because they would also happen on the
// safe path. The profile of the result has the time of both.
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

// methodFailed tells whether err is the failure of a method, where another method may succeed.
func methodFailed(err error) bool {
	return errors.As(err, new(*StageError)) || errors.As(err, new(*NoConvergenceError))
}
