package mrrr

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// Every Backend must use these constants in the same way. The kernels have copies of them.
const (
	Candidates = 8

	// GoodGrowth is a limit for the largest element of a representation whose norm is about 1. If a
	// candidate for a shift gives a representation within this limit, the pairs of candidates after
	// it are not considered (see Choose).
	GoodGrowth = 8

	// SharpTol is the relative length of an interval that determines an eigenvalue to the last
	// digits.
	SharpTol = 4 * tridiag.Ulp

	// Samples is the number of sums with random signs that check the vectors.
	Samples = 4

	// MoveMargin is the width that Move adds on each side of an interval, in ulps of the largest
	// magnitude of its ends and of the shift.
	MoveMargin = 4

	// QuotientSteps is the largest number of steps of the Rayleigh quotient iteration for a vector.
	// If the iteration has not converged after these steps, a bisection to the relative length
	// LastTol and one more step follow.
	QuotientSteps = 8

	LastTol = 2 * tridiag.Ulp
)

// Negative tells whether column c of the vectors has a negative sign in the given sum. The sign is
// a random number that depends only on c and `sample`.
func Negative(c, sample uint32) bool {
	x := (c+1)*0x9e3779b9 ^ (sample+1)*0x85ebca6b
	x = (x ^ x>>16) * 0x7feb352d
	x = (x ^ x>>15) * 0x846ca68b
	return (x^x>>16)&1 != 0
}

// Move returns an interval of the representation L·D·Lᵀ − tau·I with the eigenvalues of the
// interval [lo, hi] of L·D·Lᵀ, each minus `tau`.
func Move(lo, hi, tau float64) (float64, float64) {
	margin := MoveMargin * tridiag.Ulp * max(math.Abs(lo), math.Abs(hi), math.Abs(tau))
	return (lo - tau) - margin, (hi - tau) + margin
}

// Choose returns the index of the best candidate for a cluster's shift, where `growth[j]` is the
// largest element of the representation with candidate j. The candidates come in pairs, one shift
// below and one above the cluster, the nearest pair first. Choose takes the better candidate of the
// first pair in which at least one has a `growth` of at most GoodGrowth. If there is no such pair,
// it takes the best of all.
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
