package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/matio"
)

// TestPrecision checks the precision of a solve. A .npy file of single precision is solved in
// single precision, and other files in double precision. The flag --precision overrides this rule.
// A file of vectors has the precision of the solve. Values are doubles.
func TestPrecision(t *testing.T) {
	var f4, f8 bytes.Buffer
	if err := matio.WriteNPY(&f4, 2, 2, []float32{2, 1, 1, 2}, 2); err != nil {
		t.Fatal(err)
	}
	if err := matio.WriteNPY(&f8, 2, 2, []float64{2, 1, 1, 2}, 2); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, file, precision string }{
		{"", "f4.npy", "float32"}, {"", "f8.npy", "float64"}, {"", "A.mtx", "float64"},
		{"--precision f64", "f4.npy", "float64"}, {"--precision f32", "f8.npy", "float32"}, {"--precision f32", "A.mtx", "float32"},
	} {
		s := newFixture(t)
		s.file("f4.npy", f4.String())
		s.file("f8.npy", f8.String())
		s.file("A.mtx", twoByTwo)
		args := append(strings.Fields("solve --check --out-vectors Q.npy --out-values v.npy --report r.json "+c.args), c.file)
		stdout, stderr, status := s.run(args...)
		if status != cli.StatusSuccess || stdout != oneThree || !strings.Contains(stderr, "in "+c.precision+"\n") {
			t.Errorf("%v: status %d, %q\n%s", args, status, stdout, stderr)
		}
		descr := map[string]string{"float32": "'<f4'", "float64": "'<f8'"}[c.precision]
		for name, descr := range map[string]string{"Q.npy": descr, "v.npy": "'<f8'"} {
			if content, err := os.ReadFile(name); err != nil || !bytes.Contains(content, []byte(descr)) {
				t.Errorf("%v: %s has no elements of %s: %v", args, name, descr, err)
			}
		}
		q, err := matio.ReadFile("Q.npy")
		if err != nil || q.Rows != 2 || q.Cols != 2 || !(q.At(0, 1)*q.At(1, 1) >= 0.49) {
			t.Errorf("%v: vectors %v, %v", args, q, err)
		}
		var r struct{ Precision string }
		content, _ := os.ReadFile("r.json")
		if err := json.Unmarshal(content, &r); err != nil || r.Precision != c.precision {
			t.Errorf("%v: report of %q, %v", args, r.Precision, err)
		}
	}
}

func TestPrecisionRefused(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	s.fails(cli.StatusInput, `--precision: "half" is not f32, f64 or mixed; see vkevd solve --help`, "solve", "--precision", "half", "A.mtx")
	s.fails(cli.StatusInput, "--precision f32 cannot be combined with --tridiagonal, which solves in double precision; leave out --precision; see vkevd solve --help", "solve", "--precision", "f32", "--tridiagonal", "A.mtx")
}

// TestPlanPrecision checks that a plan for single precision needs half of the memory of a plan for
// double precision.
func TestPlanPrecision(t *testing.T) {
	s := newFixture(t)
	var of [2]struct {
		Bytes, Host_bytes uint64
		Precision         string
	}
	for i, precision := range []string{"f64", "f32"} {
		stdout, stderr, status := s.run("plan", "-n", "1000", "--precision", precision, "--json", "-")
		if err := json.Unmarshal([]byte(stdout), &of[i]); err != nil || status != cli.StatusSuccess {
			t.Fatalf("status %d, %v\n%s%s", status, err, stdout, stderr)
		}
	}
	if of[0].Bytes != 2*of[1].Bytes || of[0].Host_bytes != 2*of[1].Host_bytes || of[0].Precision != "float64" || of[1].Precision != "float32" {
		t.Errorf("plans %+v", of)
	}
}
