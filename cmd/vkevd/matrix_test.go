package main

import (
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

// TestHintAtTridiagonal solves a matrix with two columns, which is not square. The error must
// suggest the flag --tridiagonal, because the columns may be two diagonals.
func TestHintAtTridiagonal(t *testing.T) {
	s := newFixture(t)
	s.file("T.npy", npy(4, 2, 1, 2, 3, 4, 5, 6, 7, 8))
	s.file("B.npy", npy(5, 4, make([]float64, 20)...))
	s.fails(cli.StatusInput, "T.npy: matrix is not square: 4 rows, 2 columns; --tridiagonal reads diagonals, and vkevd svd takes matrices of any shape", "solve", "T.npy")
	s.fails(cli.StatusInput, "B.npy: matrix is not square: 5 rows, 4 columns; vkevd svd takes matrices of any shape", "solve", "B.npy")
}

// TestSymmetryUpToRounding checks a matrix that differs from its transpose by 2⁻⁵². Results of
// np.corrcoef have such rounding errors. An earlier version refused such matrices.
func TestSymmetryUpToRounding(t *testing.T) {
	s := newFixture(t)
	s.file("corr.npy", npy(2, 2, 2, 1, 1+0x1p-52, 2))
	for _, command := range []string{"solve corr.npy", "check corr.npy v.txt"} {
		s.file("v.txt", "1\n3\n")
		_, stderr, status := s.run(strings.Fields(command)...)
		if status != cli.StatusSuccess || !strings.Contains(stderr, "corr.npy: symmetric up to rounding errors of 2.2e-16 at most, which are averaged\n") {
			t.Errorf("%s: status %d\n%s", command, status, stderr)
		}
	}
	s.file("far.npy", npy(2, 2, 2, 0, 2, 2)) // a(1,2) = 2, a(2,1) = 0
	const says = "far.npy: matrix is not symmetric: |a(2,1) − a(1,2)| = 2 is the largest difference (rows and columns from 1)" +
		"; --symmetrize takes (A+Aᵀ)/2, --uplo lower or upper one triangle"
	s.fails(cli.StatusInput, says, "solve", "far.npy")
	s.fails(cli.StatusInput, says, "check", "far.npy", "v.txt")
	for args, want := range map[string]string{
		"--symmetrize": "1\n3\n", "--uplo lower": "2\n2\n", "--uplo upper": "0\n4\n",
	} {
		if stdout, stderr, status := s.run(append(strings.Fields("solve "+args), "far.npy")...); stdout != want || status != cli.StatusSuccess || strings.Contains(stderr, "rounding") {
			t.Errorf("%s: status %d, %q, want %q\n%s", args, status, stdout, want, stderr)
		}
		s.file("values", want)
		if stdout, stderr, status := s.run(append(strings.Fields("check "+args), "far.npy", "values")...); status != cli.StatusSuccess {
			t.Errorf("check %s: status %d, %s%s", args, status, stdout, stderr)
		}
	}
	const see = "; see vkevd solve --help"
	for args, says := range map[string]string{
		"--uplo left":                "--uplo: \"left\" is neither lower nor upper" + see,
		"--uplo lower --symmetrize":  "--symmetrize cannot be combined with --uplo" + see,
		"--tridiagonal --uplo upper": "--uplo cannot be combined with --tridiagonal" + see,
		"--tridiagonal --symmetrize": "--symmetrize cannot be combined with --tridiagonal" + see,
		"--format csv":               "--format: \"csv\" is not mtx, coo or table; all other formats are recognized by their content" + see,
	} {
		s.fails(cli.StatusInput, says, append(strings.Fields("solve "+args), "far.npy")...)
	}
}

// TestHeaderOfNumbers solves a table whose columns pandas has numbered. The header is noticed,
// because the matrix is then square. A first row of other numbers is no header.
func TestHeaderOfNumbers(t *testing.T) {
	s := newFixture(t)
	const rows = "1,0,0,0\n0,1,0,0\n0,0,1,0\n0,0,0,1\n"
	s.file("pandas.csv", "1,2,3,4\n"+rows)
	s.file("rows.csv", "5,1,2,3\n"+rows)
	for _, flags := range []string{"", "--symmetrize ", "--uplo lower "} {
		stdout, stderr, status := s.run(strings.Fields("solve --verbose " + flags + "pandas.csv")...)
		if stdout != "1\n1\n1\n1\n" || status != cli.StatusSuccess || !strings.Contains(stderr, "matrix   pandas.csv: 4 × 4 numbers, a header, no row names\n") {
			t.Errorf("%s: status %d, %q\n%s", flags, status, stdout, stderr)
		}
		s.fails(cli.StatusInput, "rows.csv: matrix is not square: 5 rows, 4 columns; vkevd svd takes matrices of any shape",
			strings.Fields("solve "+flags+"rows.csv")...)
	}
	s.fails(cli.StatusInput, "pandas.csv: matrix is not square: 5 rows, 4 columns; vkevd svd takes matrices of any shape",
		"solve", "--header", "no", "pandas.csv")
}

// TestArrayAndFormat checks two flags: --array names an array of an .npz file, and --format reads
// Matrix Market without its banner.
func TestArrayAndFormat(t *testing.T) {
	s := newFixture(t)
	s.file("A.npz", npz("K.npy", npy(2, 2, 2, 1, 1, 2), "M.npy", npy(2, 2, 5, 0, 0, 6)))
	s.file("bare", "2 2 3\n1 1 2\n1 2 1\n2 2 2\n")
	for args, want := range map[string]string{
		"--array K A.npz": "1\n3\n", "--array M A.npz": "5\n6\n",
		"A.npz:K": "1\n3\n", "A.npz:M": "5\n6\n", "--format mtx --uplo upper bare": "1\n3\n",
	} {
		if stdout, stderr, status := s.run(append([]string{"solve"}, strings.Fields(args)...)...); stdout != want || status != cli.StatusSuccess {
			t.Errorf("%s: status %d, %q, want %q\n%s", args, status, stdout, want, stderr)
		}
	}
	s.file("B.mtx", "2 2 3\n1 1 2\n1 2 1\n2 2 2\n")
	s.fails(cli.StatusInput, "B.mtx: no %%MatrixMarket banner, which a .mtx file must begin with; --format mtx reads it without one, --format coo reads lines of row, column, value", "solve", "B.mtx")
	if stdout, stderr, _ := s.run("solve", "--format", "mtx", "--uplo", "upper", "B.mtx"); stdout != oneThree {
		t.Errorf("%q %s", stdout, stderr)
	}
	if _, stderr, status := s.run("solve", "A.npz"); status != cli.StatusInput || !strings.HasSuffix(stderr, "; --array NAME, or FILE.npz:NAME, names one\n") {
		t.Errorf("no hint at --array: status %d, %s", status, stderr)
	}
}
