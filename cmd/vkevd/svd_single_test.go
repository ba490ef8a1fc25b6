package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/internal/when"
)

// npyOf returns a .npy file of a matrix of T, stored by columns.
func npyOf[T float32 | float64](t *testing.T, rows, cols int, data ...T) string {
	t.Helper()
	var b bytes.Buffer
	if err := matio.WriteNPY(&b, rows, cols, data, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSVDPrecision checks the precision of vkevd svd. A .npy file of single precision is solved in
// single precision, and other files in double precision. The flag --precision overrides this rule.
// Files of vectors have the precision of the solve, and values are doubles. Diagonals follow the
// same rule.
func TestSVDPrecision(t *testing.T) {
	for _, c := range []struct{ args, file, precision string }{
		{"", "f4.npy", "float32"}, {"", "f8.npy", "float64"}, {"", "A.mtx", "float64"},
		{"--precision f64", "f4.npy", "float64"}, {"--precision f32", "f8.npy", "float32"}, {"--precision f32", "A.mtx", "float32"},
		{"--bidiagonal --precision f32", "C.txt", "float32"}, {"--bidiagonal", "C.txt", "float64"},
	} {
		s := newFixture(t)
		s.file("f4.npy", npyOf[float32](t, 2, 3, -3, 0, 0, 0, 0, 4))
		s.file("f8.npy", npyOf[float64](t, 2, 3, -3, 0, 0, 0, 0, 4))
		s.file("A.mtx", threeFour)
		s.file("C.txt", "2\n3 0\n4\n")
		args := append(strings.Fields("svd --check --out-u U.npy --out-v V.npy --out-values v.npy --report r.json "+c.args), c.file)
		stdout, stderr, status := s.run(args...)
		if status != cli.StatusSuccess || !strings.Contains(stderr, "in "+c.precision+"\n") || !strings.Contains(stderr, "residual") {
			t.Errorf("%v: status %d, %q\n%s", args, status, stdout, stderr)
		}
		expectClose(t, numbers(t, stdout), numbers(t, fourThree))
		descr := map[string]string{"float32": "'<f4'", "float64": "'<f8'"}[c.precision]
		for name, descr := range map[string]string{"U.npy": descr, "V.npy": descr, "v.npy": "'<f8'"} {
			if content, err := os.ReadFile(name); err != nil || !bytes.Contains(content, []byte(descr)) {
				t.Errorf("%v: %s has no elements of %s: %v", args, name, descr, err)
			}
		}
		var r struct{ Precision string }
		content, _ := os.ReadFile("r.json")
		if err := json.Unmarshal(content, &r); err != nil || r.Precision != c.precision {
			t.Errorf("%v: report of %q, %v", args, r.Precision, err)
		}
	}
	s := newFixture(t)
	s.file("A.mtx", threeFour)
	s.fails(cli.StatusInput, `--precision: "half" is not f32 or f64; see vkevd svd --help`, "svd", "--precision", "half", "A.mtx")
}

// TestSVDBandInSingle solves the diagonals of a band that lie in a file of single precision.
func TestSVDBandInSingle(t *testing.T) {
	s := newFixture(t)
	s.file("band.npy", npyOf[float32](t, 2, 3, 9, 3, 0, 4, 0, 5)) // 9 lies outside the matrix
	stdout, stderr, status := s.run("svd", "--verbose", "--banded", "band.npy")
	if status != cli.StatusSuccess || !strings.Contains(stderr, "3 by 3, singular values in float32\n") {
		t.Errorf("status %d, %q\n%s", status, stdout, stderr)
	}
	expectClose(t, numbers(t, stdout), []float64{5, 4, 3})
}

// TestBeyondSinglePrecision solves matrices of doubles with --precision f32. If the largest entry
// is beyond the range of single precision, the error must name this entry. An earlier version
// rounded large entries to infinity and all small entries to zero.
func TestBeyondSinglePrecision(t *testing.T) {
	for _, command := range []string{"svd", "solve"} {
		s := newFixture(t)
		s.file("large.npy", npyOf(t, 2, 2, 1, 1e39, 1e39, 0))
		s.file("small.npy", npyOf(t, 2, 2, 0, 1e-50, 1e-50, -1e-40))
		s.file("partly.npy", npyOf(t, 2, 2, 1, 1e-50, 1e-50, 1e30))
		s.file("zero.npy", npyOf[float64](t, 2, 2, 0, 0, 0, 0))
		const beyond = ", the largest entry, and beyond the range of single precision, 2⁻¹²⁶ to 2¹²⁸ (rows and columns from 1); --precision f64 solves it"
		s.fails(cli.StatusInput, "large.npy: a(2,1) is 1e+39"+beyond, command, "--precision", "f32", "large.npy")
		s.fails(cli.StatusInput, "small.npy: a(2,2) is -1e-40"+beyond, command, "--precision", "f32", "small.npy")
		for _, file := range []string{"partly.npy", "zero.npy"} {
			if _, stderr, status := s.run(command, "--precision", "f32", file); status != cli.StatusSuccess {
				t.Errorf("%s %s: status %d\n%s", command, file, status, stderr)
			}
		}
		if _, stderr, status := s.run(command, "large.npy"); status != cli.StatusSuccess {
			t.Errorf("%s in double precision: status %d\n%s", command, status, stderr)
		}
	}
}

// TestPlanSVDPrecision checks that the plan for singular values follows --precision.
func TestPlanSVDPrecision(t *testing.T) {
	s := newFixture(t)
	var of [2]struct {
		Bytes, Host_bytes uint64
		Precision         string
	}
	for i, precision := range []string{"f64", "f32"} {
		stdout, stderr, status := s.run("plan", "--svd", "-n", "1000", "--vectors", "--precision", precision, "--json", "-")
		if err := json.Unmarshal([]byte(stdout), &of[i]); err != nil || status != cli.StatusSuccess {
			t.Fatalf("status %d, %v\n%s%s", status, err, stdout, stderr)
		}
	}
	if of[0].Bytes != 2*of[1].Bytes || of[0].Host_bytes != 2*of[1].Host_bytes || of[0].Precision != "float64" || of[1].Precision != "float32" {
		t.Errorf("plans %+v", of)
	}
}

// TestCheckSVDOfSinglePrecision checks singular values and vectors that the real device computes in
// single precision. The ratios must be in units of the ε of single precision, whichever of the
// files are float32. With the ε of double precision all of them would be bad.
func TestCheckSVDOfSinglePrecision(t *testing.T) {
	when.Skip(t, when.Quick, "tests of svd check such results")
	s := newFixture(t)
	s.file("f4.npy", npyOf[float32](t, 3, 2, 1, 3, 3, 2, 0.3, 0.7))
	s.file("f8.npy", npyOf[float64](t, 3, 2, 1, 3, 3, 2, 0.25, 0.75))
	for _, file := range []string{"f4.npy", "f8.npy"} {
		if _, stderr, status := s.real("svd", "--check", "--precision", "f32", "--out-values", "v.txt", "--out-u", "U.npy", "--out-v", "V.npy", file); status != cli.StatusSuccess {
			t.Fatalf("%s: status %d\n%s", file, status, stderr)
		}
		for _, args := range []string{"check --svd", "check --svd --host"} {
			stdout, stderr, status := s.real(append(strings.Fields(args), file, "v.txt", "U.npy", "V.npy")...)
			if status != cli.StatusSuccess || strings.Count(stdout, "ε = 2⁻²³") != 3 {
				t.Errorf("%s %s: status %d\n%s%s", args, file, status, stdout, stderr)
			}
		}
	}
	if stdout, stderr, status := s.real("check", "--svd", "f8.npy", "v.txt"); status != cli.StatusNumerical || !strings.Contains(stdout, "ε = 2⁻⁵²") {
		t.Errorf("values of single precision as doubles: status %d\n%s%s", status, stdout, stderr)
	}
}
