package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

// TestVerify runs vkevd solve --verify, with and without vectors. The summary and the report must
// have the certificate.
func TestVerify(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	for _, args := range [][]string{{}, {"--values-only"}, {"--index", "0:1"}} {
		_, stderr, status := s.real(append([]string{"solve", "--verify", "--report", "r.json", "A.mtx"}, args...)...)
		if status != cli.StatusSuccess || !strings.Contains(stderr, "\nverified residual ") {
			t.Errorf("%q: status %d\n%s", args, status, stderr)
		}
		var r struct {
			Certificate *struct {
				Counts float64
				Safe   bool
			}
		}
		text, err := os.ReadFile("r.json")
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil || r.Certificate == nil || !(r.Certificate.Counts > 0) || r.Certificate.Safe {
			t.Errorf("%q: %v, %s", args, err, text)
		}
	}
	s.fails(cli.StatusInput, "--verify cannot be combined with --tridiagonal; see vkevd solve --help", "solve", "--verify", "--tridiagonal", "A.mtx")
}
