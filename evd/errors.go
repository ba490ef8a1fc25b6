package evd

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/product"
)

// NonFiniteError says that the triangle of the matrix that is read holds a NaN or an infinity. Row
// and Col, counted from 0, are the place of the first one in column order.
type NonFiniteError struct {
	Row, Col int
	Value    float64
}

// Error names the place and the value of the entry.
func (e *NonFiniteError) Error() string {
	return fmt.Sprintf("element (%d, %d) is %v; eigenvalues need finite entries (indices from 0)",
		e.Row, e.Col, e.Value)
}

// ShapeError says that a matrix's order and its storage do not fit together, or that a matrix does
// not fit the plan.
type ShapeError struct {
	// N, Ld and Len are the order, the leading dimension and the number of elements.
	N, Ld, Len int

	// Tridiagonal says that the matrix is tridiagonal: Len is then the length of E, and there is no
	// Ld.
	Tridiagonal bool

	// Plan is the order of the plan if it differs from N, otherwise 0.
	Plan int

	// Most is the largest order that is possible if N is larger, otherwise 0.
	Most int
}

// These are the largest orders. Kernels count rows in 32 bits. Leading dimensions have fewer bits,
// see product.Matrix.
const (
	maxRows  = math.MaxInt32
	maxOrder = product.MostLd - 1
)

// checkOrder returns a *ShapeError if no matrix can have order n.
func checkOrder(n, most int, tridiagonal bool) error {
	switch {
	case n < 0:
		return &ShapeError{N: n, Tridiagonal: tridiagonal}
	case n > most:
		return &ShapeError{N: n, Tridiagonal: tridiagonal, Most: most}
	}
	return nil
}

// Error says which of the sizes is wrong, and how.
func (e *ShapeError) Error() string {
	switch {
	case e.Plan != 0:
		return fmt.Sprintf("matrix of order %d given to a plan of order %d", e.N, e.Plan)
	case e.N < 0:
		return fmt.Sprintf("order %d is negative", e.N)
	case e.Most != 0:
		return fmt.Sprintf("order %d is too large, at most %d", e.N, e.Most)
	case e.Tridiagonal:
		return fmt.Sprintf("order %d with %d off-diagonal elements", e.N, e.Len)
	}
	return fmt.Sprintf("order %d with leading dimension %d does not fit %d elements", e.N, e.Ld, e.Len)
}

// ErrClosed says that the plan is closed. errors.Is(ErrClosed, vk.ErrClosed) is true.
var ErrClosed = spectrum.ErrClosed

type (
	// OptionError says that an option has no meaning, or cannot be combined with another one.
	// Option is the name of a field of Options or of a function of Selection. Reason explains the
	// error.
	OptionError = spectrum.OptionError

	// TooManyError says that an interval holds more eigenvalues, Found, than Selection.AtMost
	// allows.
	TooManyError = spectrum.TooManyError

	// NoConvergenceError says that QL or QR iteration did not end on a diagonal block of T: rows
	// Index to End−1, counted from 0. These rows are not indices of eigenvalues. Stage is the phase
	// of the solve.
	NoConvergenceError = spectrum.NoConvergenceError

	// StageError says that a kernel reported a failure in its INFO word, Info, in the phase Stage.
	// This is a defect of the device, of its driver or of this module, never of the input. If a
	// wait between workgroups failed, Solve does not return this error, see Result.Retried.
	StageError = spectrum.StageError
)
