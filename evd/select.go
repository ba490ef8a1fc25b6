package evd

import "fmt"

// Selection says which part of the spectrum is wanted. The zero value is all of it.
type Selection struct {
	by       selectedBy
	from, to int
	a, b     float64
	most     int
}

type selectedBy int

const (
	selectedAll selectedBy = iota
	selectedByIndex
	selectedByValue
)

// Index selects λ[from] … λ[to−1], counted from 0 at the least: the range is half-open.
func Index(from, to int) Selection { return Selection{by: selectedByIndex, from: from, to: to} }

// Interval selects the eigenvalues in (a, b]: a < λ ≤ b, as dstebz has it. An end
// may be infinite. An eigenvalue within rounding, n·ε·‖A‖, of an end may fall on
// either side of it.
//
// How many there are is known only when T is. The plan's memory is
// for all n of them, unless AtMost says otherwise.
func Interval(a, b float64) Selection { return Selection{by: selectedByValue, a: a, b: b} }

// AtMost is s with room for m eigenvalues. A Solve that finds more in the interval
// ends with a *TooManyError; it does not change which are selected. 0 is no bound.
func (s Selection) AtMost(m int) Selection {
	s.most = m
	return s
}

// check says whether the selection has a meaning for order n.
func (s Selection) check(n int) error {
	switch {
	case s.by == selectedByIndex && (s.from < 0 || s.to > n || s.from > s.to):
		return &OptionError{"Index", fmt.Sprintf("[%d, %d) is no range of the %d eigenvalues", s.from, s.to, n)}
	case s.by == selectedByValue && !(s.a < s.b):
		return &OptionError{"Interval", fmt.Sprintf("(%v, %v] holds no number", s.a, s.b)}
	case s.most < 0:
		return &OptionError{"AtMost", "must not be negative"}
	case s.most > 0 && s.by != selectedByValue:
		return &OptionError{"AtMost", "how many there are is known but for an interval"}
	}
	return nil
}

// capacity is how many eigenvalues there may be to find.
func (s Selection) capacity(n int) int {
	switch {
	case s.by == selectedByIndex:
		return s.to - s.from
	case s.most > 0:
		return min(s.most, n)
	}
	return n
}

// within is the selected range, when below[0] eigenvalues are ≤ a, below[1] ≤ b.
func (s Selection) within(n int, below [2]int) (from, to int) {
	switch s.by {
	case selectedByIndex:
		return s.from, s.to
	case selectedByValue:
		return below[0], max(below[0], below[1])
	}
	return 0, n
}

// ends are those of the interval for σ·A. What leaves the range of a double is infinite.
func (s Selection) ends(sigma float64) [2]float64 { return [2]float64{s.a * sigma, s.b * sigma} }

// trivial is the range of the one eigenvalue of a matrix of order 1, or of none.
func (s Selection) trivial(values []float64) (from, to int) {
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
