package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

// copies writes the matrices A and B of a pair for three basis functions. The third function is
// four times the first one. Without it, A = [2 1; 1 2] and B = diag(4, 1).
func (s *fixture) copies() {
	s.pair()
	s.file("A3.mtx", banner+"symmetric\n3 3 6\n1 1 2\n2 1 1\n2 2 2\n3 1 8\n3 2 4\n3 3 32\n")
	s.file("B3.mtx", banner+"symmetric\n3 3 4\n1 1 4\n2 2 1\n3 1 16\n3 3 64\n")
	s.file("B3z.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n3 3 4\n1 1 4 0\n2 2 1 0\n3 1 16 0\n3 3 64 0\n")
	s.file("minus3.mtx", banner+"symmetric\n3 3 1\n1 1 -1\n")
}

// TestOverlap solves a pair in which one basis function depends on another one. The values must be
// those of the pair without this function, and solve and check must judge the result good.
func TestOverlap(t *testing.T) {
	s := newFixture(t)
	s.copies()
	for _, flags := range []string{"--b B3.mtx", "--b B3z.mtx", "--b B3.mtx --precision f32"} {
		tolerance := 1e-14
		if strings.Contains(flags, "f32") {
			tolerance = 1e-6
		}
		given := append(strings.Fields(flags), "--overlap", "canonical:1e-6", "A3.mtx")
		stdout, stderr, status := s.real(append(strings.Fields("solve --verify --check --verbose --out-values v.txt --out-vectors X.npy --report r.json"), given...)...)
		var got [2]float64
		fmt.Sscan(stdout, &got[0], &got[1])
		for k, x := range got {
			if status != cli.StatusSuccess || strings.Count(stdout, "\n") != 2 || !(math.Abs(x-pairValues[1][k]) <= tolerance) {
				t.Errorf("%s: status %d\n%s%s", flags, status, stdout, stderr)
			}
		}
		for _, text := range []string{
			"overlap  1 direction dropped, eigenvalues of B up to ", "; kept from 1\n",
			"‖Vᴴ·(A·x − λ·B·x)‖₁ / (n·ε·(‖A‖₁ + |λ|·‖B‖₁)·‖x‖₁), V: what was kept of B", "verified", "condition 2\n",
		} {
			if !strings.Contains(stderr, text) {
				t.Errorf("%s: %q is missing:\n%s", flags, text, stderr)
			}
		}
		var r struct {
			Pair struct {
				Overlap struct {
					Threshold, Dropped float64
					Kept               float64 `json:"smallest_kept"`
					Lost               float64 `json:"largest_dropped"`
				}
			}
		}
		text, _ := os.ReadFile("r.json")
		if o := &r.Pair.Overlap; json.Unmarshal(text, &r) != nil || o.Threshold != 1e-6 || o.Dropped != 1 || !(math.Abs(o.Kept-1) < 1e-6) || !(math.Abs(o.Lost) < 1e-6) {
			t.Errorf("%s: report %+v", flags, r)
		}
		if strings.Contains(flags, "f32") {
			continue // check reads A3.mtx as doubles
		}
		check := append([]string{"check", "--overlap", "canonical"}, append(strings.Fields(flags), "A3.mtx", "v.txt", "X.npy")...)
		if stdout, stderr, status := s.real(check...); status != cli.StatusSuccess || strings.Count(stdout, "good") != 2 {
			t.Errorf("check %s: status %d\n%s%s", flags, status, stdout, stderr)
		}
	}
	if _, stderr, status := s.real(strings.Fields("solve --verbose --b B.mtx --overlap canonical A.mtx")...); status != cli.StatusSuccess ||
		!strings.Contains(stderr, "overlap  0 directions dropped, eigenvalues of B up to 0; kept from 1\n") {
		t.Errorf("status %d\n%s", status, stderr)
	}
	if stdout, stderr, status := s.real(strings.Fields("plan -n 100 --b --overlap canonical")...); status != cli.StatusSuccess || !strings.Contains(stdout, "projection") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
}

func TestOverlapRefused(t *testing.T) {
	cmd := &cobra.Command{}
	overlapFlag(cmd, new(string))
	if usage := cmd.Flags().Lookup("overlap").Usage; usage != "with --b: canonical[:`T`] drops the directions in which B is nearly\nsingular: eigenvalues of at most T times the largest, if B has ones on\nits diagonal (default: 1e-7)" {
		t.Error(usage)
	}
	s := newFixture(t)
	s.copies()
	for args, says := range map[string]string{
		"solve --b B3.mtx A3.mtx":                                        "B3.mtx: B is not positive definite: its leading minor of order 3 is not; --overlap canonical drops directions in which B is singular",
		"solve --b minus3.mtx --overlap canonical A3.mtx":                "minus3.mtx: B is not positive semidefinite: its eigenvalues are between -1 and 0, if its diagonal is scaled to ones",
		"solve --b B3.mtx --overlap canonical --smallest 3 A3.mtx":       "[0, 3) is not a range of 2 values, because directions of B were dropped",
		"solve --b B3.mtx --overlap lowdin A3.mtx":                       "--overlap: \"lowdin\" is neither canonical nor canonical:T",
		"solve --b B3.mtx --overlap canonical:2 A3.mtx":                  "--overlap: \"2\" is not a number between 0 and 1",
		"solve --b B3.mtx --overlap canonical:nan A3.mtx":                "--overlap: \"nan\" is not a number between 0 and 1",
		"solve --b B3.mtx --overlap canonical --type 2 A3.mtx":           "--overlap cannot be combined with --type 2: it is only for A·x = λ·B·x",
		"solve --b B3.mtx --overlap canonical --batch A3.npy":            "--overlap cannot be combined with --batch: --batch solves with a Cholesky factor of B",
		"solve --b B3.mtx --overlap canonical --largest 1 A3.mtx":        "--overlap cannot be combined with --largest: how many values there are is only known when directions have been dropped; use --interval",
		"solve --overlap canonical A3.mtx":                               "--overlap needs --b: other problems have one matrix",
		"check --b B3.mtx --overlap canonical --host A3.mtx v.txt X.npy": "--host cannot be combined with --overlap, which the device measures",
	} {
		if stdout, stderr, status := s.real(strings.Fields(args)...); status == cli.StatusSuccess || !strings.Contains(stderr, says) {
			t.Errorf("%s: status %d, want %q\n%s%s", args, status, says, stdout, stderr)
		}
	}
}
