package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd"
)

// A part is the part of the spectrum that a flag selects. The zero value is the whole spectrum.
type part struct {
	index, interval   string
	largest, smallest int
	given             []string // names of the flags, in their order on the command line
}

func (p *part) flags(f *pflag.FlagSet) {
	text := func(word *string) func(string) error {
		return func(value string) error {
			if value == "" { // an unset shell variable gives an empty value
				return &cli.ValueError{Reason: "it is empty"}
			}
			*word = value
			return nil
		}
	}
	count := func(number *int) func(string) error {
		return func(value string) error {
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				return &cli.ValueError{Reason: fmt.Sprintf("%q is not a whole number, at least 1", value)}
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
		f.Var(&partFlag{part: p, name: flag.name, set: flag.set}, flag.name, flag.usage)
	}
}

// A partFlag is one of the flags with which the user selects a part of the spectrum.
type partFlag struct {
	part  *part
	name  string
	set   func(string) error
	value string
}

func (f *partFlag) Set(value string) error {
	if err := f.set(value); err != nil {
		return err
	}
	f.value = value
	if len(f.part.given) == 0 || f.part.given[0] != f.name {
		f.part.given = append(f.part.given, f.name)
	}
	return nil
}

func (f *partFlag) String() string { return f.value }
func (f *partFlag) Type() string   { return "string" }

func (p part) all() bool { return len(p.given) == 0 }

// of converts the part to a selection of eigenvalues, for a matrix of order n.
func (p part) of(n int) (evd.Selection, error) {
	switch {
	case p.all():
		return evd.Selection{}, nil
	case len(p.given) > 1:
		return evd.Selection{}, fmt.Errorf("--%s cannot be combined with --%s", p.given[1], p.given[0])
	case p.given[0] == "interval":
		a, b, err := ends("--interval", p.interval, "A:B, two numbers such as -1:2.5", parseFloat, math.Inf(-1), math.Inf(1))
		if err == nil && !(a < b) { // the library returns the same error, but only after the matrix is read
			err = fmt.Errorf("--interval: (%v, %v] holds no number", a, b)
		}
		return evd.Interval(a, b), err
	}
	from, to, err := p.indices(n)
	if err != nil {
		return evd.Selection{}, err
	}
	return evd.Index(from, to), nil
}

// indices returns the selected range of indices, from ≤ i < to, for a matrix of order n. The user
// must have selected indices, and not an interval or the whole spectrum.
func (p part) indices(n int) (from, to int, err error) {
	switch p.given[0] {
	case "largest":
		return atEnd("--largest", p.largest, n-p.largest, n, n)
	case "smallest":
		return atEnd("--smallest", p.smallest, 0, p.smallest, n)
	}
	from, to, err = ends("--index", p.index, "I:J, two indices such as 0:10", strconv.Atoi, 0, n)
	if err != nil {
		return 0, 0, err
	}
	return within("--index", p.index, fromEnd(from, n), fromEnd(to, n), n)
}

// count is the number of selected eigenvalues of a matrix of order n. The method `of` must have
// been called before and must have returned no error. For an interval the result is n, because an
// interval may contain all eigenvalues.
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

// fromEnd converts a negative index to an index that counts from the beginning. As in Python, a
// negative index counts from the end.
func fromEnd(i, n int) int {
	if i < 0 {
		return n + i
	}
	return i
}

// atEnd returns the range of the `k` smallest or largest eigenvalues. The caller gives this range
// as `from` and `to`. If `k` is larger than the order `n` of the matrix, atEnd returns an error
// about the flag.
func atEnd(flag string, k, from, to, n int) (int, int, error) {
	if k > n {
		return 0, 0, fmt.Errorf("%s: %d is too many; the number of all eigenvalues is %d", flag, k, n)
	}
	return from, to, nil
}

// within returns the range from:to. It returns an error if a matrix of order n does not have this
// range. `value` is the text that the user gave to the flag, for error messages.
func within(flag, value string, from, to, n int) (int, int, error) {
	if from < 0 || to > n {
		return 0, 0, fmt.Errorf("%s: %s is outside 0:%d, the indices of all eigenvalues", flag, value, n)
	}
	counted := n != anyOrder || from < anyOrder/2 // false if from is an offset from the end of a spectrum of unknown order
	if from > to && counted {
		return 0, 0, fmt.Errorf("%s: %s ends before it begins (%d:%d)", flag, value, from, to)
	}
	return from, to, nil
}

// ends splits a range such as 3:7 at its colon, and parses both ends. A missing left end has the
// value `first`, and a missing right end has the value `last`.
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
