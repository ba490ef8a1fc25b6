package plan

import (
	"errors"
	"fmt"
	"math"

	"github.com/vkevd/vkevd/stages"
)

// Verified returns a result that has passed its certificate, as `passed` tells. The function
// `first` solves by the plan's usual methods. If its result does not pass, or if a method failed,
// the function `safe` solves by slower and simpler methods, the safe path. The argument of `safe`
// is the first result, or nil if there is none. A value that overflows may be a wrong value, so an
// *OverflowError also needs the second solve. If a value overflows in the second solve, too, the
// result is returned beside the *OverflowError. Any other error would also happen on the safe path,
// so it is returned without a second solve. If no result passes, the error is that of the function
// `unverified`.
func Verified[R any](first func() (*R, error), safe func(first *R) (*R, error), passed func(*R) bool, unverified func(first, safe *R) error) (*R, error) {
	res, err := first()
	switch {
	case err == nil && passed(res):
		return res, nil
	case err != nil && !MethodFailed(err) && !errors.As(err, new(*OverflowError)):
		return nil, err
	}
	again, err := safe(res)
	if err == nil && !passed(again) {
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
// the second result, which the safe path has computed. Each number of a certificate must be below
// `threshold`.
func Unverified[C interface {
	comparable
	fmt.Stringer
}](first, safe C, threshold int) string {
	text := "no result"
	if first != *new(C) {
		text = first.String()
	}
	return fmt.Sprintf("no result can be verified: %s; on the safe path: %v; each must be below %d", text, safe, threshold)
}

// Ratio returns the largest of the column sums of an error, divided by norm·unit: the error that
// rounding may cause. The ratio is 0 if all sums are 0, even if the norm is also 0. It is +Inf if
// an input is NaN.
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
		top = max(top, x) // NaN if one is
	}
	return top
}
