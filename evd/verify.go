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
