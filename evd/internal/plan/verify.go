package plan

import (
	"errors"
	"fmt"
	"math"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Verifiable has the parts of a result that Verified reads and writes.
type Verifiable struct {
	// Passed tells whether the certificate of the result has passed. Safe points to the field of
	// the certificate that tells whether the result comes from the safe path.
	Passed bool
	Safe   *bool

	// Profile has the times of the solve. Retried points to the field for the error of an earlier
	// attempt.
	Profile *vk.Profile
	Retried **stages.InfoError

	// DropVectors removes the vectors from the result, so that their memory may be collected.
	DropVectors func()
}

// Verified returns a result that has passed its certificate. The function `first` solves by the
// plan's usual methods. If its result does not pass, or if a method failed, the function `safe`
// solves by slower and simpler methods, the safe path. If the first solve has returned a result,
// the profile of the second result has the times of both solves. The function `parts` returns the
// parts of a result. A value that overflows may be a wrong value, so an *OverflowError also needs
// the second solve. If a value overflows in the second solve, its result is returned beside the
// *OverflowError. Any other error would also happen on the safe path, so it is returned without a
// second solve. If no result passes, the error is that of the function `unverified`, whose first
// argument is nil if there is no first result.
func Verified[R any](first, safe func() (*R, error), parts func(*R) Verifiable, unverified func(first, safe *R) error) (*R, error) {
	res, err := first()
	switch {
	case err == nil && parts(res).Passed:
		return res, nil
	case err != nil && !MethodFailed(err) && !errors.As(err, new(*OverflowError)):
		return nil, err
	}
	if res != nil {
		parts(res).DropVectors()
	}
	again, err := safe()
	if again == nil {
		return nil, err
	}
	of := parts(again)
	*of.Safe = true
	if res != nil {
		before := parts(res)
		of.Profile.Merge(before.Profile)
		*of.Retried = *before.Retried
	}
	if err == nil && !of.Passed {
		return nil, unverified(res, again)
	}
	return again, err
}

// MaxSafeQR is the largest order for which the safe path computes vectors on the host, by QR
// iteration. For this order the computation takes minutes.
const MaxSafeQR = 2048

// MethodFailed reports whether err says that one of a solve's methods has failed. A solve by
// another method may succeed then.
func MethodFailed(err error) bool {
	return errors.As(err, new(*stages.InfoError)) || errors.As(err, new(*NoConvergenceError))
}

// Unverified is the text of an error about a result that did not pass its certificate. `first` is
// the certificate of the first result, or nil if that result had none. `safe` is the certificate of
// the second result, which the safe path has computed, or nil if there is no safe path. Each number
// of a certificate must be below `threshold`.
func Unverified[C interface {
	comparable
	fmt.Stringer
}](first, safe C, threshold int) string {
	text := "no result"
	if first != *new(C) {
		text = first.String()
	}
	if safe != *new(C) {
		text += "; on the safe path: " + safe.String()
	}
	return fmt.Sprintf("no result can be verified: %s; each must be below %d", text, threshold)
}

// Ratio returns the largest of the column sums of an error, divided by norm·unit: the error that
// rounding may cause. The ratio is 0 if all sums are 0, whatever the norm is. Otherwise it is +Inf
// if an input is NaN.
func Ratio(sums []float64, norm, unit float64) float64 {
	top := Largest(sums)
	if top == 0 {
		return 0
	}
	// The first division is by the norm, because the product norm·unit would underflow for a tiny
	// norm.
	r := top / norm / unit
	if math.IsNaN(r) {
		return math.Inf(1)
	}
	return r
}

// Largest returns the largest element of v, but at least 0. It returns NaN if v has a NaN.
func Largest(v []float64) float64 {
	top := 0.0
	for _, x := range v {
		top = max(top, x) // max returns NaN if one of its arguments is NaN
	}
	return top
}
