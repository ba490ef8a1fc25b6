package main

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/doctor"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// half is 1/√2. The test matrix twoByTwo has the eigenvectors (−`half`, `half`) and (`half`,
// `half`).
const half = math.Sqrt2 / 2

// solved writes three files to the folder of the test: a matrix, its eigenvalues and its
// eigenvectors.
func (s *fixture) solved() {
	s.file("A.mtx", twoByTwo)
	s.file("v.txt", "1\n3\n")
	s.file("Q.npy", npy(2, 2, -half, half, half, half))
}

func TestCheckOnTheDevice(t *testing.T) {
	s := newFixture(t)
	s.solved()
	stdout, stderr, status := s.run("check", "--device", "pre", "A.mtx", "v.txt", "Q.npy")
	const want = `residual                             0.25  good  ‖A·Q − Q·Λ‖₁ / (n·ε·‖A‖₁), ε = 2⁻⁵²
orthogonality                         0.5  good  ‖I − Qᵀ·Q‖₁ / (n·ε), ε = 2⁻⁵²
`
	const told = "reading A.mtx\nreading v.txt\nreading Q.npy\npreparing the device\nchecking\n"
	if stdout != want || stderr != told || status != cli.StatusSuccess {
		t.Errorf("status %d\n%s\nwant\n%s\nstderr %q", status, stdout, want, stderr)
	}
	if o := s.machine.opened; len(o) != 1 || o[0].Device != "pre" || !s.machine.wanted[0].Vectors || s.machine.closed != 2 {
		t.Errorf("opened %+v, planned %+v, closed %d", o, s.machine.wanted, s.machine.closed)
	}
}

// TestCheckWithoutFloat64 checks that the host measures if the device has no double precision.
func TestCheckWithoutFloat64(t *testing.T) {
	s := newFixture(t)
	s.solved()
	s.machine.planErr = &vk.UnsupportedError{Device: "Arc", Feature: doctor.DoublePrecision}
	stdout, stderr, status := s.run("check", "A.mtx", "v.txt", "Q.npy")
	if status != cli.StatusSuccess || !strings.HasSuffix(stderr, "preparing the device\nchecking on the host\n") || !strings.Contains(stdout, "residual") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
}

// TestCheckOnTheHost checks the command check without a device. A correct result must pass, and
// each kind of wrong result must be found.
func TestCheckOnTheHost(t *testing.T) {
	for _, c := range []struct {
		name, values, vectors, fails string
	}{
		{"right", "1\n3\n", npy(2, 2, -half, half, half, half), ""},
		{"right, one pair", "3\n", npy(2, 1, half, half), ""},
		{"values the other way round", "3\n1\n", npy(2, 2, -half, half, half, half), "residual"},
		{"value off", "1\n3.000001\n", npy(2, 2, -half, half, half, half), "residual"},
		{"value not a number", "1\nnan\n", npy(2, 2, -half, half, half, half), "residual"},
		{"vector not a number", "1\n3\n", npy(2, 2, -half, math.NaN(), half, half), "residual"},
		{"vector not of length 1", "1\n3\n", npy(2, 2, -half, half, 1, 1), "orthogonality"},
		{"one vector twice", "1\n1\n", npy(2, 2, -half, half, -half, half), "orthogonality"},
		{"rows for columns", "1\n3\n", npy(2, 2, -half, half, half, half+1e-9), "residual"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newFixture(t)
			s.file("A.mtx", twoByTwo)
			s.file("v", c.values)
			s.file("Q", c.vectors)
			stdout, stderr, status := s.run("check", "--host", "--quiet", "--json", "-", "A.mtx", "v", "Q")
			var got struct{ Passed bool }
			if err := json.Unmarshal([]byte(stdout), &got); err != nil || got.Passed != (c.fails == "") {
				t.Errorf("%v in %s", err, stdout)
			}
			if c.fails == "" && (status != cli.StatusSuccess || stderr != "") ||
				c.fails != "" && (status != cli.StatusNumerical || !strings.HasPrefix(stderr, "vkevd: check failed: "+c.fails+" is ")) {
				t.Errorf("status %d, %s", status, stderr)
			}
			if len(s.machine.opened) > 0 {
				t.Error("a device was opened")
			}
		})
	}
}

