package main

import (
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

// TestSVDDiagonals runs vkevd svd for a matrix in three forms: the whole matrix, the diagonals of a
// band, and the diagonals of a bidiagonal matrix. The printed values must be equal.
func TestSVDDiagonals(t *testing.T) {
	s := newFixture(t)
	s.file("A.txt", "3 1 0\n0 2 -1\n0 0 5\n")
	s.file("band.txt", "9 1 -1\n3 2 5\n") // 9 lies outside the matrix
	s.file("wide.txt", "7 7 0\n7 1 -1\n3 2 5\n")
	s.file("C.txt", "3\n3 1\n2 -1\n5\n")
	want, _, status := s.run("svd", "A.txt")
	if status != cli.StatusSuccess || strings.Count(want, "\n") != 3 {
		t.Fatalf("status %d, %q", status, want)
	}
	for _, line := range []string{
		"svd --check --banded band.txt", "svd --check --banded wide.txt", "svd --check --bidiagonal C.txt",
		"svd --check --bidiagonal --out-u u.npy --out-v v.npy C.txt",
	} {
		got, stderr, status := s.run(strings.Fields(line)...)
		if got != want || status != cli.StatusSuccess || !strings.Contains(stderr, "3 by 3") || !strings.Contains(stderr, "squares") ||
			strings.Contains(stderr, "residual") != strings.Contains(line, "out-u") {
			t.Errorf("%s: status %d, %q, want %q\n%s", line, status, got, want, stderr)
		}
	}
	if got, stderr, status := s.run("svd", "--check", "--largest", "2", "--bidiagonal", "C.txt"); status != cli.StatusSuccess ||
		got != want[:strings.LastIndex(want[:len(want)-1], "\n")+1] || strings.Contains(stderr, "squares") {
		t.Errorf("two values: status %d, %q\n%s", status, got, stderr)
	}
}

// TestSVDDiagonalsRefuse checks that the command svd refuses flags that cannot be combined with
// --banded, --bidiagonal or --storage.
func TestSVDDiagonalsRefuse(t *testing.T) {
	s := newFixture(t)
	s.file("C.txt", "3 1\n2\n")
	s.file("band.txt", "0 1\n3 2\n")
	for line, want := range map[string]string{
		"svd --banded --bidiagonal C.txt":                     "--banded cannot be combined with --bidiagonal",
		"svd --banded --storage f64 --precision f32 band.txt": "--precision f64 solves in double precision",
		"svd --banded --out-u u.npy C.txt":                    "--banded finds values alone",
		"svd --bidiagonal --storage f16 C.txt":                "--storage cannot be combined with --bidiagonal",
		"svd --storage f16 --out-u u.npy band.txt":            "--storage is for singular values alone, without vectors",
		"svd --storage f32 --products emulated band.txt":      "--products emulated cannot be combined with --storage f32",
		"svd --storage f64 --precision f32 band.txt":          "--precision f64 solves in double precision",
		"svd --banded --storage half C.txt":                   `--storage: "half" is none of f64, f32, f16`,
		"svd --bidiagonal --band 4 C.txt":                     "--band and --block are for matrices",
		"svd --bidiagonal --largest 3 C.txt":                  "3 is more than the 2 singular values",
		"svd --bidiagonal --block 4 C.txt":                    "--band and --block are for matrices",
		"svd --banded --full --largest 1 C.txt":               "--full cannot be combined with --largest",
		"svd --banded --full --out-v v.npy C.tx":              "--banded finds values alone",
		"svd --banded --products native C.txt":                "--products and --moduli are for matrices that are reduced to a band first",
		"svd --bidiagonal --moduli 15 C.txt":                  "--products and --moduli are for matrices that are reduced to a band first",
	} {
		if _, stderr, status := s.run(strings.Fields(line)...); status == cli.StatusSuccess || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %q", line, status, stderr)
		}
	}
}
