package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
)

// TestSolveMixed checks that --precision mixed computes vectors in double precision, and reports
// the refinement or why there was none. With --check it must also print the ratios of the
// certificate.
func TestSolveMixed(t *testing.T) {
	for _, c := range []struct{ matrix, values, says string }{
		{twoByTwo, oneThree, "refined  2 steps, 1 cluster of eigenvalues, the largest of 3\n"},
		{"0,1\n1,0\n", "-1\n1\n", "refined  2 steps, 1 cluster of eigenvalues, the largest of 3; solved anew: " + evd.ColdFar + "\n"},
	} {
		s := newFixture(t)
		s.file("A", c.matrix)
		stdout, stderr, status := s.run("solve", "--precision", "mixed", "--verify", "--check", "--out-vectors", "Q.npy", "--report", "r.json", "A")
		if status != cli.StatusSuccess || !strings.Contains(stderr, c.says) || !strings.Contains(stderr, "eigenvalues and vectors in mixed precision\n") || !strings.Contains(stderr, "0.25") {
			t.Errorf("status %d, %q\n%s", status, stdout, stderr)
		}
		expectClose(t, numbers(t, stdout), numbers(t, c.values))
		if q, err := os.ReadFile("Q.npy"); err != nil || !strings.Contains(string(q), "'<f8'") {
			t.Errorf("vectors of double precision: %v", err)
		}
		var r struct {
			Precision  string
			Refinement evd.Refinement
		}
		content, _ := os.ReadFile("r.json")
		if err := json.Unmarshal(content, &r); err != nil || r.Precision != "mixed" || r.Refinement.Steps != 2 || (r.Refinement.Cold == "") != (c.matrix == twoByTwo) {
			t.Errorf("report %+v, %v", r, err)
		}
	}
}

// TestSolveMixedForReal solves in mixed precision on the real device. Without further flags there
// must be vectors, because the refinement needs them.
func TestSolveMixedForReal(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	s := newFixture(t)
	s.file("A.npy", npy(3, 3, 2, 1, 0, 1, 2, 1, 0, 1, 2))
	stdout, stderr, status := s.real("solve", "--precision", "mixed", "--check", "A.npy")
	if status != cli.StatusSuccess || !strings.Contains(stderr, "refined ") || !strings.Contains(stderr, "residual") {
		t.Errorf("status %d\n%s", status, stderr)
	}
	expectClose(t, numbers(t, stdout), []float64{0.5857864376269049, 2, 3.414213562373095})
}

func TestMixedRefused(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	const why = ": a refinement corrects each vector by multiples of all others"
	for args, says := range map[string]string{
		"--values-only": "--precision mixed cannot be combined with --values-only",
		"--tridiagonal": "--precision mixed cannot be combined with --tridiagonal",
		"--start A.mtx": "--precision mixed cannot be combined with --start",
		"--smallest 1":  "--precision mixed cannot be combined with --smallest" + why,
		"--index 0:1":   "--precision mixed cannot be combined with --index" + why,
		"--device 0,1":  "--device 0,1: --precision mixed uses one device",
		"--batch":       "--precision mixed cannot be combined with --batch",
	} {
		s.fails(cli.StatusInput, says+"; see vkevd solve --help", append(strings.Fields("solve --precision mixed "+args), "A.mtx")...)
	}
	s.fails(cli.StatusInput, "--precision mixed cannot be combined with --svd; see vkevd plan --help", "plan", "-n", "5", "--svd", "--precision", "mixed")
	s.fails(cli.StatusInput, `--precision: "mixed" is not f32 or f64; see vkevd svd --help`, "svd", "--precision", "mixed", "A.mtx")
}

// TestPlanMixed checks that a plan in mixed precision has at least four stages, two matrices of
// doubles on the host, and one to three times the device memory of a refinement.
func TestPlanMixed(t *testing.T) {
	s := newFixture(t)
	var of [2]struct {
		Bytes, Host_bytes uint64
		Precision         string
		Stages            []struct{ Stage string }
	}
	for i, args := range []string{"--start", "--precision mixed"} {
		stdout, stderr, status := s.real(strings.Fields("plan -n 300 --json - " + args)...)
		if err := json.Unmarshal([]byte(stdout), &of[i]); err != nil || status != cli.StatusSuccess {
			t.Fatalf("status %d, %v\n%s%s", status, err, stdout, stderr)
		}
	}
	if of[1].Precision != "mixed" || len(of[1].Stages) < 4 || of[1].Host_bytes != 16*300*300 {
		t.Errorf("%+v", of)
	}
	if smaller := of[0].Bytes; of[1].Bytes < smaller || of[1].Bytes > 3*smaller {
		t.Errorf("%d bytes, %d for a refinement", of[1].Bytes, of[0].Bytes)
	}
}
