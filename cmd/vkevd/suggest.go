package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// unknownCommand returns an error if the first argument is not a command below the command `cmd`.
func unknownCommand(cmd *cobra.Command, args []string) error {
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
	help := cmd.Root().Name() + " help"
	if cmd.HasParent() {
		help += " " + cmd.Name()
	}
	return fmt.Errorf("unknown command %q; %s lists them", word, help)
}

// looksLikeFile tells whether a word is the name of a file, or at least contains a folder or a file
// name ending.
func looksLikeFile(word string) bool {
	if info, err := os.Stat(word); err == nil && !info.IsDir() {
		return true
	}
	return filepath.Ext(word) != "" || strings.ContainsRune(word, filepath.Separator)
}

// inOtherWords says how a command does what a flag of another command does.
var inOtherWords = map[string]string{
	"svd --vectors":     vectorsOfSVD,
	"svd --out-vectors": vectorsOfSVD,
	"svd --values-only": "svd computes vectors only with --out-u or --out-v",
	"svd --smallest":    "svd computes all singular values, or the --largest K",
	"svd --index":       "svd computes all singular values, or the --largest K",
}

const vectorsOfSVD = "svd writes vectors with --out-u and --out-v"

// suggestFlag adds the most similar flag to an error about an unknown flag.
func suggestFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if hint := inOtherWords[cmd.Name()+" --"+unknown.GetSpecifiedName()]; hint != "" {
		return fmt.Errorf("%w (%s)", err, hint)
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
		d := distance(word, name)
		if strings.HasPrefix(name, word) && len(word) > 2 { // cut short
			d = min(d, 1)
		}
		if d < least {
			best, least = name, d
		}
	}
	return best
}

// distance is the smallest number of edits that change the text `a` into the text `b` (optimal
// string alignment). An edit inserts, deletes or replaces a byte, or exchanges two neighbouring
// bytes.
func distance(a, b string) int {
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
