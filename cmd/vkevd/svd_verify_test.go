package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/internal/when"
)

// TestSVDVerify runs vkevd svd --verify on the real device, with vectors of both sides, of one
// side, and without. The printed line and the report must have the certificate, and no other files
// may be written than those that the user names.
func TestSVDVerify(t *testing.T) {
	when.Skip(t, when.Quick, "tests of svd verify values")
	for _, args := range []string{"", "--out-v V.npy", "--out-u U.npy --out-v V.npy --full", "--precision f32 --out-u U.npy"} {
		s := newFixture(t)
		s.file("A.mtx", threeFour)
		line := "svd --verify --report r.json " + args + " A.mtx"
		stdout, stderr, status := s.real(strings.Fields(line)...)
		vectors := strings.Contains(args, "--out")
		want := "verified Sturm counts "
		if vectors {
			want = "verified residual "
		}
		if status != cli.StatusSuccess || strings.Count(stdout, "\n") != 2 || !strings.Contains(stderr, want) || strings.Contains(stderr, "safe path") {
			t.Errorf("%s: status %d, %q\n%s", line, status, stdout, stderr)
		}
		var r struct{ Certificate *svd.Certificate }
		text, err := os.ReadFile("r.json")
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil || r.Certificate == nil || !(r.Certificate.Counts > 0) || r.Certificate.Safe || (r.Certificate.Vectors != nil) != vectors {
			t.Errorf("%s: %v, %s", line, err, text)
		}
		files := []string{"A.mtx", "r.json"}
		for _, z := range []string{"U.npy", "V.npy"} {
			if strings.Contains(args, z) {
				files = append(files, z)
			}
		}
		s.expectFiles(files...)
	}
}

// TestSVDVerifyFails runs vkevd svd --verify with a device whose results no certificate passes.
// Nothing may be written.
func TestSVDVerifyFails(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", threeFour)
	s.machine.solveErr = &svd.UnverifiedError{First: &svd.Certificate{Counts: 1e9, Vectors: &svd.Ratios{}}, Safe: &svd.Certificate{Norm: 77}}
	s.fails(cli.StatusNumerical, "A.mtx, 2 by 3: no result can be verified: residual 0, orthogonality of U 0, of V 0, Sturm counts 1e+09, norm 0; "+
		"on the safe path: Sturm counts 0, norm 77; each must be below 60", "svd", "--verify", "--out-values", "v", "--out-u", "U.npy", "A.mtx")
	s.expectFiles("A.mtx")
	if opt := s.machine.singular[0]; !opt.Verify || opt.V != svd.None {
		t.Errorf("planned with %+v", opt)
	}
}

// TestSVDVerifyRefuses checks that --verify is refused for matrices that a plan cannot verify, and
// that vkevd plan --svd accepts it.
func TestSVDVerifyRefuses(t *testing.T) {
	s := newFixture(t)
	s.file("C.txt", "3 1\n2\n")
	s.fails(cli.StatusInput, "--verify cannot be combined with --banded; --check certifies the values; see vkevd svd --help", "svd", "--verify", "--banded", "C.txt")
	s.fails(cli.StatusInput, "--verify cannot be combined with --bidiagonal; --check measures the result; see vkevd svd --help", "svd", "--verify", "--bidiagonal", "C.txt")
	if _, stderr, status := s.run("plan", "--svd", "--verify", "-n", "5"); status != cli.StatusSuccess || !s.machine.singular[0].Verify {
		t.Errorf("status %d, %s", status, stderr)
	}
}
