package main

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/matio"
)

// bandsFile returns the content of a file with tridiagonal matrices: each of them has n diagonal
// elements and n off-diagonal elements, of which the last one is ignored.
func bandsFile(t *testing.T, n int, matrices ...[]float64) string {
	t.Helper()
	var b bytes.Buffer
	byColumns := func(k int) []float64 {
		all := make([]float64, 2*n)
		for i := range n {
			all[2*i], all[2*i+1] = matrices[k][i], matrices[k][n+i]
		}
		return all
	}
	if err := matio.WriteStack(&b, len(matrices), 2, n, byColumns); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// secondDifferences is the matrix with the diagonal 2, 2, 2 and the off-diagonal −1, −1. Its
// eigenvalues are 2 − √2, 2 and 2 + √2. The last number, 99, is ignored.
var secondDifferences = []float64{2, 2, 2, -1, -1, 99}

// TestSolveBatchTridiagonal solves a stack of tridiagonal matrices, and a .npz file with one matrix
// of order 4 and a stack of order 3. It checks values, the shape of the vectors, and errors.
func TestSolveBatchTridiagonal(t *testing.T) {
	s := newFixture(t)
	s.file("T.npy", bandsFile(t, 3, secondDifferences, []float64{5, -7, 0, 0, 0, math.NaN()}))
	stdout, stderr, status := s.run(strings.Fields("solve --batch --tridiagonal --out-vectors q.npy T.npy")...)
	if status != cli.StatusSuccess || !strings.Contains(stderr, "batch    T.npy, 2 matrices of order 3 in float64\n") {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	lines := strings.Split(stdout, "\n")
	expectClose(t, numbers(t, strings.ReplaceAll(lines[0], " ", "\n")), []float64{2 - math.Sqrt2, 2, 2 + math.Sqrt2})
	expectClose(t, numbers(t, strings.ReplaceAll(lines[1], " ", "\n")), []float64{-7, 0, 5})
	if q, err := matio.ReadStackFile("q.npy"); err != nil || q.Count != 2 || q.Rows != 3 || q.Cols != 3 {
		t.Errorf("vectors %+v, %v", q, err)
	}
	s.file("T.npz", npz("K.npy", npy(2, 4, 1, 0, 2, 0, 3, 0, 4, 0), "S.npy", bandsFile(t, 3, secondDifferences)))
	stdout, stderr, status = s.run(strings.Fields("solve --batch --tridiagonal --check T.npz")...)
	if status != cli.StatusSuccess || !strings.HasPrefix(stdout, "K\t1 2 3 4\nS[0]\t0.58578643") || !strings.Contains(stderr, "orders 3 to 4") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	s.file("A.npy", stackFile(t, []float64{2, 1, 1, 2}))
	s.file("bad.npz", npz("K.npy", npy(3, 4, make([]float64, 12)...)))
	s.fails(cli.StatusInput, "bad.npz: K: the matrices have 3 rows, not 2: a diagonal and an off-diagonal", "solve", "--batch", "--tridiagonal", "bad.npz")
	s.fails(cli.StatusInput, "--solver cannot be combined with --batch; see vkevd solve --help", "solve", "--batch", "--tridiagonal", "--solver", "qr", "A.npy")
}

// TestSolveBatchTridiagonalOnADevice checks the values that a real device computes, with and
// without vectors, and the ratios.
func TestSolveBatchTridiagonalOnADevice(t *testing.T) {
	s := newFixture(t)
	n := 50
	all := make([]float64, 2*n)
	for i := range n {
		all[i], all[n+i] = 2, -1
	}
	s.file("T.npy", bandsFile(t, n, all, all))
	for _, flags := range []string{"--check", "--values-only", "--smallest 7 --values-only"} {
		stdout, stderr, status := s.real(strings.Fields("solve --batch --tridiagonal T.npy " + flags)...)
		if status != cli.StatusSuccess {
			t.Fatalf("%s: status %d\n%s", flags, status, stderr)
		}
		lines := strings.Split(stdout, "\n")
		got := numbers(t, strings.ReplaceAll(lines[1], " ", "\n"))
		for k, x := range got {
			want := 2 - 2*math.Cos(float64(k+1)*math.Pi/float64(n+1))
			if !(math.Abs(x-want) <= 1e-14) {
				t.Errorf("%s: value %d is %v, not %v", flags, k, x, want)
			}
		}
	}
}
