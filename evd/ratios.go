package evd

import (
	"math"

	"github.com/vkevd/vkevd/evd/spectrum"
)

// Ratios are LAPACK's measures of a set of eigenpairs: errors in units of the error that rounding
// may cause. LAPACK accepts a two-stage solver below 60. Good solvers stay below 10. If anything is
// NaN, the ratio is +Inf.
type Ratios struct {
	// Residual is ‖A·Z − Z·Λ‖₁ / (‖A‖₁·n·ulp), as in dsyt22.
	Residual float64 `json:"residual"`

	// Orthogonality is ‖ZᵀZ − I‖₁ / (n·ulp).
	Orthogonality float64 `json:"orthogonality"`
}

// Threshold is the ratio at which LAPACK's tests of two-stage solvers fail.
const Threshold = 60

// Passed tells whether both ratios are below Threshold.
func (r Ratios) Passed() bool { return r.Residual < Threshold && r.Orthogonality < Threshold }

// newRatios divides the largest of the column sums of |A·Z − Z·Λ| and of |ZᵀZ − I| by the error
// that rounding may cause for order n. norm is ‖A‖₁, or a lower bound of it.
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
	// x is divided by norm first, because norm may be tiny, so that norm·unit would underflow.
	r := x / norm / unit
	if math.IsNaN(r) {
		return math.Inf(1)
	}
	return r
}
