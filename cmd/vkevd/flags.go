package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/pflag"
)

// kindsOfFlags are in words what pflag calls the types of flags.
var kindsOfFlags = map[string]string{
	"int":      "a whole number",
	"intSlice": "a list of whole numbers, such as 100,200",
	"float64":  "a number",
	"duration": "a time, such as 90s or 2m",
	"bool":     "true or false",
}

// aboutFlag says what a flag's value should have been; pflag passes on what Go's parsers say.
func aboutFlag(err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	flag, value := bad.GetFlag(), bad.GetValue()
	kind, known := kindsOfFlags[flag.Value.Type()]
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("--%s: %s is out of range", flag.Name, value)
	case known:
		return fmt.Errorf("--%s: %q is not %s", flag.Name, value, kind)
	}
	return err
}

// mostOrder is far above what any device can hold, and low enough for the host's bookkeeping.
const mostOrder = 10_000_000

// tooLarge refuses orders that no machine could hold a matrix of.
func tooLarge(orders ...int) error {
	for _, n := range orders {
		if n > mostOrder {
			return fmt.Errorf("--n: %d is too large, at most %d", n, mostOrder)
		}
	}
	return nil
}