func TestCheckOfValuesAlone(t *testing.T) {
	s := newFixture(t)
	s.solved()
	stdout, _, status := s.run("check", "A.mtx", "v.txt")
	if status != cli.StatusSuccess || !strings.HasPrefix(stdout, "trace ") || strings.Count(stdout, "\n") != 2 {
		t.Errorf("status %d\n%s", status, stdout)
	}
	s.file("v.txt", "1\n4\n")
	if _, stderr, status := s.run("check", "A.mtx", "v.txt"); status != cli.StatusNumerical || !strings.Contains(stderr, "check failed: trace is ") {
		t.Errorf("status %d\n%s", status, stderr)
	}
}

func TestCheckRefuses(t *testing.T) {
	s := newFixture(t)
	s.solved()
	s.file("three", "1\n2\n3\n")
	s.file("one", "1\n")
	s.file("wide.npy", npy(2, 3, 1, 2, 3, 4, 5, 6))
	s.file("tall.npy", npy(3, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9))
	s.file("empty", "")
	for _, c := range []struct{ args, says string }{
		{"A.mtx", "check takes MATRIX, VALUES and optionally VECTORS, not 1 file; see vkevd check --help"},
		{"- -", "only one of the files can be standard input; see vkevd check --help"},
		{"A.mtx three", "three: 3 values for a matrix of order 2"},
		{"A.mtx one", "one: 1 value for a matrix of order 2; a part of the eigenvalues can only be checked with VECTORS"},
		{"A.mtx three Q.npy", "three: 3 values for 2 vectors in Q.npy"},
		{"A.mtx one Q.npy", "one: 1 value for 2 vectors in Q.npy"},
		{"A.mtx v.txt wide.npy", "wide.npy: 2 by 3 elements cannot be eigenvectors of a matrix of order 2"},
		{"A.mtx v.txt tall.npy", "tall.npy: 3 by 3 elements cannot be eigenvectors of a matrix of order 2"},
		{"A.mtx none Q.npy", "none: no such file or directory"},
		{"A.mtx empty Q.npy", "empty: the file is empty"},
		{"A.mtx . Q.npy", ".: is a directory, not a vector file"},
		{"A.mtx Q.npy v.txt", "Q.npy: not a vector: dimensions [2 2]; the order of the files is MATRIX VALUES VECTORS"},
		{"A.mtx v.txt v.txt", "v.txt: 2 values for 1 vector in v.txt"},
		{"wide.npy v.txt Q.npy", "wide.npy: matrix is not square: 2 rows, 3 columns"},
	} {
		s.fails(cli.StatusInput, c.says, append([]string{"check"}, strings.Fields(c.args)...)...)
	}
	if len(s.machine.opened) > 0 {
		t.Error("a device was opened")
	}
	s.machine.openErr = vk.ErrNoDevice
	s.fails(cli.StatusDevice, "no usable Vulkan device", "check", "A.mtx", "v.txt", "Q.npy")
	s.machine.openErr, s.machine.ratios = nil, evd.Ratios{Residual: 61}
	_, stderr, status := s.run("check", "A.mtx", "v.txt", "Q.npy")
	if status != cli.StatusNumerical || lastLine(stderr) != "vkevd: check failed: residual is 61, not below 60" {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// TestCheckOfWhatSolveWrites runs vkevd check on the files that vkevd solve has written. It checks
// them on a device of this machine, and on the host.
func TestCheckOfWhatSolveWrites(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	s.file("empty.npy", npy(0, 0))
	for _, file := range []string{"A.mtx", "empty.npy"} {
		for _, values := range []string{"v.txt", "v.npy", "v.json"} {
			if _, stderr, status := s.real("solve", "--out-values", values, "--out-vectors", "Q.npy", file); status != cli.StatusSuccess {
				t.Fatal(stderr)
			}
			for _, where := range []string{"--host=false", "--host"} {
				if stdout, stderr, status := s.real("check", where, file, values, "Q.npy"); status != cli.StatusSuccess || strings.Count(stdout, "\n") != 2 {
					t.Errorf("%s %s %s: status %d\n%s%s", where, file, values, status, stdout, stderr)
				}
			}
		}
	}
}

// TestCheckOfSinglePrecision checks results in single precision. If the matrix or the vectors are
// float32, check must use the ε of single precision. An earlier version used the ε of double
// precision and called such results bad.
func TestCheckOfSinglePrecision(t *testing.T) {
	when.Skip(t, when.Quick, "tests of evd check such results")
	s := newFixture(t)
	var f4 bytes.Buffer
	if err := matio.WriteNPY(&f4, 2, 2, []float32{1, 3, 3, 2}, 2); err != nil {
		t.Fatal(err)
	}
	s.file("f4.npy", f4.String())
	s.file("f8.npy", npy(2, 2, 1, 3, 3, 2))
	s.file("wrong.txt", "-1.54\n4.54\n")
	for _, file := range []string{"f4.npy", "f8.npy"} {
		if _, stderr, status := s.real("solve", "--precision", "f32", "--out-values", "v.txt", "--out-vectors", "Q.npy", file); status != cli.StatusSuccess {
			t.Fatal(stderr)
		}
		for _, args := range []string{"--host=false v.txt Q.npy", "--host v.txt Q.npy", "v.txt", "--host=false wrong.txt Q.npy", "--host wrong.txt Q.npy", "wrong.txt"} {
			if file == "f8.npy" && !strings.HasSuffix(args, "Q.npy") {
				continue // no file tells that the values are of single precision
			}
			want := cli.StatusSuccess
			if strings.Contains(args, "wrong") {
				want = cli.StatusNumerical
			}
			words := append([]string{"check", file}, strings.Fields(args)...)
			if stdout, stderr, status := s.real(words...); status != want || strings.Count(stdout, ", ε = 2⁻²³\n") != 2 {
				t.Errorf("%v: status %d\n%s%s", words, status, stdout, stderr)
			}
		}
	}
}

// TestVerdictBesideRatios checks the output of vkevd check: a verdict must follow each error ratio,
// because new users do not know which ratios are good.
func TestVerdictBesideRatios(t *testing.T) {
	s := newFixture(t)
	s.solved()
	s.machine.ratios = evd.Ratios{Residual: 60, Orthogonality: 59}
	stdout, _, _ := s.run("check", "A.mtx", "v.txt", "Q.npy")
	if !strings.Contains(stdout, " 60  BAD   ‖A·Q") || !strings.Contains(stdout, " 59  good  ‖I") {
		t.Errorf("%s", stdout)
	}
}

// TestVectorsHaveTheShapeOfTheProblem checks files of vectors, for vkevd check and for solve
// --start. Each file has a table that may be read in two ways. The program must choose the way that
// fits the matrix. Flags that say how to read a file apply only to the file of the matrix.
func TestVectorsHaveTheShapeOfTheProblem(t *testing.T) {
	s := newFixture(t)
	s.file("A.csv", "3,0,0\n0,2,0\n0,0,1\n")
	s.file("v.txt", "1\n2\n3\n")
	s.file("Q.csv", "0,1,2\n0,0,1\n0,1,0\n1,0,0\n")
	s.file("B.csv", "4,0,0\n0,3,0\n0,0,2\n0,0,0\n")
	s.file("s.txt", "4\n3\n2\n")
	s.file("U.csv", "id,a,b,c\n1,1,0,0\n2,0,1,0\n3,0,0,1\n4,0,0,0\n")
	for _, args := range []string{
		"check --host --header no --names no A.csv v.txt Q.csv",
		"check --svd --host --header no --names no B.csv s.txt U.csv A3.csv",
		"solve --start Q.csv --header no --names no --check A.csv",
	} {
		s.file("A3.csv", "0,1,2\n1,0,0\n0,1,0\n0,0,1\n")
		if stdout, stderr, status := s.real(strings.Fields(args)...); status != cli.StatusSuccess {
			t.Errorf("%s: status %d\n%s%s", args, status, stdout, stderr)
		}
	}
}
