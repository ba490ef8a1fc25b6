package spectrum

import "fmt"

type TooManyError struct {
	// Found is the number of eigenvalues in the interval. AtMost is the largest allowed number.
	Found, AtMost int
}

func (e *TooManyError) Error() string {
	return fmt.Sprintf("the interval holds %d values, at most %d were expected", e.Found, e.AtMost)
}
