package pencil

import (
	"errors"
	"fmt"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages/product"
)

// NotPositiveError says that B is not positive definite, at least not to working precision. It has the
// order of the first leading minor that is not.
type NotPositiveError = plan.NotPositiveError

// MatrixError says which matrix of a pair an error is about: A or B. With canonical
// orthogonalisation it may be C, if the device has computed a NaN although A and B are finite. Then
// Err names the place of the NaN in C.
type MatrixError = plan.MatrixError

// ErrNoFactor says that the plan has no factor of B, which Solve needs, and also Check for BAxLx:
// neither Factor nor SolvePair has been called, or the last of these calls could not factor B, or a
// later call failed while it copied the factor to new memory.
var ErrNoFactor = errors.New("the plan has no factor of B: call Factor before Solve")

func checkOrder(n int) error {
	const most = product.MostLd - 1
	if n < 0 {
		return &evd.ShapeError{N: n}
	}
	if n > most {
		return &evd.ShapeError{N: n, Max: most}
	}
	return nil
}

// accepts returns a *MatrixError if the matrix does not fit the plan, and evd.ErrClosed if the plan
// is closed.
func (p *Plan[T]) accepts(m evd.Sym[T], name string) error {
	if err := m.Validate(); err != nil {
		return &MatrixError{Matrix: name, Err: err}
	}
	if m.N != p.base.N {
		return &MatrixError{Matrix: name, Err: &evd.ShapeError{N: m.N, Ld: m.Ld, Len: len(m.Data), Plan: p.base.N}}
	}
	return p.base.Open()
}

// cause turns an error about an element of a matrix with this name into a *MatrixError. It returns
// other errors unchanged.
func cause(name string, err error) error {
	if bad := new(dense.NonFiniteError); errors.As(err, &bad) {
		return &MatrixError{Matrix: name, Err: (*evd.NonFiniteError)(bad)}
	}
	return err
}

// UnverifiedError says that no result passed its certificate, not even one by the safe path, if
// there is one (see Options.Verify). There are two possible causes. B is ill-conditioned, and only
// a part of the spectrum was computed, which cannot be refined. Or the device or vkevd computes
// wrong results. errors.As finds the *evd.UnverifiedError, which has the certificates.
type UnverifiedError struct {
	Certificates *evd.UnverifiedError

	// Condition is that of the Factorization, or 0 if there is none.
	Condition float64

	// Standard names the matrix of canonical orthogonalisation whose standard problem could not be
	// verified: D·B·D or C. It is empty if the error is about results of the pair.
	Standard string
}

// Error returns a text with all numbers of both certificates, with the threshold and the condition
// number.
func (e *UnverifiedError) Error() string {
	c := e.Certificates
	text := plan.Unverified(c.First, c.Safe, Threshold)
	if e.Standard != "" {
		text = "matrix " + e.Standard + ": " + c.Error()
	}
	if e.Condition > 0 {
		text += fmt.Sprintf("; B has the condition number %.3g", e.Condition)
	}
	return text
}

// Unwrap returns Certificates.
func (e *UnverifiedError) Unwrap() error { return e.Certificates }

// unverified returns the error about results that have not passed. `first` is nil if there is no
// first result, and `safe` if there is no safe path.
func unverified[T evd.Number](first, safe *Result[T]) error {
	e := &UnverifiedError{Certificates: &evd.UnverifiedError{}}
	if first != nil {
		e.Certificates.First, e.Condition = first.Certificate, first.Condition
	}
	if safe != nil {
		e.Certificates.Safe, e.Condition = safe.Certificate, safe.Condition
	}
	return e
}

// standard turns an *evd.UnverifiedError about the standard problem of a matrix with this name into
// an *UnverifiedError. It returns other errors unchanged.
func standard(name string, condition float64, err error) error {
	if not := (*evd.UnverifiedError)(nil); errors.As(err, &not) {
		return &UnverifiedError{not, condition, name}
	}
	return err
}

func triangle[T evd.Number](a evd.Sym[T]) dense.Triangle[T] {
	return dense.NewTriangle(a.N, a.Ld, a.Data, a.Uplo == evd.Upper, a.RowMajor)
}
