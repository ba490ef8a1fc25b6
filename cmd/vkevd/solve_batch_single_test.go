package main

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/matio"
)

// TestFloat32StackGivesFloat32 checks that the files that --batch writes have the number type of
// the input.
func TestFloat32StackGivesFloat32(t *testing.T) {
	s := newFixture(t)
	single := func(matrices ...[]float32) string {
		var b bytes.Buffer
		if err := matio.WriteStack(&b, len(matrices), 2, 2, func(k int) []float32 { return matrices[k] }); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	s.file("F.npy", single([]float32{2, 1, 1, 2}, []float32{5, 0, 0, -7}))
	s.file("D.npy", stackFile(t, []float64{2, 1, 1, 2}, []float64{5, 0, 0, -7}))
	s.file("M.npz", npz("F.npy", single([]float32{2, 1, 1, 2}), "D.npy", stackFile(t, []float64{2, 1, 1, 2}), "One.npy", npyOf[float32](t, 2, 2, 2, 1, 1, 2)))
	for file, want := range map[string]string{"F.npy": "<f4", "D.npy": "<f8"} {
		if _, stderr, status := s.run("solve", "--batch", "--out-values", "v.npy", "--out-vectors", "q.npy", file); status != cli.StatusSuccess {
			t.Fatal(stderr)
		}
		for _, name := range []string{"v.npy", "q.npy"} {
			if text, _ := os.ReadFile(name); !bytes.Contains(text, []byte("'"+want+"'")) {
				t.Errorf("%s: %s is %q", file, name, text[:min(len(text), 80)])
			}
		}
	}
	if _, stderr, status := s.run("solve", "--batch", "--out-values", "v.npz", "--out-vectors", "q.npz", "M.npz"); status != cli.StatusSuccess {
		t.Fatal(stderr)
	}
	for _, name := range []string{"v.npz", "q.npz"} {
		all, err := matio.Options{}.ReadStacksFile(name)
		for i, array := range []string{"F", "D", "One"} {
			if name == "v.npz" {
				continue // values are no stacks of matrices
			}
			if err != nil || all.All[i].Name != array || all.All[i].Single != (array != "D") {
				t.Errorf("%s: %+v, %v", name, all, err)
			}
		}
	}
	// A value that is beyond the largest float32, but not beyond the largest double.
	s.file("H.npy", single([]float32{3e38, 3e38, 3e38, 3e38}))
	_, stderr, status := s.run("solve", "--batch", "--out-values", "v.npy", "H.npy")
	if status != cli.StatusNumerical || !strings.Contains(stderr, "matrix 0: eigenvalue 1 is beyond the largest float32") {
		t.Errorf("status %d, %s", status, stderr)
	}
	if v, err := matio.ReadFile("v.npy"); err != nil || !slices.ContainsFunc(v.Data, func(x float64) bool { return math.IsInf(x, 1) }) {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestBatchPrecision checks that a stack of doubles is solved in single precision with --precision
// f32, a stack of floats in double precision with --precision f64, and that a matrix beyond the
// range of single precision is refused.
func TestBatchPrecision(t *testing.T) {
	s := newFixture(t)
	s.file("D.npy", stackFile(t, []float64{2, 1, 1, 2}, []float64{5, 0, 0, -7}))
	for precision, want := range map[string]string{"f32": "2 matrices of order 2 in float32", "f64": "2 matrices of order 2 in float64"} {
		if _, stderr, status := s.run("solve", "--batch", "--precision", precision, "D.npy"); status != cli.StatusSuccess || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s", precision, status, stderr)
		}
	}
	s.file("I.npy", npyOf[float64](t, 2, 2, 1, 0, 0, 1))
	s.fails(cli.StatusInput, "D.npy: --precision f32 is for stacks without --b",
		"solve", "--batch", "--precision", "f32", "--b", "I.npy", "D.npy")
	s.file("H.npy", stackFile(t, []float64{2, 1, 1, 2}, []float64{1e39, 0, 0, -7}))
	s.fails(cli.StatusInput, "H.npy: matrix 1: a(1,1) is 1e+39, the largest entry, and beyond the range of single precision, 2⁻¹²⁶ to 2¹²⁸ (rows and columns from 1); --precision f64 solves it",
		"solve", "--batch", "--precision", "f32", "H.npy")
}
