package evd

import (
	"context"
	"errors"

	"github.com/vkevd/vkevd/evd/spectrum"
)

// UnverifiedError says that the result did not pass its certificate, and that a second result, by
// the slower and simpler methods of the safe path, did not pass, either. So the device or vkevd
// computes wrong results.
type UnverifiedError struct {
	// First is the certificate of the first result. It is nil if the first solve failed before it
	// had a result. Safe is the certificate of the second result, which the safe path computed.
	First, Safe *Certificate
}

// Error returns a text with all numbers of both certificates, and with the threshold.
func (e *UnverifiedError) Error() string {
	return spectrum.Unverified(e.First, e.Safe, Threshold)
}

// With Options.Verify, a second solve uses slower and simpler methods. maxSafeQR is the largest
// order for which this second solve computes the vectors on the host, by QR iteration. For this
// order the computation takes minutes.
const maxSafeQR = 2048

// safely returns the options of the safe path, which computes a second result for Options.Verify.
// On this path no workgroup waits for another workgroup, bisection computes the values, and QR
// iteration on the host computes the vectors.
func (opt Options) safely(n int) Options {
	opt.NoWaits, opt.Products = true, ProductsNative
	switch {
	case !opt.Vectors:
		opt.Solver = Bisection
	case n <= maxSafeQR:
		opt.Solver = QR
	}
	return opt
}

// verified solves for Options.Verify. It first uses the plan's usual methods. If the result does
// not pass its certificate, or if a method failed, it solves again by slower and simpler methods,
// the safe path. A value that overflows may be a wrong value, so it also needs the second solve. If
// it overflows again, the result is returned beside the *OverflowError. Any other error would also happen on the safe path, so `verified` returns it
// without a second solve. A wait between workgroups that fails is handled within the first solve
// (see Plan.Solve). The profile of the result has the times of both solves.
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
	if err != nil && !methodFailed(err) && !overflows(err) {
		return nil, err
	}
	if first != nil {
		first.Vectors = nil // their memory may be collected
	}
	res, err := p.solveBy(p.safe, p.begin(ctx, p.safe, report), a)
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
		return res, err
	case !res.Certificate.Passed():
		return nil, failed
	}
	return res, nil
}

// methodFailed reports whether err says that one of the solve's methods has failed. A solve by
// another method may succeed then.
func methodFailed(err error) bool {
	return errors.As(err, new(*StageError)) || errors.As(err, new(*NoConvergenceError))
}
