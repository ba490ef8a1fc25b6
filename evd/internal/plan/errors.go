package plan

import (
	"errors"
	"fmt"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/vk"
)

// ErrClosed says that the plan is closed. errors.Is(ErrClosed, vk.ErrClosed) is true.
var ErrClosed error = closedError{}

type closedError struct{}

func (closedError) Error() string { return "the plan is closed" }

// Is makes errors.Is(err, vk.ErrClosed) true. So a closed plan and a closed device match the same
// error.
func (closedError) Is(target error) bool { return target == vk.ErrClosed }

// OptionError says that an option is not possible, or cannot be combined with another option.
type OptionError struct {
	// Option is the name of a field of the plan's Options. If the field is a struct, Option may
	// also be the name of a field of this struct. Reason says what is wrong, without repeating the
	// name.
	Option, Reason string
}

// Error returns a text with the option and the reason.
func (e *OptionError) Error() string { return "option " + e.Option + ": " + e.Reason }

// BadOption makes an *OptionError from the name of the option and the reason.
func BadOption(option, reason string) *OptionError { return &OptionError{option, reason} }

// NoConvergenceError says that QL or QR iteration did not converge on a diagonal block of the
// tridiagonal matrix T, or, in the phase stages.PhaseBidiagonal, of the bidiagonal matrix C. The
// block has the rows Index to End−1, counted from 0. These rows are not indices of eigenvalues,
// because the eigenvalues of a block may be anywhere in the spectrum.
type NoConvergenceError struct {
	// Stage is the phase of the solve.
	Stage string

	// Index is the first row of the block that did not converge. End is the row after the block's
	// last row.
	Index, End int
}

// Error returns a text with the rows of the block that did not converge.
func (e *NoConvergenceError) Error() string {
	method, matrix := "QL", "tridiagonal"
	if e.Stage == stages.PhaseBidiagonal {
		method, matrix = "QR", "bidiagonal"
	}
	return fmt.Sprintf("%s: %s iteration did not converge on rows [%d, %d) of the %s", e.Stage, method, e.Index, e.End, matrix)
}

// NotConverged converts a stage's error about rows of the tridiagonal or bidiagonal matrix into a
// *NoConvergenceError of the given phase. It returns other errors unchanged.
func NotConverged(err error, phase string) error {
	var failed *stedc.NoConvergenceError
	if errors.As(err, &failed) {
		return &NoConvergenceError{Stage: phase, Index: failed.Lo, End: failed.Hi}
	}
	return err
}
