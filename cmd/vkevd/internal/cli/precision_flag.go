package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// These are the values of --precision. If the flag is not given, a .npy file of single precision is
// solved in single precision, and any other file in double precision.
const (
	PrecisionSingle = "f32"
	PrecisionDouble = "f64"
	PrecisionMixed  = "mixed" // only for eigenvalues and eigenvectors
)

// PrecisionFlag adds the flag --precision. `more` continues its usage, and `others` are further words
// that the flag may have, in addition to f32 and f64.
func PrecisionFlag(cmd *cobra.Command, precision *string, more string, others ...string) {
	cmd.Flags().StringVar(precision, "precision", "",
		"`P` of matrix and result: f32 or f64 (default: that of a .npy file, else\n"+
			"f64); f32 needs about two thirds of the memory"+more)
	cmd.RegisterFlagCompletionFunc("precision", Words(append([]string{PrecisionSingle, PrecisionDouble}, others...)))
}

// CheckPrecision returns an error for an unknown precision. `others` are further words that the flag may
// have.
func CheckPrecision(cmd *cobra.Command, precision string, others ...string) error {
	known := append([]string{PrecisionSingle, PrecisionDouble}, others...)
	if precision == "" || slices.Contains(known, precision) {
		return nil
	}
	last := len(known) - 1
	return Usage(cmd, "--precision: %q is not %s or %s", precision, strings.Join(known[:last], ", "), known[last])
}

// PrecisionWords are the arguments of --precision, in the order of svd.Storage.
var PrecisionWords = []string{"f64", "f32", "f16"}
