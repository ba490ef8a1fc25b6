package evd

import (
	"math"

	"github.com/vkevd/vkevd/evd/spectrum"
)

// Ratios are LAPACK's measures of a set of eigenpairs: errors in units of what rounding may cost.
// Below 60 LAPACK calls a two-stage solver right; good ones stay below 10. A NaN anywhere gives
// +Inf.
type Ratios struct {
	// Residual is ‖A·Z − Z·Λ‖₁ / (‖A‖₁·n·ulp), as in dsyt22.
	Residual float64 `json:"residual"`

	// Orthogonality is ‖ZᵀZ − I‖₁ / (n·ulp).
	Orthogonality float64 `json:"orthogonality"`
}

// Threshold is the ratio from which on LAPACK's tests of two-stage solvers fail.
const Threshold = 60

// Passed says whether both ratios are below Threshold.
func (r Ratios) Passed() bool { return r.Residual < Threshold && r.Orthogonality < Threshold }

// newRatios divides the largest of the column sums, of |A·Z − Z·Λ| and of |ZᵀZ − I|, by what
// rounding may cost for order n. norm is ‖A‖₁, or its bound from below.
func newRatios(sums [2][]float64, norm float64, n int) Ratios {
	unit := float64(n) * spectrum.Ulp
	return Ratios{quotient(largest(sums[0]), norm, unit), quotient(largest(sums[1]), 1, unit)}
}

// largest is the maximum of v and 0, or NaN if v has one.
func largest(v []float64) float64 {
	top := 0.0
	for _, x := range v {
		if math.IsNaN(x) {
			return x
		}
		top = max(top, x)
	}
	return top
}

// quotient is x/(norm·unit): 0 if x is 0, also for a zero matrix; +Inf if the quotient is NaN.
func quotient(x, norm, unit float64) float64 {
	if x == 0 {
		return 0
	}
	// The norm first: it may be tiny, and norm·unit would underflow.
	r := x / norm / unit
	if math.IsNaN(r) {
		return math.Inf(1)
	}
	return r
}
