package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
)

// illConditioned writes pairs of order 8 whose B has the condition number 10¹⁰ (Hilbert's matrix),
// or for single precision 2·10⁴.
func (s *fixture) illConditioned() {
	const n = 8
	var a, b, mild []float64
	for k := range n * n {
		i, j := float64(k%n), float64(k/n)
		a, b = append(a, math.Cos(3*(i+j)+i*j)), append(b, 1/(i+j+1))
		mild = append(mild, b[k])
		if i == j {
			mild[k] += 1e-4
		}
	}
	s.file("A.npy", npy(n, n, a...))
	s.file("B.npy", npy(n, n, b...))
	s.file("mild.npy", npy(n, n, mild...))
	s.file("stack.npy", strings.Replace(npy(n, n, a...), "(8, 8), }", "(1,8,8),}", 1))
	z := "%%MatrixMarket matrix array complex hermitian\n8 8\n"
	for j := range n {
		for i := j; i < n; i++ {
			z += fmt.Sprintln(a[i+j*n], math.Sin(float64(i-j)))
		}
	}
	s.file("Az.mtx", z)
}

// TestRefinePairs solves ill-conditioned pairs without and with --refine. The host measures the
// residuals, which must become small.
func TestRefinePairs(t *testing.T) {
	s := newFixture(t)
	s.illConditioned()
	residual := func(args string) float64 {
		s.Helper()
		_, stderr, status := s.real(append(strings.Fields("solve --verbose --out-vectors X.npy --out-values v.txt --report r.json"), strings.Fields(args)...)...)
		var r struct {
			Refinement *struct{ Steps int }
			Stages     []struct{ Name string }
		}
		text, _ := os.ReadFile("r.json")
		if err := json.Unmarshal(text, &r); err != nil || status != cli.StatusSuccess {
			t.Fatalf("%s: status %d, %v\n%s", args, status, err, stderr)
		}
		refined := strings.Contains(args, "--refine")
		if (r.Refinement != nil && r.Refinement.Steps > 0) != refined || strings.Contains(stderr, "\nrefined  ") != refined ||
			strings.Contains(string(text), `"refinement, products"`) != refined {
			t.Errorf("%s: report %+v\n%s", args, r, stderr)
		}
		args = strings.TrimPrefix(strings.TrimPrefix(args, "--refine "), "--precision f32 ")
		stdout, stderr, _ := s.real(append(strings.Fields("check --host --json - "), append(strings.Fields(args), "v.txt", "X.npy")...)...)
		var m struct{ Residual, Orthogonality float64 }
		if err := json.Unmarshal([]byte(stdout), &m); err != nil || !(m.Orthogonality < 1) {
			t.Errorf("%s: %v, %s%s", args, err, stdout, stderr)
		}
		return m.Residual
	}
	for _, pair := range []string{"--b B.npy A.npy", "--b B.npy Az.mtx", "--precision f32 --b mild.npy A.npy"} {
		before, after := residual(pair), residual("--refine "+pair)
		if !(after < 1) || !(before > 10*after) {
			t.Errorf("%s: residual %.3g, refined %.3g", pair, before, after)
		}
	}
	for flag, good := range map[string]bool{"--check": false, "--check --refine": true} { // many A and one B
		stdout, stderr, status := s.real(append(strings.Fields("solve --batch --b B.npy "+flag), "stack.npy")...)
		if (status == cli.StatusSuccess) != good {
			t.Errorf("%s: status %d\n%s%s", flag, status, stdout, stderr)
		}
	}
	// Values alone are refined by their vectors, which nobody wants then.
	if _, stderr, status := s.real(strings.Fields("solve --b B.npy --refine A.npy")...); status != cli.StatusSuccess || strings.Contains(stderr, "not kept") {
		t.Errorf("status %d\n%s", status, stderr)
	}
	stdout, stderr, status := s.real(strings.Fields("plan -n 100 --b --refine")...)
	if status != cli.StatusSuccess || !strings.Contains(stdout, "\nrefinement, products ") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	// Steps that do not help are none of the result.
	s.pair()
	_, stderr, status = s.real(strings.Fields("solve --verbose --b B.mtx --refine A.mtx")...)
	if status != cli.StatusSuccess || !strings.Contains(stderr, "\nrefined  ") {
		t.Errorf("status %d\n%s", status, stderr)
	}
}

// TestRefinementFacts checks what is said about a refinement that has not helped, or cannot be done.
func TestRefinementFacts(t *testing.T) {
	f := &report.Facts{Pair: &report.PairFacts{Type: 1}, Refinement: &evd.Refinement{}}
	var said strings.Builder
	f.Summary(&said)
	f.Refinement.Cold = "of a test"
	f.Remarks(&said)
	for _, text := range []string{"\nrefined  0 steps: none has made the residual smaller\n", "refined  0 steps; no further step is possible: of a test\n"} {
		if !strings.Contains(said.String(), text) {
			t.Errorf("%q is missing:\n%s", text, said.String())
		}
	}
}

func TestRefineRefused(t *testing.T) {
	s := newFixture(t)
	const end = "; see vkevd solve --help"
	for args, says := range map[string]string{
		"--refine A.npy":                                     "--refine needs --b; solve --start refines vectors of one matrix",
		"--refine --b B.npy --type 2 A.npy":                  "--refine cannot be combined with --type 2: only A·x = λ·B·x needs it",
		"--refine --b B.npy --type 3 A.npy":                  "--refine cannot be combined with --type 3: only A·x = λ·B·x needs it",
		"--refine --b B.npy --overlap canonical A.npy":       "--refine cannot be combined with --overlap: it needs a B of which no direction is dropped",
		"--refine --b B.npy --values-only A.npy":             "--refine cannot be combined with --values-only: it refines values by their vectors",
		"--refine --b B.npy --smallest 2 A.npy":              "--refine cannot be combined with --smallest: a refinement corrects each vector by multiples of all others",
		"--refine --b B.npy --largest 2 A.npy":               "--refine cannot be combined with --largest: a refinement corrects each vector by multiples of all others",
		"--refine --b B.npy --index 0:2 A.npy":               "--refine cannot be combined with --index: a refinement corrects each vector by multiples of all others",
		"--refine --b B.npy --interval 0:2 --batch A.npy":    "--refine cannot be combined with --interval: a refinement corrects each vector by multiples of all others",
		"--refine --b B.npy --precision mixed --quiet A.npy": "--precision mixed cannot be combined with --b",
	} {
		s.fails(cli.StatusInput, says+end, append([]string{"solve"}, strings.Fields(args)...)...)
	}
	s.fails(cli.StatusInput, "--refine cannot be combined with --overlap: it needs a B of which no direction is dropped; see vkevd plan --help",
		strings.Fields("plan -n 9 --b --refine --overlap canonical")...)
	help, _, _ := s.run("solve", "--help")
	if !strings.Contains(help, "--refine") || !strings.Contains(help, "with --b: improve all vectors and values after the solve, for an\n") {
		t.Error(help)
	}
	if _, _, status := s.run("check", "--b", "B.npy", "--refine", "A.npy", "v.txt", "X.npy"); status != cli.StatusInput {
		t.Errorf("check --refine: status %d", status)
	}
}
