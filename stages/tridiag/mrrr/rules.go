package mrrr

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// What every back end has to decide in the same way. The kernels have copies.
const (
	// Candidates is the number of shifts that are tried for a cluster, all at the same time.
	Candidates = 8

	// GoodGrowth is the largest element of a representation, for a norm of about 1, with which no
	// further candidates are looked at.
	GoodGrowth = 8

	// SharpTol is the relative length of an interval that is known to the last digits.
	SharpTol = 4 * tridiag.Ulp

	// Samples is the number of samples of Sums.
	Samples = 4

	// MoveMargin is what Move adds to both sides of an interval, in ulps of its ends and of the
	// shift.
	MoveMargin = 4

	// QuotientSteps is the largest number of steps of the Rayleigh quotient iteration for a vector.
	// Bisection to LastTol follows, and one more step.
	QuotientSteps = 8

	// LastTol is the relative length of the interval in which that bisection ends.
	LastTol = 2 * tridiag.Ulp
)

// Negative returns the sign of column c in a sample, a random number that is fixed for both.
func Negative(c, sample uint32) bool {
	x := (c+1)*0x9e3779b9 ^ (sample+1)*0x85ebca6b
	x = (x ^ x>>16) * 0x7feb352d
	x = (x ^ x>>15) * 0x846ca68b
	return (x^x>>16)&1 != 0
}

// Move returns an interval of the representation with shift τ that contains what [lo, hi] contains
// in its parent.
func Move(lo, hi, tau float64) (float64, float64) {
	margin := MoveMargin * tridiag.Ulp * max(math.Abs(lo), math.Abs(hi), math.Abs(tau))
	return (lo - tau) - margin, (hi - tau) + margin
}

// Choose returns the best candidate for a cluster's shift, given the growth of each. The candidates
// come in pairs, left and right of the cluster, the nearest pair first. It is the better one of the
// first pair with GoodGrowth, or else the best of all.
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
