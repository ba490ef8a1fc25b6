package evd

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
)

// NonFiniteError says that the referenced triangle holds a NaN or an infinity.
// Row and Col are 0-based; it is the first in column order.
type NonFiniteError struct {
	Row, Col int
	Value    float64
}

func (e *NonFiniteError) Error() string {
	return fmt.Sprintf("element (%d, %d) is %v; eigenvalues need finite entries (indices from 0)", e.Row, e.Col, e.Value)
}

// ShapeError says that a matrix's dimensions and storage do not fit together,
// or do not fit the plan.
type ShapeError struct {
	N, Ld, Len  int
	Tridiagonal bool // Len is that of E, and there is no Ld
	Plan        int  // the plan's order, where that is what differs
	Most        int  // the largest order there can be, where N is beyond it
}

// The largest orders: the kernels count rows in 32 bits, and those of matrices have less, as product.Matrix says.
const (
	mostRows  = math.MaxInt32
	mostOrder = product.MostLd - 1
)

// checkOrder returns a *ShapeError if there can be no matrix of order n.
func checkOrder(n, most int, tridiagonal bool) error {
	switch {
	case n < 0:
		return &ShapeError{N: n, Tridiagonal: tridiagonal}
	case n > most:
		return &ShapeError{N: n, Tridiagonal: tridiagonal, Most: most}
	}
	return nil
}

func (e *ShapeError) Error() string {
	if e.Plan != 0 {
		return fmt.Sprintf("matrix of order %d given to a plan of order %d", e.N, e.Plan)
	}
	if e.N < 0 {
		return fmt.Sprintf("order %d is negative", e.N)
	}
	if e.Most != 0 {
		return fmt.Sprintf("order %d is too large, at most %d", e.N, e.Most)
	}
	if e.Tridiagonal {
		return fmt.Sprintf("order %d with %d off-diagonal elements", e.N, e.Len)
	}
	return fmt.Sprintf("order %d with leading dimension %d does not fit %d elements", e.N, e.Ld, e.Len)
}

// TooManyError says that an interval holds more eigenvalues than Selection.AtMost
// made room for.
type TooManyError struct{ Found, AtMost int }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("the interval holds %d eigenvalues, there is room for %d", e.Found, e.AtMost)
}

// OptionError says that an option has no meaning or does not go with another.
type OptionError struct{ Option, Reason string }

func (e *OptionError) Error() string { return "option " + e.Option + ": " + e.Reason }

// NoConvergenceError says that QL or QR iteration did not end on a diagonal block of T: rows Index
// to End−1, from 0. (Rows are no indices of eigenvalues: those of a block may be anywhere in the
// spectrum.) Stage is the phase of the solve.
type NoConvergenceError struct {
	Stage      string
	Index, End int
}

func (e *NoConvergenceError) Error() string {
	return fmt.Sprintf("%s: QL iteration did not converge on rows [%d, %d) of the tridiagonal", e.Stage, e.Index, e.End)
}

// StageError says that a kernel reported a failure in its INFO word: a defect
// of the device, its driver or of ours, never of the input.
type StageError = stages.InfoError
