package mrrr

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// Every back end must make these decisions in the same way. The kernels have copies of these
// constants.
const (
	// Candidates is the number of shifts that are tried for a cluster, all at the same time.
	Candidates = 8

	// GoodGrowth is a bound on the largest element of a representation, for a norm of about 1. If a
	// candidate is within this bound, no further candidates are tried.
	GoodGrowth = 8

	// SharpTol is the relative length of an interval in which an eigenvalue is known to the last
	// digits.
	SharpTol = 4 * tridiag.Ulp

	// Samples is the number of samples that Backend.Sums computes.
	Samples = 4

	// MoveMargin is the width that Move adds to both sides of an interval, in ulps of its ends and
	// of the shift.
	MoveMargin = 4

	// QuotientSteps is the largest number of steps of the Rayleigh quotient iteration for a vector.
	// If the iteration has not ended by then, bisection to LastTol and one more step follow.
	QuotientSteps = 8

	// LastTol is the relative length of the interval at which the bisection after QuotientSteps
	// ends.
	LastTol = 2 * tridiag.Ulp
)

// Negative tells whether column c has a negative sign in the given sample. The sign is a random
// number that depends on c and sample alone.
func Negative(c, sample uint32) bool {
	x := (c+1)*0x9e3779b9 ^ (sample+1)*0x85ebca6b
	x = (x ^ x>>16) * 0x7feb352d
	x = (x ^ x>>15) * 0x846ca68b
	return (x^x>>16)&1 != 0
}

// Move takes an interval [lo, hi] of the parent representation, and returns an interval of the
// child with shift τ that contains the same eigenvalues.
func Move(lo, hi, tau float64) (float64, float64) {
	margin := MoveMargin * tridiag.Ulp * max(math.Abs(lo), math.Abs(hi), math.Abs(tau))
	return (lo - tau) - margin, (hi - tau) + margin
}

// Choose returns the index of the best candidate for a cluster's shift, given the growth of each.
// The candidates come in pairs, left and right of the cluster, the nearest pair first. Choose takes
// the better candidate of the first pair that is within GoodGrowth. If there is none, it takes the
// best of all.
func Choose(growth []float64) int {
	best := 0
	for j := 0; j < Candidates; j += 2 {
		for i := j; i < j+2; i++ {
			if growth[i] < growth[best] {
				best = i
			}
		}
		if growth[best] <= GoodGrowth {
			break
		}
	}
	return best
}
