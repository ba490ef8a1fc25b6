package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func UnknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	word := args[0]
	var names []string
	for _, c := range cmd.Commands() {
		if c.Name() == word {
			return fmt.Errorf("%s must stand before --, not after it", word)
		}
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if near := nearest(word, names); near != "" {
		return fmt.Errorf("unknown command %q; did you mean %s?", word, near)
	}
	if !cmd.HasParent() && looksLikeFile(word) {
		return fmt.Errorf("unknown command %q; to solve the matrix in a file: vkevd solve %s", word, word)
	}
	if cmd.HasParent() {
		return fmt.Errorf("unknown command %q; %s has %s", word, cmd.CommandPath(), strings.Join(names, ", "))
	}
	return fmt.Errorf("unknown command %q; %s help lists them", word, cmd.Root().Name())
}

func looksLikeFile(word string) bool {
	if info, err := os.Stat(word); err == nil && !info.IsDir() {
		return true
	}
	return filepath.Ext(word) != "" || strings.ContainsRune(word, filepath.Separator)
}

// inOtherWords says how a command does what users of other programs expect of a flag. Each line has
// the name of the command, its unknown flags, and the text.
var inOtherWords = []struct{ command, flags, text string }{
	{"solve", "k n K num which", "a part of the eigenvalues: --smallest K, --largest K or --index I:J"},
	{"solve", "o output", "outputs: --out-values FILE and --out-vectors FILE"},
	{"solve", "eigenvectors", "--vectors computes them, --out-vectors FILE keeps them"},
	{"solve", "b overlap", generalized},
	{"svd", "k n K num which smallest index", "svd computes all singular values, or the --largest K"},
	{"svd", "o output out", "outputs: --out-values FILE, --out-u FILE and --out-v FILE"},
	{"svd", "vectors out-vectors", "svd writes vectors with --out-u and --out-v"},
	{"svd", "values-only", "svd computes vectors only with --out-u or --out-v"},
	{"svd", "center scale", "svd takes the matrix as it is; in Python: A = A - A.mean(axis=0), or A / A.std(axis=0)"},
	{"svd", "u U", "U: --out-u FILE"},
	{"svd", "v V", "V: --out-v FILE"},
	{"plan", "k K", "a part of the spectrum: --smallest K, --largest K or --index I:J"},
	{"plot", "out o", "flags follow the kind of picture: vkevd plot spectrum --out FILE"},
	{"", "dtype float32 single", "--precision f32"},
	{"", "gpu d", "--device NAME"},
	{"", "lower upper UPLO", "--uplo lower or --uplo upper"},
}

const generalized = "for A·x = λ·B·x, solve L⁻¹·A·L⁻ᵀ, where B = L·Lᵀ"

// SuggestFlag adds to an error about an unknown flag how the command does it, or else the most similar
// flag.
func SuggestFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	for _, w := range inOtherWords {
		if (w.command == "" || w.command == cmd.Name()) && slices.Contains(strings.Fields(w.flags), unknown.GetSpecifiedName()) {
			return fmt.Errorf("%w (%s)", err, w.text)
		}
	}
	if unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	if near := nearest(unknown.GetSpecifiedName(), names); near != "" {
		return fmt.Errorf("%w (did you mean --%s?)", err, near)
	}
	return err
}

// nearest returns the name with the smallest edit distance from a word. It returns "" if the
// distance is more than two, or at least half of the number of letters of the word.
func nearest(word string, names []string) string {
	best, least := "", min(2, (len(word)-1)/2)+1
	for _, name := range names {
		d := Distance(word, name)
		if strings.HasPrefix(name, word) && len(word) > 2 { // cut short
			d = min(d, 1)
		}
		if d < least {
			best, least = name, d
		}
	}
	return best
}

// Distance is the smallest number of edits that change the text `a` into the text `b` (optimal
// string alignment). An edit inserts, deletes or replaces a byte, or exchanges two neighbouring
// bytes.
func Distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}
