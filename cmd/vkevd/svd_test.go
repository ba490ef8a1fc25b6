package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// threeFour is a matrix of 2 rows and 3 columns. fourThree is the list of its singular values.
const (
	threeFour = "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 -3\n2 3 4\n"
	fourThree = "4\n3\n"
)

// TestSVDReadsEveryFormat solves matrices of any shape from files of several formats, and compares
// the singular values with known ones. Standard input must be read, too.
func TestSVDReadsEveryFormat(t *testing.T) {
	for name, c := range map[string]struct{ content, values string }{
		"coordinate": {threeFour, fourThree},
		"array":      {"%%MatrixMarket matrix array real general\n2 3\n-3\n0\n0\n0\n0\n4\n", fourThree},
		"symmetric":  {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 7\n", "7\n7\n"},
		"gzip":       {zipped(threeFour), fourThree},
		"npy":        {npy(2, 3, -3, 0, 0, 0, 0, 4), fourThree},
		"npz":        {npz("A.npy", npy(3, 2, -3, 0, 0, 0, 0, 4)), fourThree},
		"CSV":        {"-3,0,0\n0,0,4\n", fourThree},
		"one row":    {npy(1, 3, 2, -1, 2), "3\n"},
		"one column": {npy(3, 1, 2, -1, 2), "3\n"},
		"0 rows":     {npy(0, 3), ""},
		"0 columns":  {npy(3, 0), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFixture(t)
			s.file("A", c.content)
			for _, args := range []string{"svd A", "svd --check A"} {
				stdout, stderr, status := s.run(strings.Fields(args)...)
				if status != cli.StatusSuccess {
					t.Fatalf("%s: status %d\n%s", args, status, stderr)
				}
				expectClose(t, numbers(t, stdout), numbers(t, c.values))
			}
			s.stdin = strings.NewReader(c.content)
			if stdout, stderr, status := s.run("svd", "-"); status != cli.StatusSuccess {
				t.Errorf("standard input: status %d, %q\n%s", status, stdout, stderr)
			}
		})
	}
}

// TestSVDOutputs runs vkevd svd and checks the output files, the report, and the printed text.
func TestSVDOutputs(t *testing.T) {
	s := newFixture(t)
	s.machine.certified = 0.25
	s.file("A.mtx", threeFour)
	stdout, stderr, status := s.run(strings.Fields("svd --check --band 8 --block 16 --out-values v.npy --report r.json A.mtx")...)
	if stdout != fourThree || status != cli.StatusSuccess {
		t.Fatalf("status %d, %q\n%s", status, stdout, stderr)
	}
	for _, line := range []string{
		"matrix   A.mtx, 2 by 3, singular values in float64\n", "device   Pretence 9000, gonum 0.17, Vulkan 1.3.0\n", "memory   96 bytes on the device\n",
		"certificate                          0.25  good  |σ − σ(C)| / (n·ε·‖C‖), proved by Sturm counts\n",
		"norm                                0.125  good  |‖A‖F − ‖C‖F| / (n·ε·‖A‖F)\n", "  good  |Σσ² − ‖A‖F²| / (n·ε·‖A‖F²)\n",
	} {
		if !strings.Contains(stderr, line) {
			t.Errorf("no line %q in\n%s", line, stderr)
		}
	}
	if opt := s.machine.singular[0]; opt.Band != 8 || opt.Block != 16 || !opt.Certify || opt.Largest != 0 {
		t.Errorf("planned with %+v", opt)
	}
	if v, err := matio.ReadVectorFile("v.npy"); err != nil || len(v) != 2 || v[0] != 4 {
		t.Errorf("values in the file: %v, %v", v, err)
	}
	text, _ := os.ReadFile("r.json")
	var r struct {
		M, N, Values int
		Certificate  struct{ Counts, Norm float64 }
		Ratios       struct {
			Passed  bool
			Squares *float64
		}
	}
	if err := json.Unmarshal(text, &r); err != nil || r.M != 2 || r.N != 3 || r.Values != 2 || r.Certificate.Counts != 0.25 || !r.Ratios.Passed || r.Ratios.Squares == nil {
		t.Errorf("%v: %s", err, text)
	}
	s.expectFiles("A.mtx", "r.json", "v.npy")
	if stdout, stderr, status := s.run("svd", "--quiet", "--no-print", "A.mtx"); stdout+stderr != "" || status != cli.StatusSuccess {
		t.Errorf("quiet: status %d, %q, %q", status, stdout, stderr)
	}
	if stdout, _, _ := s.run("svd", "--out-values", "-", "A.mtx"); stdout != "# singular values 0:2 of 2\n"+fourThree {
		t.Errorf("to standard output: %q", stdout)
	}
	if stdout, stderr, _ := s.run("svd", "--check", "--largest", "1", "A.mtx"); stdout != "4\n" || s.machine.singular[3].Largest != 1 ||
		!strings.Contains(stderr, "2 by 3, 1 largest singular value in") || strings.Contains(stderr, "Σσ²") {
		t.Errorf("one: %q\n%s", stdout, stderr)
	}
	if s.machine.closed != 8 {
		t.Errorf("%d plans and devices closed", s.machine.closed)
	}
}

