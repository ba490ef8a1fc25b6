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
