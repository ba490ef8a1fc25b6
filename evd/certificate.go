package evd

import "fmt"

// Certificate says how accurate a result was measured to be. Each number is an error divided by the
// error that rounding may cause, and must be below Threshold. If an input of a number is NaN, the
// number is +Inf.
//
// With vectors, small Ratios prove the result, however it was computed: orthonormal vectors with a
// small residual are eigenvectors of a matrix near A. Counts then proves that no eigenvalue is
// missing. Without vectors, Counts proves that the values are those of T, the tridiagonal matrix to
// which A was reduced. Only Invariants then compares T with A. A wrong T makes Invariants large,
// unless both trace and norm of T happen to be right.
type Certificate struct {
	// Ratios measures the vectors, as Plan.Check does. Its numbers are 0 if no vectors were wanted.
	Ratios

	// Counts is w / (n·ulp·‖T‖₁). Sturm counts prove that each value is within the distance w of
	// the eigenvalue with the same index of the tridiagonal matrix T.
	Counts float64 `json:"counts"`

	// Invariants is the larger of |tr A − tr T| and | ‖A‖F − ‖T‖F |, divided by n·ulp·‖A‖F. T is
	// the tridiagonal matrix to which A was reduced.
	Invariants float64 `json:"invariants"`

	// Safe says that the first result did not pass its certificate, and that this result comes from
	// a second solve on the safe path, which uses slower and simpler methods.
	Safe bool `json:"safe"`
}

// Passed reports whether all numbers of the certificate are below Threshold.
func (c *Certificate) Passed() bool {
	return c.Ratios.Passed() && c.Counts < Threshold && c.Invariants < Threshold
}

// String lists the numbers of the certificate in one line.
func (c *Certificate) String() string {
	return fmt.Sprintf("residual %.3g, orthogonality %.3g, Sturm counts %.3g, invariants %.3g",
		c.Residual, c.Orthogonality, c.Counts, c.Invariants)
}
