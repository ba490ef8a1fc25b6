package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/internal/when"
)

// TestRightSubnormalValuesAreGood measures right results for matrices of subnormal numbers, with
// many combinations of commands and flags. The values are subnormal, too, so each has a rounding
// error of up to half of the smallest positive number. No measure may call that bad. A wrong value
// must still be bad.
func TestRightSubnormalValuesAreGood(t *testing.T) {
	when.Skip(t, when.Quick, "a check of other values")
	s := newFixture(t)
	const n = 5
	random := func(i, j int) float64 { return math.Round(1000 * math.Sin(float64(7*min(i, j)+3*max(i, j)+1))) }
	full, band := make([]float64, n*n), make([]float64, 2*n)
	full32 := make([]float32, n*n)
	var rows, wrong strings.Builder
	for j := range n {
		for i := range n {
			full[i+j*n] = math.Ldexp(random(i, j), -1074)
			full32[i+j*n] = float32(math.Ldexp(random(i, j), -149))
		}
		band[2*j], band[2*j+1] = math.Ldexp(random(j, j+1), -1074), full[j+j*n]
		fmt.Fprintf(&rows, "%g %g\n", band[2*j+1], math.Ldexp(random(j, j+1), -1074))
		fmt.Fprintf(&wrong, "%g\n", math.Ldexp(float64(100*(n-j)), -1074))
	}
	s.file("A.npy", npy(n, n, full...))
	s.file("A32.npy", npyOf(t, n, n, full32...))
	s.file("B.npy", npy(2, n, band...))
	s.file("T.txt", rows.String())
	s.file("wrong.txt", wrong.String())
	for _, line := range []string{
		"solve --check --values-only --out-values v.txt A.npy", "check A.npy v.txt", "check --host A.npy v.txt",
		"solve --check --out-values v.txt --out-vectors q.npy A.npy", "check A.npy v.txt q.npy", "check --host A.npy v.txt q.npy",
		"solve --verify --values-only A.npy", "solve --verify --out-vectors q.npy A.npy",
		"solve --check --precision mixed --out-vectors q.npy A.npy",
		"solve --tridiagonal --values-only --check T.txt", "solve --tridiagonal --check --out-vectors q.npy T.txt",
		"svd --check --out-values v.txt A.npy", "check --svd A.npy v.txt",
		"svd --check --out-values v.txt --out-u u.npy --out-v w.npy A.npy", "check --svd A.npy v.txt u.npy w.npy", "check --svd --host A.npy v.txt u.npy w.npy",
		"svd --verify A.npy", "svd --check --banded B.npy", "svd --check --bidiagonal T.txt", "svd --check --bidiagonal --out-u u.npy --out-v w.npy T.txt",
		"svd --check --storage f16 A.npy",
		"solve --check --values-only --out-values v.npy A32.npy", "check A32.npy v.npy",
		"solve --check --out-values v.npy --out-vectors q.npy A32.npy", "check A32.npy v.npy q.npy", "check --host A32.npy v.npy q.npy",
		"svd --check --out-values v.npy --out-u u.npy --out-v w.npy A32.npy", "check --svd A32.npy v.npy", "check --svd A32.npy v.npy u.npy w.npy",
		"solve --verify --out-vectors q.npy A32.npy", "svd --verify --out-u u.npy A32.npy",
	} {
		stdout, stderr, status := s.real(strings.Fields(line)...)
		if status != cli.StatusSuccess || strings.Contains(stdout+stderr, "BAD") {
			t.Errorf("%s: status %d\n%s%s", line, status, stdout, stderr)
		}
	}
	for _, line := range []string{"check A.npy wrong.txt", "check --svd A.npy wrong.txt"} {
		if stdout, _, status := s.real(strings.Fields(line)...); status != cli.StatusNumerical || !strings.Contains(stdout, "BAD") {
			t.Errorf("%s: status %d, %s", line, status, stdout)
		}
	}
}
