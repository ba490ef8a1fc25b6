package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/vkevd/vkevd/evd"
)

// A part is a part of the spectrum that a flag names. The zero value is the whole spectrum.
type part struct {
	index, interval   string
	largest, smallest int
	given             []string // names of the flags, in their order on the command line
}

func (p *part) flags(f *pflag.FlagSet) {
	text := func(word *string) func(string) error {
		return func(value string) error {
			if value == "" { // as an unset shell variable is
				return &partError{"it is empty"}
			}
			*word = value
			return nil
		}
	}
	count := func(number *int) func(string) error {
		return func(value string) error {
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				return &partError{fmt.Sprintf("%q is not a whole number, at least 1", value)}
			}
			*number = n
			return nil
		}
	}
	for _, flag := range []struct {
		name  string
		set   func(string) error
		usage string
	}{
		{"index", text(&p.index), "only eigenvalues `I:J`: indices I to J−1, from 0 at the smallest, as in\n" +
			"Python. :10 is the ten smallest, -10: the ten largest, 10: all but\n" +
			"the ten smallest"},
		{"largest", count(&p.largest), "only the `K` largest eigenvalues, ascending"},
		{"smallest", count(&p.smallest), "only the `K` smallest eigenvalues"},
		{"interval", text(&p.interval), "only eigenvalues λ with A < λ ≤ B, for `A:B`; a missing end is\ninfinite"},
	} {
		f.Var(&partFlag{p, flag.name, flag.set}, flag.name, flag.usage)
	}
}

// A partFlag is one of the flags with which the user names a part.
type partFlag struct {
	part *part
	name string
	set  func(string) error
}

func (f *partFlag) Set(value string) error {
	if err := f.set(value); err != nil {
		return err
	}
	if len(f.part.given) == 0 || f.part.given[0] != f.name {
		f.part.given = append(f.part.given, f.name)
	}
	return nil
}

// A partError is a value that a partFlag refuses.
type partError struct{ reason string }

func (e *partError) Error() string { return e.reason }

func (f *partFlag) String() string { return "" }
func (f *partFlag) Type() string   { return "string" }

// all tells whether the part is the whole spectrum, because no flag names a part.
func (p part) all() bool { return len(p.given) == 0 }

// of returns the selection of eigenvalues for a matrix of order n.
func (p part) of(n int) (evd.Selection, error) {
	switch {
	case p.all():
		return evd.Selection{}, nil
	case len(p.given) > 1:
		return evd.Selection{}, fmt.Errorf("--%s cannot be combined with --%s", p.given[1], p.given[0])
	case p.given[0] == "interval":
		a, b, err := ends("--interval", p.interval, "A:B, two numbers such as -1:2.5", parseFloat, math.Inf(-1), math.Inf(1))
		if err == nil && !(a < b) { // as the library says it, but before the matrix is read
			err = fmt.Errorf("--interval: (%v, %v] holds no number", a, b)
		}
		return evd.Interval(a, b), err
	case p.given[0] == "largest":
		return atEnd("--largest", p.largest, n-p.largest, n, n)
	case p.given[0] == "smallest":
		return atEnd("--smallest", p.smallest, 0, p.smallest, n)
	}
	from, to, err := ends("--index", p.index, "I:J, two indices such as 0:10", strconv.Atoi, 0, n)
	if err != nil {
		return evd.Selection{}, err
	}
	return within("--index", p.index, fromEnd(from, n), fromEnd(to, n), n)
}

// count is the number of selected eigenvalues of a matrix of order n. The method of must have been
// called before. For an interval the count is n, because an interval may hold all of them.
func (p part) count(n int) int {
	switch {
	case p.largest > 0:
		return p.largest
	case p.smallest > 0:
		return p.smallest
	case p.index != "":
		from, to, _ := ends("", p.index, "", strconv.Atoi, 0, n)
		return fromEnd(to, n) - fromEnd(from, n)
	}
	return n
}

// fromEnd converts a negative index, which counts from the end as in Python, to one that counts
// from the beginning.
func fromEnd(i, n int) int {
	if i < 0 {
		return n + i
	}
	return i
}

// atEnd is the selection from:to of k eigenvalues at one end of the spectrum, or an error if a
// matrix of order n has fewer than k.
func atEnd(flag string, k, from, to, n int) (evd.Selection, error) {
	if k > n {
		return evd.Selection{}, fmt.Errorf("%s: %d is too many; the number of all eigenvalues is %d", flag, k, n)
	}
	return evd.Index(from, to), nil
}

// within is the selection from:to, or an error if a matrix of order n does not have it. value is
// what the user gave to the flag.
func within(flag, value string, from, to, n int) (evd.Selection, error) {
	if from < 0 || to > n {
		return evd.Selection{}, fmt.Errorf("%s: %s is outside 0:%d, the indices of all eigenvalues", flag, value, n)
	}
	counted := n != anyOrder || from < anyOrder/2 // not from an end that is not known yet
	if from > to && counted {
		return evd.Selection{}, fmt.Errorf("%s: %s ends before it begins (%d:%d)", flag, value, from, to)
	}
	return evd.Index(from, to), nil
}

// ends splits a range such as 3:7 at its colon. If an end is missing, it is first or last.
func ends[T any](flag, word, form string, parse func(string) (T, error), first, last T) (from, to T, err error) {
	left, right, found := strings.Cut(word, ":")
	from, to = first, last
	if left != "" && found {
		from, err = parse(left)
	}
	if right != "" && err == nil {
		to, err = parse(right)
	}
	if err != nil || !found {
		err = fmt.Errorf("%s: %q must be %s", flag, word, form)
	}
	return from, to, err
}

func parseFloat(word string) (float64, error) { return strconv.ParseFloat(word, 64) }
