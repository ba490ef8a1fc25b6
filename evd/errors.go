package evd

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
)

// NonFiniteError says that the matrix has a NaN or an infinity in the triangle that is read. Row
// and Col, counted from 0, are the indices of the first such entry in the order of the memory.
type NonFiniteError struct {
	Row, Col int

	// Value is the entry, or the part of a complex entry that is not finite.
	Value float64
}

// Error returns a text with the row, the column and the value of the entry that is not finite.
func (e *NonFiniteError) Error() string {
	return fmt.Sprintf("element (%d, %d) is %v; entries must be finite (indices from 0)",
		e.Row, e.Col, e.Value)
}

// ShapeError says that the order of a matrix does not fit its storage or the plan.
type ShapeError struct {
	// N is the order, Ld is the leading dimension, and Len is the number of elements.
	N, Ld, Len int

	// Tridiagonal says that the matrix is tridiagonal. Then Len is the length of E, and Ld has no
	// meaning.
	Tridiagonal bool

	// Plan is the plan's order, if the matrix has another order. Otherwise Plan is 0.
	Plan int

	// Max is the largest order that a matrix can have, if the matrix's order N is larger.
	// Otherwise Max is 0.
	Max int
}

// These are the largest orders of matrices, dense and tridiagonal. Kernels count rows in 32 bits. A
// leading dimension has fewer bits, as the comment of product.Matrix explains.
const (
	maxRows  = math.MaxInt32
	maxOrder = product.MostLd - 1
)

// checkOrder returns a *ShapeError if the order n of a matrix is negative or larger than `most`.
func checkOrder(n, most int, tridiagonal bool) error {
	switch {
	case n < 0:
		return &ShapeError{N: n, Tridiagonal: tridiagonal}
	case n > most:
		return &ShapeError{N: n, Tridiagonal: tridiagonal, Max: most}
	}
	return nil
}

// Error returns a text about the size that does not fit.
func (e *ShapeError) Error() string {
	switch {
	case e.Plan != 0:
		return fmt.Sprintf("matrix of order %d given to a plan of order %d", e.N, e.Plan)
	case e.N < 0:
		return fmt.Sprintf("order %d is negative", e.N)
	case e.Max != 0:
		return fmt.Sprintf("order %d is too large, at most %d", e.N, e.Max)
	case e.Tridiagonal:
		return fmt.Sprintf("order %d with %d off-diagonal elements", e.N, e.Len)
	}
	return fmt.Sprintf("order %d with leading dimension %d does not fit %d elements", e.N, e.Ld, e.Len)
}

// ErrClosed says that the plan is closed. errors.Is(ErrClosed, vk.ErrClosed) is true.
var ErrClosed = plan.ErrClosed

type (
	// OptionError says that an option is not possible, or cannot be combined with another. Option
	// is the name of a field of Options or of a function of Selection. Reason says what is wrong.
	OptionError = plan.OptionError

	// TooManyError says that an interval has more eigenvalues (Found) than Selection.AtMost allows
	// (AtMost).
	TooManyError = spectrum.TooManyError

	// NoConvergenceError says that QL or QR iteration did not converge on a diagonal block of the
	// tridiagonal matrix T. The block has the rows Index to End−1, counted from 0. These rows are
	// not indices of eigenvalues. Stage is the phase of the solve.
	NoConvergenceError = plan.NoConvergenceError

	// OverflowError says that eigenvalues are beyond the largest number of the result's type. Count
	// is their number, and Index is the index of the first one among all eigenvalues. A method that
	// returns this error also returns the result, in which the value is +Inf, or −Inf if the field
	// Negative is true. Single says that the type is float32.
	OverflowError = plan.OverflowError

	// StageError says that a kernel in the phase Stage reported a failure: its INFO word, a status
	// that is 0 for success, is not 0. The field Info is this word. If Solve returns this error,
	// the cause is a defect of the device, of its driver or of this module, never the input. Solve
	// does not return this error if a wait between workgroups failed: see Result.Retried.
	StageError = stages.InfoError
)
