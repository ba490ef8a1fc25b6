package spectrum

import "fmt"

// TooManyError says that an interval has more eigenvalues than Selection.AtMost allows.
type TooManyError struct {
	// Found is the number of eigenvalues in the interval. AtMost is the largest allowed number.
	Found, AtMost int
}

// Error returns a text with the number of eigenvalues and the limit.
func (e *TooManyError) Error() string {
	return fmt.Sprintf("the interval holds %d eigenvalues, at most %d were expected", e.Found, e.AtMost)
}
