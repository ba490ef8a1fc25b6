package spectrum

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/evd/internal/plan"
)

// Selection says which part of the spectrum is wanted. The zero value is the whole spectrum. Index
// and Interval make other selections. A Selection is a plain value that no method changes: AtMost
// returns a new Selection.
type Selection struct {
	by       selectedBy
	from, to int
	a, b     float64
	atMost   int
	least    int // smallest index that an interval may select
}

type selectedBy int

const (
	selectedAll selectedBy = iota
	selectedByIndex
	selectedByValue
)

// Index selects λ[from] … λ[to−1]. λ[0] is the smallest eigenvalue. λ[to] is not selected.
func Index(from, to int) Selection { return Selection{by: selectedByIndex, from: from, to: to} }

// Interval selects the eigenvalues in (a, b]: a < λ ≤ b, as in LAPACK's dstebz. An end may be
// infinite. An eigenvalue within the rounding error n·ε·‖A‖ of an end may count as on either side.
//
// The number of eigenvalues is not known before the solve. So the plan allocates memory for all n,
// unless AtMost gives a smaller number.
func Interval(a, b float64) Selection { return Selection{by: selectedByValue, a: a, b: b} }

// AtMost returns a Selection of the same eigenvalues, with memory for only m of them. m = 0 means
// all n. If the interval has more than m eigenvalues, Solve returns a *TooManyError.
func (s Selection) AtMost(m int) Selection {
	s.atMost = m
	return s
}

func CheckSelection(s Selection, n int) error {
	switch {
	case s.by == selectedByIndex && (s.from < 0 || s.to > n || s.from > s.to):
		return plan.BadOption("Index", fmt.Sprintf("[%d, %d) is not a range of %d values", s.from, s.to, n))
	case s.by == selectedByValue && !(s.a < s.b):
		return plan.BadOption("Interval", fmt.Sprintf("(%v, %v] holds no number", s.a, s.b))
	case s.atMost < 0:
		return plan.BadOption("AtMost", "must not be negative")
	case s.atMost > 0 && s.by != selectedByValue:
		return plan.BadOption("AtMost", "only an interval needs a limit")
	}
	return nil
}

// Singular returns the selection of eigenvalues of a Golub-Kahan form of order 2n that are the
// singular values which s selects. The indices of s count from the largest singular value.
func Singular(s Selection, n int) Selection {
	switch {
	case s.by == selectedAll:
		return Index(n, 2*n)
	case s.by == selectedByIndex:
		return Index(2*n-s.to, 2*n-s.from)
	}
	s.least, s.atMost = n, Capacity(s, n)
	return s
}

func (s Selection) ByValue() bool { return s.by == selectedByValue }

// Scaled returns the selection of 2^e·λ for the values λ that s selects. If both ends of an
// interval are then equal, by overflow or underflow, the next numbers take their place.
func (s Selection) Scaled(e int) Selection {
	s.a, s.b = math.Ldexp(s.a, e), math.Ldexp(s.b, e)
	if s.by == selectedByValue && s.a == s.b {
		s.a, s.b = math.Nextafter(s.a, math.Inf(-1)), math.Nextafter(s.b, math.Inf(1))
	}
	return s
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

// Range returns the selected indices [from, to) for a matrix of order n. For an interval, `known`
// is false, because the indices depend on the matrix.
func Range(s Selection, n int) (from, to int, known bool) {
	switch s.by {
	case selectedByIndex:
		return s.from, s.to, true
	case selectedAll:
		return 0, n, true
	}
	return 0, 0, false
}

// SelectExact returns the selected range `from` ≤ i < `to` of the eigenvalues of a matrix of order
// 0 or 1. `values` has all of them, without rounding errors.
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

// `within` returns the selected range of indices, `from` ≤ i < `to`. For an interval (a, b],
// below[0] must be the number of eigenvalues ≤ a, and below[1] that of eigenvalues ≤ b.
func (s Selection) within(n int, below [2]int) (from, to int) {
	switch s.by {
	case selectedByIndex:
		return s.from, s.to
	case selectedByValue:
		from = max(below[0], s.least)
		return from, max(from, below[1])
	}
	return 0, n
}

// `ends` returns the ends of the selected interval for the scaled matrix σ·A. They are infinite if
// the products overflow.
func (s Selection) ends(sigma float64) [2]float64 { return [2]float64{s.a * sigma, s.b * sigma} }
