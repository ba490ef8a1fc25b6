package plan

import (
	"fmt"
	"math"
)

// OverflowError says that an eigenvalue or a singular value is beyond the largest number of the
// type of the result. The value is +Inf or −Inf in the result. A method that returns this error
// also returns the result. All other values of the result, and all vectors, are as accurate as
// those of any other result.
type OverflowError struct {
	// Index is the index of the value among all values of the matrix, as in the result: the
	// smallest eigenvalue has the index 0, and so has the largest singular value. If several values
	// overflow, Index is that of the first one in the result. Count is their number.
	Index, Count int

	// Negative says that the value is −Inf. Otherwise it is +Inf.
	Negative bool

	// Singular says that the value is a singular value. Otherwise it is an eigenvalue.
	Singular bool

	// Single says that the value was rounded to float32. Otherwise it is a float64.
	Single bool
}

// Error returns a text that names the value, its index, and the type of the result.
func (e *OverflowError) Error() string {
	kind, infinity, number := "eigenvalue", "+Inf", "float64"
	if e.Singular {
		kind = "singular value"
	}
	if e.Negative {
		infinity = "−Inf"
	}
	if e.Single {
		number = "float32"
	}
	others := ""
	if e.Count > 1 {
		others = fmt.Sprintf(", and so are others, %d in all", e.Count)
	}
	return fmt.Sprintf("%s %d is beyond the largest %s, and is %s in the result%s (indices from 0)",
		kind, e.Index, number, infinity, others)
}

// Overflow returns an *OverflowError if some of the values are infinite, and nil otherwise. `first`
// is the index of values[0] among all values of the matrix.
func Overflow(values []float64, first int, singular bool) error {
	var e *OverflowError
	for k, v := range values {
		if !math.IsInf(v, 0) {
			continue
		}
		if e == nil {
			e = &OverflowError{Index: first + k, Negative: v < 0, Singular: singular}
		}
		e.Count++
	}
	if e == nil {
		return nil
	}
	return e
}

// OverflowOf is Overflow for the values of a result. An infinite value is wrong, so the function
// `fail` changes the certificate, which may be nil, so that it does not pass.
func OverflowOf[C any](values []float64, first int, singular bool, certificate *C, fail func(*C)) error {
	err := Overflow(values, first, singular)
	if err != nil && certificate != nil {
		fail(certificate)
	}
	return err
}
