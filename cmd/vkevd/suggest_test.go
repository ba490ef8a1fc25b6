package main

import (
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

// TestSuggestions checks that the program makes a suggestion for a misspelt flag, for a misspelt
// command, and for a file name instead of a command.
func TestSuggestions(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	s.file("matrix", twoByTwo)
	for args, want := range map[string]string{
		"solve --value-only A.mtx":   "unknown flag: --value-only (did you mean --values-only?); see vkevd solve --help",
		"solve --valuesonly A.mtx":   "unknown flag: --valuesonly (did you mean --values-only?); see vkevd solve --help",
		"solve --out-vector Q A.mtx": "unknown flag: --out-vector (did you mean --out-vectors?); see vkevd solve --help",
		"solve --frobnicate A.mtx":   "unknown flag: --frobnicate; see vkevd solve --help",
		"plan --vectros":             "unknown flag: --vectros (did you mean --vectors?); see vkevd plan --help",
		"svd --vectors A.mtx":        "unknown flag: --vectors (svd writes vectors with --out-u and --out-v); see vkevd svd --help",
		"svd --smallest 3 A.mtx":     "unknown flag: --smallest (svd computes all singular values, or the --largest K); see vkevd svd --help",
		"solve -k 3 A.mtx":           "unknown shorthand flag: 'k' in -k (a part of the eigenvalues: --smallest K, --largest K or --index I:J); see vkevd solve --help",
		"solve --k 3 A.mtx":          "unknown flag: --k (a part of the eigenvalues: --smallest K, --largest K or --index I:J); see vkevd solve --help",
		"svd -o u A.mtx":             "unknown shorthand flag: 'o' in -o (outputs: --out-values FILE, --out-u FILE and --out-v FILE); see vkevd svd --help",
		"solve --eigvals-only A.mtx": "unknown flag: --eigvals-only (--values-only, or --out-vectors FILE); see vkevd solve --help",
		"solve --output f A.mtx":     "unknown flag: --output (outputs: --out-values FILE and --out-vectors FILE); see vkevd solve --help",
		"solve --eigenvectors A.mtx": "unknown flag: --eigenvectors (--vectors computes them, --out-vectors FILE keeps them); see vkevd solve --help",
		"solve --complex A.mtx":      "unknown flag: --complex (elements in .npy, .npz or Matrix Market may be complex; no flag is needed); see vkevd solve --help",
		"svd --pca A.mtx":            "unknown flag: --pca (principal components: --center, or --scale for columns of different units); see vkevd svd --help",
		"svd --center --banded A":    "--center cannot be combined with --banded: its columns are not those of a table; see vkevd svd --help",
		"svd --U A.mtx":              "unknown flag: --U (U: --out-u FILE); see vkevd svd --help",
		"bench --gpu 0":              "unknown flag: --gpu (--device NAME); see vkevd bench --help",
		"plt":                        `unknown command "plt"; did you mean plot?`,
		"sovle":                      `unknown command "sovle"; did you mean solve?`,
		"plot stage":                 `unknown command "stage"; did you mean stages?`,
		"A.mtx":                      `unknown command "A.mtx"; to solve the matrix in a file: vkevd solve A.mtx`,
		"matrix":                     `unknown command "matrix"; to solve the matrix in a file: vkevd solve matrix`,
		"no/B.npy":                   `unknown command "no/B.npy"; to solve the matrix in a file: vkevd solve no/B.npy`,
		"-- solve x":                 "solve must stand before --, not after it",
	} {
		s.fails(cli.StatusInput, want, strings.Fields(args)...)
	}
}

// TestDistance checks the edit distance of words: an exchange of two neighbouring letters must
// count as one edit.
func TestDistance(t *testing.T) {
	for words, want := range map[[2]string]int{
		{"", ""}: 0, {"a", ""}: 1, {"plt", "plot"}: 1, {"plt", "plan"}: 2, {"sovle", "solve"}: 1, {"kitten", "sitting"}: 3,
	} {
		if got := cli.Distance(words[0], words[1]); got != want {
			t.Errorf("%q: %d, want %d", words, got, want)
		}
	}
}
