package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/vkevd/vkevd/evd"
)

// part is the part of the spectrum that the flags name, or with neither all of it.
type part struct{ index, interval string }

// A rangeFlag is one of the two: given, it must not be empty, which a shell variable may be.
type rangeFlag struct{ word *string }

func (f rangeFlag) Set(word string) error {
	if word == "" {
		return errors.New("it is empty")
	}
	*f.word = word
	return nil
}

func (f rangeFlag) String() string { return *f.word }
func (f rangeFlag) Type() string   { return "string" }

// all says whether no part is named.
func (p part) all() bool { return p == part{} }

// of turns the words into a selection for order n.
func (p part) of(n int) (evd.Selection, error) {
	switch {
	case p.index != "" && p.interval != "":
		return evd.Selection{}, fmt.Errorf("--index does not go with --interval")
	case p.index != "":
		from, to, err := ends("--index", p.index, "i:j", strconv.Atoi, 0, n)
		return evd.Index(from, to), err
	case p.interval != "":
		a, b, err := ends("--interval", p.interval, "a:b", real, math.Inf(-1), math.Inf(1))
		return evd.Interval(a, b), err
	}
	return evd.Selection{}, nil
}

// ends splits a range at its colon; either end may be missing and stands for first or last then.
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
		err = fmt.Errorf("%s: %q is not of the form %s", flag, word, form)
	}
	return from, to, err
}

func real(word string) (float64, error) { return strconv.ParseFloat(word, 64) }
