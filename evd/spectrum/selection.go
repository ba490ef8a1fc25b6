package spectrum

import "fmt"

// Selection says which part of the spectrum is wanted. The zero value is the whole spectrum. Index
// and Interval make other selections. Selections are plain values: AtMost returns a new one.
type Selection struct {
	by       selectedBy
	from, to int
	a, b     float64
	atMost   int
}

type selectedBy int

const (
	selectedAll selectedBy = iota
	selectedByIndex
	selectedByValue
)

// Index selects λ[from] … λ[to−1], where λ[0] is the smallest: the range is half-open.
func Index(from, to int) Selection { return Selection{by: selectedByIndex, from: from, to: to} }

// Interval selects the eigenvalues in (a, b]: a < λ ≤ b, as in dstebz. An end may be infinite. An
// eigenvalue within the rounding error n·ε·‖A‖ of an end may count as on either side of the end.
//
// The number of eigenvalues is known only after T is. The plan's memory is for all n, unless AtMost
// says otherwise.
func Interval(a, b float64) Selection { return Selection{by: selectedByValue, a: a, b: b} }

// AtMost returns s with memory for m eigenvalues, where 0 means all n. It does not change which
// eigenvalues are selected. If the interval has more than m, Solve returns a *TooManyError.
func (s Selection) AtMost(m int) Selection {
	s.atMost = m
	return s
}

// CheckSelection returns an *OptionError if s has no meaning for matrices of order n.
func CheckSelection(s Selection, n int) error {
	switch {
	case s.by == selectedByIndex && (s.from < 0 || s.to > n || s.from > s.to):
		return &OptionError{"Index", fmt.Sprintf("[%d, %d) is not a range of %d eigenvalues", s.from, s.to, n)}
	case s.by == selectedByValue && !(s.a < s.b):
		return &OptionError{"Interval", fmt.Sprintf("(%v, %v] holds no number", s.a, s.b)}
	case s.atMost < 0:
		return &OptionError{"AtMost", "must not be negative"}
	case s.atMost > 0 && s.by != selectedByValue:
		return &OptionError{"AtMost", "only an interval needs a limit"}
	}
	return nil
}

// Capacity is the largest number of eigenvalues of a matrix of order n that s may select.
func Capacity(s Selection, n int) int {
	switch {
	case s.by == selectedByIndex:
		return s.to - s.from
	case s.atMost > 0:
		return min(s.atMost, n)
	}
	return n
}

// Range is the selected indices [from, to) of a matrix of order n. It is false for an interval, whose
// indices depend on the matrix.
func Range(s Selection, n int) (from, to int, known bool) {
	switch s.by {
	case selectedByIndex:
		return s.from, s.to, true
	case selectedAll:
		return 0, n, true
	}
	return 0, 0, false
}

// SelectExact returns the selected range [from, to) of values, for a matrix of order 0 or 1. values
// has all its eigenvalues, at most one, and they are exact.
func SelectExact(s Selection, values []float64) (from, to int) {
	var below [2]int
	for i, end := range s.ends(1) {
		for _, v := range values {
			if v <= end {
				below[i]++
			}
		}
	}
	return s.within(len(values), below)
}

// within returns the selected range [from, to). For an interval, below[0] is the number of
// eigenvalues ≤ a, and below[1] the number of those ≤ b.
func (s Selection) within(n int, below [2]int) (from, to int) {
	switch s.by {
	case selectedByIndex:
		return s.from, s.to
	case selectedByValue:
		return below[0], max(below[0], below[1])
	}
	return 0, n
}

// ends returns the ends of the interval for σ·A. They are infinite if they are too large for a
// double.
func (s Selection) ends(sigma float64) [2]float64 { return [2]float64{s.a * sigma, s.b * sigma} }
