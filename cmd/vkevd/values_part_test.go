package main

import (
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

// TestValuesFileKnowsItsPart checks text files of values. The first line says which
// part it is; other programs read this line as a comment. The command plot must show the right
// indices. The flag --first must override the line in the file.
func TestValuesFileKnowsItsPart(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", "%%MatrixMarket matrix array real symmetric\n4 4\n1\n0\n0\n0\n2\n0\n0\n3\n0\n4\n")
	s.real("solve", "--index", "1:3", "--out-values", "part.txt", "A.mtx")
	s.run("solve", "--out-values", "all.txt", "A.mtx")
	s.real("svd", "--largest", "3", "--out-values", "largest.txt", "A.mtx")
	for file, want := range map[string]string{
		"part.txt": "# eigenvalues 1:3 of 4\n", "all.txt": "# eigenvalues 0:4 of 4\n", "largest.txt": "# singular values 0:3 of 4\n",
	} {
		if text, err := os.ReadFile(file); !strings.HasPrefix(string(text), want) {
			t.Errorf("%s: %q, %v", file, text, err)
		}
	}
	s.file("wrong.txt", "# eigenvalues 1:4 of 4\n2\n3\n")
	s.file("comment.txt", "# my eigenvalues\n2\n3\n")
	for args, want := range map[string]string{
		"part.txt": "Eigenvalues of part.txt, 1:3 of n = 4", "--first 7 part.txt": "Eigenvalues of part.txt, 7:9",
		"--singular largest.txt": "Singular values of largest.txt, 0:3 of n = 4",
		"all.txt":                "Eigenvalues of all.txt, n = 4", "wrong.txt": "Eigenvalues of wrong.txt, n = 2", "comment.txt": "Eigenvalues of comment.txt, n = 2",
	} {
		if _, stderr, status := s.run(append([]string{"plot", "spectrum", "--out", "p.svg"}, strings.Fields(args)...)...); status != cli.StatusSuccess {
			t.Fatal(stderr)
		}
		if text := svgText(t, "p.svg"); !strings.Contains(text, want) {
			t.Errorf("%s: %s, want %s", args, text, want)
		}
	}
}
