package pencil

import (
	"fmt"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
)

// Overlap says how a solve uses B, which is the overlap matrix of the basis functions in quantum
// chemistry. The zero value is B = L·Lᴴ, Cholesky's method.
//
// Canonical orthogonalisation is for a B that is singular, or so nearly singular that directions
// must be dropped: a basis with functions that depend on others, nearly or exactly. With D =
// diag(bᵢᵢ)^−½,
//
//	D·B·D = V·diag(s)·Vᴴ                              all of s and V, by Factor
//	V  ←  the m columns with s > t·max s              n − m directions are dropped
//	X₀ = D·V·diag(s)^−½                               n×m, X₀ᴴ·B·X₀ = I
//	C = X₀ᴴ·A·X₀,   C = Z·Λ·Zᴴ,   X = X₀·Z            m values
//
// The values are those of A·x = λ·B·x in the space of X₀ (Galerkin's method). Which directions can
// be dropped depends on the application, so a plan drops directions only if Canonical is true.
//
// If nothing must be dropped, use Cholesky's method. Canonical orthogonalisation takes a solve for
// B with all vectors and 4·n²·m + 2·n·m² more operations. The errors of its values are about
// n·ε·max|λ|·max s / min s, where min s is the smallest s that was kept, because small s have
// errors of about ε·max s. Cholesky's method often has much smaller errors.
type Overlap struct {
	// Canonical says that directions of B may be dropped. It is only for AxLBx. The result then has m
	// ≤ n values. If an index of Options.Select is m or larger, Solve returns an *evd.OptionError.
	Canonical bool

	// Threshold is t. 0 means DefaultThreshold. In any case t is at least n·ε, because smaller s are
	// rounding errors.
	Threshold float64
}

// DefaultThreshold is the usual Overlap.Threshold.
const DefaultThreshold = 1e-7

func (o Overlap) check(of Type) error {
	switch {
	case !(o.Threshold >= 0 && o.Threshold < 1):
		return plan.BadOption("Overlap", fmt.Sprintf("the threshold %v is not between 0 and 1", o.Threshold))
	case o.Threshold > 0 && !o.Canonical:
		return plan.BadOption("Overlap", "only canonical orthogonalisation has a threshold")
	case o.Canonical && of != AxLBx:
		return plan.BadOption("Overlap", "canonical orthogonalisation is only for A·x = λ·B·x")
	}
	return nil
}

// threshold returns t for order n.
func threshold[T evd.Number](o Overlap, n int) float64 {
	t := o.Threshold
	if t == 0 {
		t = DefaultThreshold
	}
	return max(t, float64(n)*precision.UlpOf[T]())
}

// Dropping says what canonical orthogonalisation has dropped. Without it, all numbers are 0.
type Dropping struct {
	// Threshold is t, which is at least n·ε.
	Threshold float64

	// Dropped is n − m, the number of directions that were dropped.
	Dropped int

	// Kept is the smallest element of s that was kept. Lost is the largest one that was dropped, or 0
	// if none was dropped. Rounding errors can make Lost negative.
	Kept, Lost float64
}

// IndefiniteError says that B cannot be an overlap matrix: with a diagonal of ones, its smallest
// eigenvalue is more negative than the threshold allows, or no eigenvalue is positive.
type IndefiniteError struct {
	// Smallest and Largest are the smallest and the largest eigenvalue of D·B·D, see Overlap.
	Smallest, Largest float64
}

// Error returns a text with both numbers.
func (e *IndefiniteError) Error() string {
	return fmt.Sprintf("B is not positive semidefinite: its eigenvalues are between %.3g and %.3g, if its diagonal is scaled to ones", e.Smallest, e.Largest)
}
