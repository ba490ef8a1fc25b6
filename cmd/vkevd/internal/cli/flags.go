package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var flagTypes = map[string]string{
	"int":      "a whole number",
	"intSlice": "a list of whole numbers, such as 100,200",
	"float64":  "a number",
	"duration": "a time, such as 90s or 2m",
	"bool":     "true or false",
}

// AboutFlag replaces an error of package pflag about the value of a flag. The new error says what
// the value must be; pflag's errors contain only the errors of Go's parsers.
func AboutFlag(err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	flag, value := bad.GetFlag(), bad.GetValue()
	kind, known := flagTypes[flag.Value.Type()]
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("--%s: %s is out of range", flag.Name, value)
	case As[*ValueError](err):
		return fmt.Errorf("--%s: %w", flag.Name, bad.Unwrap())
	case known:
		return fmt.Errorf("--%s: %q is not %s", flag.Name, value, kind)
	}
	return err
}

// MaxOrder is the largest order that flags may have. It is larger than the order of any dense
// matrix that fits into a device, but small enough for the tables that a plan makes on the host.
const MaxOrder = 10_000_000

func CheckOrders(orders ...int) error {
	for _, n := range orders {
		if n > MaxOrder {
			return fmt.Errorf("--n: %d is too large, at most %d", n, MaxOrder)
		}
	}
	return nil
}

type ValueError struct{ Reason string }

func (e *ValueError) Error() string { return e.Reason }

// These are the values of --precision. If the flag is not given, a .npy file of single precision is
// solved in single precision, and any other file in double precision.
const (
	PrecisionSingle = "f32"
	PrecisionDouble = "f64"
	PrecisionMixed  = "mixed" // only for eigenvalues and eigenvectors
)

// PrecisionFlag adds the flag --precision. `more` continues its usage, and `others` are further
// words that the flag may have, in addition to f32 and f64.
func PrecisionFlag(cmd *cobra.Command, precision *string, more string, others ...string) {
	cmd.Flags().StringVar(precision, "precision", "",
		"`P` of matrix and result: f32 or f64 (default: that of a .npy file, else\n"+
			"f64); f32 needs about two thirds of the memory"+more)
	cmd.RegisterFlagCompletionFunc("precision", Words(append([]string{PrecisionSingle, PrecisionDouble}, others...)))
}

func CheckPrecision(cmd *cobra.Command, precision string, others ...string) error {
	known := append([]string{PrecisionSingle, PrecisionDouble}, others...)
	if precision == "" || slices.Contains(known, precision) {
		return nil
	}
	last := len(known) - 1
	return Usage(cmd, "--precision: %q is not %s or %s", precision, strings.Join(known[:last], ", "), known[last])
}

// PrecisionWords are the arguments of --storage, and of --precision in vkevd accuracy, in the order
// of the constants of type svd.Storage.
var PrecisionWords = []string{"f64", "f32", "f16"}
