package evd

import "github.com/vkevd/vkevd/evd/internal/plan"

// UnverifiedError says that the result did not pass its certificate, and that a second result, by
// the slower and simpler methods of the safe path, did not pass, either. So the device or vkevd
// computes wrong results.
type UnverifiedError struct {
	// First is the certificate of the first result. It is nil if the first solve failed before it
	// had a result. Safe is the certificate of the second result, which the safe path computed. It
	// is nil in a *pencil.UnverifiedError of a solve that has no safe path.
	First, Safe *Certificate
}

// Error returns a text with all numbers of both certificates, and with the threshold.
func (e *UnverifiedError) Error() string {
	return plan.Unverified(e.First, e.Safe, Threshold)
}

func verifiable[T Number](r *Result[T]) plan.Verifiable {
	return plan.Verifiable{
		Passed: r.Certificate.Passed(), Safe: &r.Certificate.Safe,
		Profile: r.Profile, Retried: &r.Retried, DropVectors: func() { r.Vectors = nil },
	}
}

// unverified returns the error about two results that have not passed; there may be no first one.
func unverified[T Number](first, safe *Result[T]) error {
	e := &UnverifiedError{Safe: safe.Certificate}
	if first != nil {
		e.First = first.Certificate
	}
	return e
}
