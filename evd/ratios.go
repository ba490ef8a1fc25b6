package evd

import (
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
)

// Ratios are LAPACK's measures of a set of eigenpairs: each is an error divided by the error that
// rounding may cause. Good results are below 10. LAPACK accepts results of a two-stage solver below
// 60. If an input is NaN, the ratios are +Inf.
type Ratios struct {
	// Residual is ‖A·Z − Z·Λ‖₁ / (‖A‖₁·n·ulp), as in LAPACK's dsyt22 and zhet22, for the values Λ
	// and the vectors Z.
	Residual float64 `json:"residual"`

	// Orthogonality is ‖ZᵀZ − I‖₁ / (n·ulp), for complex vectors ‖ZᴴZ − I‖₁ / (n·ulp).
	Orthogonality float64 `json:"orthogonality"`
}

// Threshold is the ratio from which on LAPACK's tests of two-stage solvers fail.
const Threshold = 60

// Passed reports whether the result is good: whether both ratios are below Threshold.
func (r Ratios) Passed() bool { return r.Residual < Threshold && r.Orthogonality < Threshold }

// newRatios makes the Ratios from the column sums of |A·Z − Z·Λ| (sums[0]) and of |ZᵀZ − I|
// (sums[1]), for values Λ and vectors Z. It divides the largest sum of each list by the error that
// rounding may cause for numbers of type T and order n. `norm` is ‖A‖₁, or a lower bound of it.
func newRatios[T Number](sums [2][]float64, norm float64, n int) Ratios {
	unit := float64(n) * precision.UlpOf[T]()
	return Ratios{plan.Ratio(sums[0], norm, unit), plan.Ratio(sums[1], 1, unit)}
}
