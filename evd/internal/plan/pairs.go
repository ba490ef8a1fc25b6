package plan

import "fmt"

// NotPositiveError says that B is not positive definite, at least not to working precision.
type NotPositiveError struct {
	// Order is the order of the first leading minor of B that is not positive definite, from 1 on.
	// LAPACK's info is then n + Order.
	Order int
}

// Error returns a text with the order.
func (e *NotPositiveError) Error() string {
	return fmt.Sprintf("B is not positive definite: its leading minor of order %d is not", e.Order)
}

// MatrixError says which matrix an error is about.
type MatrixError struct {
	// Matrix is A or B, or C of canonical orthogonalisation if the device has computed a NaN. A and B
	// have only finite elements then, and the place is that in C.
	Matrix string

	// Err is an *evd.ShapeError or an *evd.NonFiniteError.
	Err error
}

// Error returns the text of the error with the name of the matrix.
func (e *MatrixError) Error() string { return "matrix " + e.Matrix + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *MatrixError) Unwrap() error { return e.Err }
