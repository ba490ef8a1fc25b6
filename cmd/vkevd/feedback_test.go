package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
)

// TestSilentWithoutATerminal checks a command whose standard error is not a terminal. It must print
// only what the user must know or has asked for.
func TestSilentWithoutATerminal(t *testing.T) {
	s := newFixture(t)
	s.dumb = false
	s.solved()
	s.file("rounding.npy", npy(2, 2, 1, 2, 2*(1-report.Ulp), 1))
	s.file("stack.npy", stackFile(t, []float64{2, 1, 1, 2}, []float64{5, 0, 0, -7}))
	const (
		averaged = "rounding.npy: symmetric up to rounding errors of 4.4e-16 at most, which are averaged\n"
		good     = "residual                             0.25  good  ‖A·Q − Q·Λ‖₁ / (n·ε·‖A‖₁)\n" +
			"orthogonality                         0.5  good  ‖I − Qᵀ·Q‖₁ / (n·ε)\n"
	)
	for _, c := range []struct{ args, want string }{
		{"solve A.mtx", ""},
		{"solve --out-vectors Q2.npy --report r.json A.mtx", ""},
		{"solve rounding.npy", averaged},
		{"solve --check A.mtx", good},
		{"solve --vectors A.mtx", "The vectors were not kept: --out-vectors keeps them.\n"},
		{"solve --quiet --vectors --check rounding.npy", ""},
		{"solve --batch stack.npy", ""},
		{"svd A.mtx", ""},
		{"check A.mtx v.txt Q.npy", ""},
		{"bench -n 10 gemm --json -", ""},
		{"devices", ""},
	} {
		if _, stderr, status := s.run(strings.Fields(c.args)...); stderr != c.want || status != cli.StatusSuccess {
			t.Errorf("%s: status %d\n%s\nwant\n%s", c.args, status, stderr, c.want)
		}
	}
	for _, args := range []string{"solve", "svd"} {
		s.dumb = false
		if _, stderr, _ := s.run(args, "--verbose", "A.mtx"); !strings.Contains(stderr, "reading A.mtx\n") || !strings.Contains(stderr, "\ntotal ") {
			t.Errorf("%s --verbose said\n%s", args, stderr)
		}
		s.dumb = true
		if _, stderr, _ := s.run(args, "A.mtx"); !strings.Contains(stderr, "reading A.mtx\n") || !strings.Contains(stderr, "\ntotal ") || strings.Contains(stderr, "\r") {
			t.Errorf("%s on a dumb terminal said\n%q", args, stderr)
		}
	}
	s.fails(cli.StatusInput, "--quiet cannot be combined with --verbose; see vkevd solve --help", "solve", "--quiet", "--verbose", "A.mtx")
}

// TestRetriedIsTold checks a solve that needed a second attempt. The reason must be printed to
// standard error and must be in the report.
func TestRetriedIsTold(t *testing.T) {
	s := newFixture(t)
	s.dumb = false
	s.file("A.mtx", twoByTwo)
	s.machine.retried = &evd.StageError{Stage: "bulge chasing", Info: 3}
	stdout, stderr, status := s.run("solve", "--out-values", "v", "--report", "-", "A.mtx")
	var report struct{ Retried string }
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || status != cli.StatusSuccess ||
		report.Retried != s.machine.retried.Error() || stderr != "retried  "+report.Retried+"\n" {
		t.Errorf("status %d, %v, report %q, stderr %q", status, err, report.Retried, stderr)
	}
}