// TestSVDCheckFails checks vkevd svd --check with a device that returns a wrong value, and with a
// bad certificate. Both checks must fail, and svd must still write its output files.
func TestSVDCheckFails(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", threeFour)
	s.machine.spoil = 1e-10
	stdout, stderr, status := s.run("svd", "--check", "--out-values", "v", "A.mtx")
	if status != cli.StatusNumerical || stdout == "" || !strings.HasPrefix(lastLine(stderr), "vkevd: check failed: squares is ") {
		t.Errorf("status %d, %s", status, stderr)
	}
	s.expectFiles("A.mtx", "v")
	s.machine.spoil, s.machine.certified = 0, math.Inf(1)
	if _, stderr, status := s.run("svd", "--check", "A.mtx"); status != cli.StatusNumerical || lastLine(stderr) != "vkevd: check failed: certificate is +Inf, not below 60" {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// TestSVDRefuses runs vkevd svd with wrong flags and bad files. Each must give an error before a
// device is opened.
func TestSVDRefuses(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", threeFour)
	s.file("bad", "1 2\n3\n")
	const see = "; see vkevd svd --help"
	for args, says := range map[string]string{
		"svd":                                    "svd takes one FILE, not 0" + see,
		"svd A.mtx B.mtx":                        "svd takes one FILE, not 2" + see,
		"svd --largest 0 A.mtx":                  `--largest: "0" is not a whole number, at least 1` + see,
		"svd --largest x A.mtx":                  `--largest: "x" is not a whole number` + see,
		"svd --largest 3 A.mtx":                  "A.mtx: --largest: 3 is more than the 2 singular values of a matrix of 2 by 3",
		"svd --json r --report r A.mtx":          "--json is the same as --report; give one of them" + see,
		"svd --out-values v.npz A.mtx":           "--out-values: v.npz: the name must end in .txt or .npy or .json, or have no ending" + see,
		"svd --report r.txt A.mtx":               "--report: r.txt: the name must end in .json, or have no ending" + see,
		"svd --format csv A.mtx":                 "--format: \"csv\" is not mtx, coo or table; all other formats are recognized by their content" + see,
		"svd --uplo lower A.mtx":                 "unknown flag: --uplo" + see,
		"svd --out-values A.mtx A.mtx":           "--out-values: A.mtx: the name must end in .txt or .npy or .json, or have no ending" + see,
		"svd missing.mtx":                        "missing.mtx: no such file or directory",
		"plan --svd -n 5 -m 0":                   "--m: 0 is not between 1 and 10000000; see vkevd plan --help",
		"plan -n 5 -m 6":                         "--m needs --svd: other matrices are square; see vkevd plan --help",
		"plan --svd -m 6":                        "plan needs --n N, the order of the matrix, at least 1, or a FILE with the matrix; see vkevd plan --help",
		"plan --svd -n 5 --tridiagonal":          "--tridiagonal cannot be combined with --svd; see vkevd plan --help",
		"svd --full A.mtx":                       "--full needs --out-u or --out-v" + see,
		"svd --full --largest 1 --out-u U A.mtx": "--full cannot be combined with --largest: all vectors need all values" + see,
		"svd --out-u U.dat A.mtx":                "--out-u: U.dat: the name must end in .npy or .mtx or .csv or .txt, or have no ending" + see,
		"svd --out-u Z --out-v Z A.mtx":          "Z: named for two outputs",
		"plan -n 5 --full":                       "--full needs --svd: eigenvectors are a square matrix anyway; see vkevd plan --help",
		"plan --svd -n 5 --full --largest 2":     "--full cannot be combined with --largest: all vectors need all values; see vkevd plan --help",
		"check --svd A.mtx v U":                  "check --svd takes MATRIX and VALUES, or MATRIX, VALUES, U and V, not 3 files; see vkevd check --help",
		"check --svd --symmetrize A.mtx v":       "--svd is for matrices that need not be symmetric; see vkevd check --help",
		"plan --svd -n 5 --interval 1:2":         "--interval cannot be combined with --svd; see vkevd plan --help",
		"plan --svd -n 5 -m 3 --solver dc":       "--solver cannot be combined with --svd; see vkevd plan --help",
	} {
		s.fails(cli.StatusInput, says, strings.Fields(args)...)
	}
	if _, stderr, status := s.run("svd", "bad"); status != cli.StatusInput || !strings.HasPrefix(lastLine(stderr), "vkevd: bad") {
		t.Errorf("status %d, %s", status, stderr)
	}
	if len(s.machine.opened) > 0 {
		t.Error("a device was opened")
	}
	s.expectFiles("A.mtx", "bad")
}

// TestSVDFailures runs vkevd svd with several errors that the library can return. It checks the
// exit status and the printed line. No file may be left.
func TestSVDFailures(t *testing.T) {
	for _, c := range []struct {
		open, plan, solve error
		status            int
		says              string
	}{
		{open: vk.ErrNoDevice, status: cli.StatusDevice, says: vk.ErrNoDevice.Error()},
		{plan: &vk.OutOfMemoryError{What: "the workspace", Need: 200, Free: 100}, status: cli.StatusDevice, says: "A.mtx, 2 by 3: the workspace needs 200 bytes of device memory, 100 bytes is free"},
		{plan: &evd.OptionError{Option: "Block", Reason: "100 is no multiple of 32"}, status: cli.StatusInput, says: "--block: 100 is no multiple of 32"},
		{solve: &evd.NonFiniteError{Row: 1, Col: 2, Value: math.NaN()}, status: cli.StatusInput, says: "A.mtx: a(2,3) is NaN; singular values need finite entries (rows and columns from 1)"},
		{solve: &evd.StageError{Stage: "bulge chasing", Info: 3}, status: cli.StatusDevice, says: "A.mtx, 2 by 3: bulge chasing failed on the device (INFO = 3)"},
		{solve: fmt.Errorf("batch 3: %w", vk.ErrDeviceLost), status: cli.StatusDevice, says: "A.mtx, 2 by 3: batch 3: device lost"},
		{solve: fmt.Errorf("batch 3: %w", context.Canceled), status: cli.StatusNumerical, says: "interrupted"},
	} {
		s := newFixture(t)
		s.file("A.mtx", threeFour)
		s.machine.openErr, s.machine.planErr, s.machine.solveErr = c.open, c.plan, c.solve
		s.fails(c.status, c.says, "svd", "--check", "--out-values", "v", "--report", "r", "A.mtx")
		s.expectFiles("A.mtx")
	}
	s := newFixture(t)
	s.file("A.mtx", threeFour)
	s.ctx, s.machine.during = context.WithCancel(context.Background())
	s.fails(cli.StatusNumerical, "interrupted", "svd", "--out-values", "v", "A.mtx")
	s.expectFiles("A.mtx")
}

func TestPlanSVD(t *testing.T) {
	s := newFixture(t)
	stdout, stderr, status := s.run(strings.Fields("plan --svd -m 1000 -n 500 --largest 10 --band 16")...)
	if status != cli.StatusSuccess || !strings.Contains(stdout, "\nbisection                               1e+03\n") || !strings.HasPrefix(stdout, "It fits: 7.6 MiB of 2.0 GiB, values only.\n") {
		t.Errorf("status %d, %q\n%s", status, stderr, stdout)
	}
	if opt := s.machine.singular[0]; opt.Largest != 10 || opt.Band != 16 {
		t.Errorf("planned with %+v", opt)
	}
	var r planReport
	stdout, _, _ = s.run(strings.Fields("plan --svd -m 1000 -n 500 --json -")...)
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || r.Rows != 1000 || r.N != 500 || !r.SVD || r.Vectors || r.Host != 4e6 {
		t.Errorf("%v: %s", err, stdout)
	}
	if stdout, _, _ := s.run("plan", "--svd", "-n", "1000"); !strings.Contains(stdout, "16000000") {
		t.Errorf("a square matrix: %s", stdout)
	}
	_, stderr, status = s.run(strings.Fields("plan --svd -m 100000 -n 5000")...)
	if status != cli.StatusDevice || lastLine(stderr) != "vkevd: 100000 by 5000 on Pretence 9000: the workspace needs 7.5 GiB of device memory, 2.0 GiB is free" {
		t.Errorf("status %d, %s", status, stderr)
	}
	s.fails(cli.StatusInput, "--largest: 6 is more than the 5 singular values of a matrix of 7 by 5", "plan", "--svd", "-m", "7", "-n", "5", "--largest", "6")
}

// TestCheckSVDRefusesNoSVD runs vkevd check on values that cannot be singular values. The verdict
// must be bad, with and without vectors, even if A·V = U·Σ.
func TestCheckSVDRefusesNoSVD(t *testing.T) {
	s := newFixture(t)
	s.file("A", "4 0 0\n0 3 0\n")
	s.file("I", "1 0\n0 1\n")
	s.file("X", "0 1\n1 0\n")
	s.file("N", "-1 0\n0 -1\n")
	s.file("V", "1 0\n0 1\n0 0\n")
	s.file("W", "0 1\n1 0\n0 0\n")
	s.file("good", fourThree)
	s.file("negative", "-4\n-3\n")
	s.file("rising", "3\n4\n")
	write := func(name string, rows int) { // no columns
		var b bytes.Buffer
		if err := matio.WriteNPY[float64](&b, rows, 0, nil, rows); err != nil {
			t.Fatal(err)
		}
		s.file(name, b.String())
	}
	write("U0", 2)
	write("V0", 3)
	s.file("none", "[]")
	if stdout, stderr, status := s.run(strings.Fields("check --svd A good I V")...); status != cli.StatusSuccess {
		t.Errorf("a decomposition: status %d, %s%s", status, stdout, stderr)
	}
	for _, args := range []string{"negative N V", "rising X W", "none U0 V0", "negative", "rising", "--host negative N V"} {
		stdout, stderr, status := s.run(append([]string{"check", "--svd", "A"}, strings.Fields(args)...)...)
		if status != cli.StatusNumerical || !strings.Contains(stdout, "+Inf  BAD") {
			t.Errorf("%s: status %d, %s%s", args, status, stdout, stderr)
		}
	}
}

// TestSVDVectors checks vkevd svd with vectors: the files of vectors, the report, and the library's
// options that follow from the flags.
func TestSVDVectors(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", threeFour)
	stdout, stderr, status := s.run(strings.Fields("svd --check --out-u U.npy --out-v V.npy --report r.json A.mtx")...)
	if stdout != fourThree || status != cli.StatusSuccess || !strings.Contains(stderr, "2 by 3, singular values and vectors in") {
		t.Fatalf("status %d, %q\n%s", status, stdout, stderr)
	}
	for _, line := range []string{"good  ‖A·V − U·Σ‖₁ / (n·ε·‖A‖₁)\n", "good  ‖I − Uᵀ·U‖₁ / (M·ε)\n", "good  ‖I − Vᵀ·V‖₁ / (N·ε)\n"} {
		if !strings.Contains(stderr, line) {
			t.Errorf("no line %q in\n%s", line, stderr)
		}
	}
	u, err := matio.ReadFile("U.npy")
	if err != nil || u.Rows != 2 || u.Cols != 2 {
		t.Errorf("U in the file: %v, %v", u, err)
	}
	v, err := matio.ReadFile("V.npy")
	if err != nil || v.Rows != 3 || v.Cols != 2 {
		t.Errorf("V in the file: %v, %v", v, err)
	}
	s.file("sigma.txt", fourThree)
	for _, args := range []string{"check --svd A.mtx sigma.txt U.npy V.npy", "check --host --svd A.mtx sigma.txt U.npy V.npy", "check --svd A.mtx sigma.txt"} {
		stdout, stderr, status := s.run(strings.Fields(args)...)
		if status != cli.StatusSuccess || strings.Contains(args, "U") != strings.Contains(stdout, "residual") {
			t.Errorf("%s: status %d, %s\n%s", args, status, stdout, stderr)
		}
	}
	s.fails(cli.StatusInput, "V.npy: 3 by 2 elements cannot be the singular vectors to 2 values of a matrix of 2 by 3", "check", "--svd", "A.mtx", "sigma.txt", "V.npy", "U.npy")
	s.file("one", "4\n")
	s.fails(cli.StatusInput, "one: 1 value cannot be all singular values of a matrix of 2 by 3", "check", "--svd", "A.mtx", "one")
	s.file("wrong", "4\n3.0001\n")
	stdout, _, status = s.run(strings.Fields("check --svd --host A.mtx wrong U.npy V.npy")...)
	if status != cli.StatusNumerical || !strings.Contains(stdout, "residual                         3.75e+10  BAD") {
		t.Errorf("a wrong value: status %d, %s", status, stdout)
	}
	s.machine.singular = nil
	for args, want := range map[string]svd.Options{
		"--out-u U A.mtx": {U: svd.Thin}, "--out-v V --largest 1 A.mtx": {V: svd.Thin, Largest: 1},
		"--out-v V --full A.mtx": {V: svd.Full}, "--check --out-v V A.mtx": {U: svd.Thin, V: svd.Thin, Certify: true},
	} {
		s.machine.singular = nil
		if _, stderr, status := s.run(append([]string{"svd"}, strings.Fields(args)...)...); status != cli.StatusSuccess {
			t.Errorf("%s: status %d\n%s", args, status, stderr)
			continue
		}
		got := s.machine.singular[0]
		got.Progress = nil
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: planned with %+v", args, got)
		}
	}
}

// TestSVDForReal runs the library on a real device, for matrices of several shapes. It compares the
// singular values with those of package gonum.
func TestSVDForReal(t *testing.T) {
	when.Skip(t, when.Quick, "whole programs")
	s := newFixture(t)
	r := rand.New(rand.NewPCG(1, 2))
	for _, shape := range [][2]int{{1, 1}, {1, 4}, {4, 1}, {33, 32}, {20, 70}, {64, 64}} {
		m, n := shape[0], shape[1]
		a := make([]float64, m*n)
		for i := range a {
			a[i] = r.NormFloat64()
		}
		s.file("A.npy", npy(m, n, a...))
		var f mat.SVD
		f.Factorize(mat.NewDense(n, m, a), mat.SVDNone)
		want := f.Values(nil)
		stdout, stderr, status := s.real("svd", "--check", "A.npy")
		if status != cli.StatusSuccess {
			t.Fatalf("%d by %d: status %d\n%s", m, n, status, stderr)
		}
		expectClose(t, numbers(t, stdout), want)
		stdout, stderr, status = s.real("svd", "--check", "--largest", "1", "A.npy")
		if status != cli.StatusSuccess {
			t.Fatalf("the largest of %d by %d: status %d\n%s", m, n, status, stderr)
		}
		expectClose(t, numbers(t, stdout), want[:1])
	}
	for _, shape := range [][2]int{{0, 3}, {3, 0}, {0, 0}} {
		s.file("A.npy", npy(shape[0], shape[1]))
		if stdout, stderr, status := s.real("svd", "--check", "A.npy"); stdout != "" || status != cli.StatusSuccess {
			t.Errorf("%v: status %d, %q\n%s", shape, status, stdout, stderr)
		}
	}
	s.file("A.npy", npy(2, 3, 1, 2, 3, math.Inf(-1), 5, 6))
	if _, stderr, status := s.real("svd", "A.npy"); status != cli.StatusInput || lastLine(stderr) != "vkevd: A.npy: a(2,2) is -Inf; singular values need finite entries (rows and columns from 1)" {
		t.Errorf("status %d, %s", status, stderr)
	}
	if _, stderr, status := s.real("svd", "--band", "4", "--block", "6", "A.npy"); status != cli.StatusInput || lastLine(stderr) != "vkevd: --block: 6 is not a multiple of the 4 superdiagonals" {
		t.Errorf("status %d, %s", status, stderr)
	}
	s.file("A.npy", npy(3, 2, 1, 2, 3, 4, 5, 7))
	for _, args := range []string{
		"svd --check --full --out-values s --out-u U --out-v V A.npy", "check --svd A.npy s U V", "check --svd --host A.npy s U V",
		"svd --check --largest 1 --out-values s --out-u U --out-v V A.npy", "check --svd A.npy s U V",
		"plan --svd -m 300 -n 200 --full",
	} {
		if _, stderr, status := s.real(strings.Fields(args)...); status != cli.StatusSuccess {
			t.Errorf("%s: status %d, %s", args, status, stderr)
		}
	}
	if stdout, stderr, status := s.real("plan", "--svd", "-m", "300", "-n", "200"); status != cli.StatusSuccess || !strings.Contains(stdout, "values only") {
		t.Errorf("plan: status %d, %s", status, stderr)
	}
}
