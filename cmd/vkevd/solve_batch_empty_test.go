package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/matio"
)

// npyHeader returns the content of a .npy file of doubles that ends after its header.
func npyHeader(shape string) string {
	text := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': %s, }", shape)
	return fmt.Sprintf("\x93NUMPY\x01\x00%c\x00%s\n", len(text)+1, text)
}

// TestSolveBatchWithoutElements solves stacks of no matrices, and of matrices of order 0. The
// outputs have the shapes that numpy.linalg.eigh gives, or the input is refused. Some of the stacks
// of no matrices have orders that no plan can have. Such orders once ended the program.
func TestSolveBatchWithoutElements(t *testing.T) {
	for _, c := range []struct{ args, shape, values, vectors string }{
		{"", "(0, 3, 3)", "(0, 3)", "(0, 3, 3)"},
		{"", "(0, 0, 0)", "(0, 0)", "(0, 0, 0)"},
		{"", "(0, 1048576, 1048576)", "(0, 1048576)", "(0, 1048576, 1048576)"},
		{"", "(0, 4398046511104, 4398046511104)", "", ""},
		{"--largest 2", "(0, 3, 3)", "(0, 2)", "(0, 3, 2)"},
		{"--smallest 1", "(0, 1048576, 1048576)", "(0, 1)", "(0, 1048576, 1)"},
		{"--tridiagonal", "(0, 2, 5)", "(0, 5)", "(0, 5, 5)"},
		{"--tridiagonal", "(0, 2, 1000000000000)", "(0, 1000000000000)", "(0, 1000000000000, 1000000000000)"},
		{"", "(1000000000000, 0, 0)", "", ""},
		{"--tridiagonal", "(1000000000000, 2, 0)", "", ""},
	} {
		s := newFixture(t)
		s.file("A.npy", npyHeader(c.shape))
		s.file("A.npz", npz("S.npy", npyHeader(c.shape)))
		for _, ending := range []string{".npy", ".npz"} {
			args := strings.Fields("solve --batch " + c.args + " --out-values v" + ending + " --out-vectors q" + ending + " A" + ending)
			stdout, stderr, status := s.run(args...)
			if c.values == "" {
				if status != cli.StatusInput || !strings.Contains(stderr, "\nvkevd: A"+ending+": ") {
					t.Errorf("%s: status %d\n%s", c.shape, status, stderr)
				}
				continue
			}
			if status != cli.StatusSuccess || stdout != "" {
				t.Errorf("%s: status %d, output %q\n%s", c.shape, status, stdout, stderr)
				continue
			}
			for file, want := range map[string]string{"v" + ending: c.values, "q" + ending: c.vectors} {
				content, err := os.ReadFile(file)
				if err != nil || !strings.Contains(string(content), "'shape': "+want+",") {
					t.Errorf("%s of %s: %q, %v; want %s", file, c.shape, content, err, want)
				}
			}
		}
	}
}

func TestSolveBatchOfOrderZero(t *testing.T) {
	s := newFixture(t)
	s.file("A.npy", npyHeader("(3, 0, 0)"))
	stdout, stderr, status := s.run(strings.Fields("solve --batch --out-values v.npy --out-vectors q.npy A.npy")...)
	if status != cli.StatusSuccess || stdout != "\n\n\n" {
		t.Errorf("status %d, output %q\n%s", status, stdout, stderr)
	}
	if v, err := matio.ReadFile("v.npy"); err != nil || v.Rows != 3 || v.Cols != 0 {
		t.Errorf("values %+v, %v", v, err)
	}
	if q, err := matio.ReadStackFile("q.npy"); err != nil || q.Count != 3 || q.Rows != 0 || q.Cols != 0 {
		t.Errorf("vectors %+v, %v", q, err)
	}
}
