package draw

import (
	"fmt"
	"math"
	"slices"
)

// A Series is the eigenvalues of one matrix, or a contiguous part of them.
type Series struct {
	Name   string    // for title or legend
	Values []float64 // ascending and finite, at least one
	First  int       // index of Values[0] among all eigenvalues, from 0
	N      int       // order of the matrix; 0 is len(Values), or not known if First > 0
}

// order returns the order of the matrix whose eigenvalues the series has. If it is not known, order
// returns the number of values.
func (s Series) order() int {
	if s.N == 0 {
		return len(s.Values)
	}
	return s.N
}

// whole tells whether the series has all eigenvalues of the matrix.
func (s Series) whole() bool { return s.First == 0 && len(s.Values) == s.order() }

// label is the name of the series for a legend. If the series is a part of the spectrum, the label
// also has the range of indices.
func (s Series) label() string {
	switch to := s.First + len(s.Values); {
	case s.whole():
		return fmt.Sprintf("%s, n = %d", s.Name, s.order())
	case s.N == 0:
		return fmt.Sprintf("%s, %d:%d", s.Name, s.First, to)
	default:
		return fmt.Sprintf("%s, %d:%d of n = %d", s.Name, s.First, to, s.N)
	}
}

// legends returns the names of several series for the legend of a picture. If there is only one
// series, there is no legend, and the name is returned as a part of the title (the result ofTitle).
func legends(all []Series) (names []string, ofTitle string) {
	if len(all) == 1 {
		return []string{""}, " of " + all[0].label()
	}
	for _, s := range all {
		names = append(names, s.label())
	}
	return names, ""
}

// scaled divides the values of all series by one power of ten, so that tick labels stay short. It
// returns copies of the series, and a text for the label of the axis, such as " / 1e300" or "".
func scaled(all []Series) ([]Series, string) {
	largest := 0.0
	for _, s := range all {
		for _, x := range s.Values {
			largest = max(largest, math.Abs(x))
		}
	}
	if largest == 0 || largest >= 1e-3 && largest < 1e5 {
		return all, ""
	}
	e := int(math.Floor(math.Log10(largest)))
	first := e / 2 // 10ᵉ itself may not be a double
	all = slices.Clone(all)
	for i := range all {
		all[i].Values = slices.Clone(all[i].Values)
		for j, x := range all[i].Values {
			all[i].Values[j] = x * math.Pow10(-first) * math.Pow10(first-e)
		}
	}
	return all, " / " + powerOfTen(e)
}
