package evd

import (
	"context"

	"github.com/vkevd/vkevd/evd/internal/plan"
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
	return plan.Unverified(e.First, e.Safe, Threshold)
}

// safely returns the options of the safe path, which computes a second result for Options.Verify.
// On this path no workgroup waits for another workgroup, and all products are native. If no vectors
// are wanted, bisection computes the values. Otherwise QR iteration on the host solves the
// tridiagonal problem up to order plan.MaxSafeQR, and the solver of the options above this order.
func (opt Options) safely(n int) Options {
	opt.NoWaits, opt.Products = true, ProductsNative
	switch {
	case !opt.Vectors:
		opt.Solver = Bisection
	case n <= plan.MaxSafeQR:
		opt.Solver = QR
	}
	return opt
}

// solveSafely solves once more on the safe path, after the result `first` did not pass its
// certificate. `first` is nil if a method failed. The profile of the result has the times of both
// solves.
func (p *Plan[T]) solveSafely(ctx context.Context, a Sym[T], first *Result[T], report func(Progress)) (*Result[T], error) {
	if first != nil {
		first.Vectors = nil // their memory may be collected
	}
	res, err := p.solveBy(p.safe, p.begin(ctx, p.safe, report), a)
	if res != nil {
		res.Certificate.Safe = true
	}
	if res != nil && first != nil {
		res.Profile.Merge(first.Profile)
		res.Retried = first.Retried
	}
	return res, err
}

func passed[T Number](r *Result[T]) bool { return r.Certificate.Passed() }

// unverified returns the error about two results that have not passed; there may be no first one.
func unverified[T Number](first, safe *Result[T]) error {
	e := &UnverifiedError{Safe: safe.Certificate}
	if first != nil {
		e.First = first.Certificate
	}
	return e
}
