package pencil

import (
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
)

// Result is the spectrum of a pair, or the selected part of it. The embedded evd.Result has the
// values in ascending order and the vectors, which are normalised as the package comment says. The
// largest component of each vector is positive, for complex vectors real and positive.
//
// Result.Certificate is set with Options.Verify. Its ratios are those of Plan.Check, the errors of
// the vectors. Let C be the matrix of the standard problem, for example L⁻¹·A·L⁻ᴴ. Counts proves that
// the values are those of the tridiagonal matrix to which C was reduced. Invariants is 0, so without
// vectors nothing checks the factor of B, C and the reduction of C. A result passes Verify if both
// ratios are below Threshold. Certificate.Passed compares with the larger evd.Threshold.
//
// Result.Refinement is nil unless the vectors were refined: by Options.Refine, or because Verify
// found a residual that does not pass. Steps is the number of steps that the result contains: 1 or
// 2, or 0 if no step has helped, and then the result is that of the solve. Cold is the reason if a
// step could not be done. The values of a result with Steps > 0 are quotients xᴴAx / xᴴBx of the
// vectors x before the last step. Its Certificate.Counts is 0, because nothing is counted. The
// ratios prove that no eigenvalue is left out if 10·n·ε·Condition is below 1.
type Result[T evd.Number] struct {
	evd.Result[T]

	// Condition is that of the Factorization.
	Condition float64

	// Dropping is that of the Factorization.
	Dropping
}

// Threshold is the bound of Options.Verify for both ratios of Check.
const Threshold = 10

func verifiable[T evd.Number](r *Result[T]) plan.Verifiable {
	c := r.Certificate
	return plan.Verifiable{
		Passed: c.Residual < Threshold && c.Orthogonality < Threshold && c.Counts < evd.Threshold, Safe: &c.Safe,
		Profile: r.Profile, Retried: &r.Retried, DropVectors: func() { r.Vectors = nil },
	}
}

// newResult makes the Result of a solve from the values, and from the vectors of the scaled pair,
// which it multiplies by the factor `lengthen`.
func newResult[T evd.Number](c *plan.Call, r spectrum.Result[T], rowMajor bool, lengthen float64) *Result[T] {
	res := &Result[T]{Result: evd.Result[T]{First: r.First, Values: r.Values, Profile: c.Profile, Tree: c.Tree, Retried: c.Retried}}
	for _, z := range r.Vectors {
		dense.Multiply(z.Data, lengthen)
		res.Vectors = (*evd.Dense[T])(plan.DenseOf(z, rowMajor))
	}
	return res
}

// overflow returns an *evd.OverflowError if a value of the result is beyond the largest double.
func (r *Result[T]) overflow() error {
	return plan.OverflowOf(r.Values, r.First, false, r.Certificate, func(c *evd.Certificate) { c.Counts = math.Inf(1) })
}
