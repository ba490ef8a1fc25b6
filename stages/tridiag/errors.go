package tridiag

import (
	"fmt"
	"math"
)

type NonFiniteError struct {
	Row, Col int // counted from 0; Row = Col, or Row = Col + 1 for an off-diagonal element
}

func (e *NonFiniteError) Error() string {
	return fmt.Sprintf("tridiagonal matrix: element (%d, %d) is not finite", e.Row, e.Col)
}

// NoConvergenceError says that QL or QR iteration did not converge in the rows [Lo, Hi) of a
// tridiagonal or bidiagonal matrix. No eigenvalues or singular values are returned then.
type NoConvergenceError struct{ Lo, Hi int }

func (e *NoConvergenceError) Error() string {
	return fmt.Sprintf("tridiagonal solver: no convergence in rows %d to %d", e.Lo, e.Hi-1)
}

// CheckFinite returns a *NonFiniteError for the first element, row by row, that is NaN or infinite.
// e has n−1 elements or more; the elements from n−1 on are ignored.
func CheckFinite(d, e []float64) error {
	for i := range d {
		if math.IsNaN(d[i]) || math.IsInf(d[i], 0) {
			return &NonFiniteError{i, i}
		}
		if i+1 < len(d) && (math.IsNaN(e[i]) || math.IsInf(e[i], 0)) {
			return &NonFiniteError{i + 1, i}
		}
	}
	return nil
}
