package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/vk"
)

// TestVectorsWhenAskedFor: solve computed vectors and threw them away.
func TestVectorsWhenAskedFor(t *testing.T) {
	for args, want := range map[string]bool{
		"": false, "--quiet": false, "--out-values v": false, "--report r": false, "--values-only --check": false, "--values-only --verify": false,
		"--vectors": true, "--out-vectors Q": true, "--check": true, "--verify": true,
	} {
		s := newStage(t)
		s.file("A.mtx", twoByTwo)
		_, stderr, status := s.run(append(strings.Fields("solve "+args), "A.mtx")...)
		if status != statusSuccess || s.machine.wanted[0].Vectors != want {
			t.Errorf("solve %s: status %d, vectors %v\n%s", args, status, s.machine.wanted[0].Vectors, stderr)
		}
		if said := strings.Contains(stderr, "The vectors were not kept"); said != (args == "--vectors") {
			t.Errorf("solve %s says\n%s", args, stderr)
		}
	}
	s := newStage(t)
	s.file("A.mtx", twoByTwo)
	s.fails(statusInput, "--vectors cannot be combined with --values-only; see vkevd solve --help", "solve", "--vectors", "--values-only", "A.mtx")
	if _, stderr, status := s.run("solve", "--solver", "bisection", "A.mtx"); status != statusSuccess {
		t.Errorf("bisection without --values-only: %s", stderr)
	}
}

// TestStandardOutputAsOutput: - made a file of that name.
func TestStandardOutputAsOutput(t *testing.T) {
	s := newStage(t)
	s.file("A.mtx", twoByTwo)
	if stdout, _, status := s.run("solve", "--out-values", "-", "A.mtx"); stdout != oneThree || status != statusSuccess {
		t.Errorf("values: status %d, %q", status, stdout)
	}
	stdout, _, _ := s.run("solve", "--out-vectors", "-", "--out-values", "v", "A.mtx")
	if q, err := matio.Read(strings.NewReader(stdout), "stdout"); err != nil || q.Rows != 2 || q.Cols != 2 {
		t.Errorf("vectors: %v in %q", err, stdout)
	}
	for _, flag := range []string{"--report", "--json"} {
		stdout, _, _ := s.run("solve", flag, "-", "A.mtx")
		var r struct{ N int }
		if err := json.Unmarshal([]byte(stdout), &r); err != nil || r.N != 2 {
			t.Errorf("%s: %v in %q", flag, err, stdout)
		}
	}
	s.fails(statusInput, "standard output: named for two outputs", "solve", "--out-values", "-", "--report", "-", "A.mtx")
	s.stdout = brokenPipe{}
	s.fails(statusInput, "standard output: cannot be written: broken pipe", "solve", "--out-vectors", "-", "--out-values", "w", "A.mtx")
	s.expectFiles("A.mtx", "v", "w") // files first: they are there although nobody read
}

// TestNoPrint: values could not be kept off standard output.
func TestNoPrint(t *testing.T) {
	s := newStage(t)
	s.file("A.mtx", twoByTwo)
	if stdout, stderr, status := s.run("solve", "--no-print", "--out-values", "v", "A.mtx"); stdout != "" || status != statusSuccess {
		t.Errorf("status %d, %q\n%s", status, stdout, stderr)
	}
	s.expectFiles("A.mtx", "v")
}

// TestJSONEverywhere: --json takes a file or - on every command that has facts to tell.
func TestJSONEverywhere(t *testing.T) {
	for _, args := range []string{
		"solve A.mtx", "check A.mtx v.txt Q.npy", "plan -n 7", "devices", "doctor", "selftest -n 5 goe", "bench -n 5 gemm", "tune -n 20",
	} {
		s := tunable(t)
		s.solved()
		s.variables["VKEVD_CACHE"] = ""
		table, _, _ := s.run(strings.Fields(args)...)
		printed, stderr, status := s.run(append(strings.Fields(args), "--json", "-")...)
		also, _, again := s.run(append(strings.Fields(args), "--json", "facts")...)
		kept, err := os.ReadFile("facts")
		if status != again || err != nil || stderr == "" && status != statusSuccess {
			t.Errorf("%s: status %d and %d, %v, %s", args, status, again, err, stderr)
		}
		for _, text := range []string{printed, string(kept)} {
			d := json.NewDecoder(strings.NewReader(text))
			var value any
			if err := d.Decode(&value); err != nil || value == nil {
				t.Errorf("%s: %v in %s", args, err, text)
			}
		}
		if !strings.HasPrefix(args, "doctor") && also != table { // whose small solve differs in the last digits
			t.Errorf("%s --json facts prints\n%s\nwithout it\n%s", args, also, table)
		}
		s.run(append(strings.Fields(args), "--json", "no/facts")...)
		s.fails(statusInput, "no/facts: cannot be written: no such file or directory", append(strings.Fields(args), "--json", "no/facts")...)
	}
}

// TestPlanJSON: a script learns whether a matrix fits, and why not.
func TestPlanJSON(t *testing.T) {
	s := newStage(t)
	var r planReport
	stdout, _, status := s.run("plan", "-n", "1000", "--json", "-")
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != statusSuccess || r.Fits == nil || !*r.Fits ||
		r.Bytes != 16e6 || r.Free != 2<<30 || r.Host != 8e6 || len(r.Memory) != 2 || len(r.Stages) != 2 || !r.Vectors || r.Reason != "" {
		t.Errorf("status %d, %v: %s", status, err, stdout)
	}
	r = planReport{}
	stdout, _, status = s.run("plan", "-n", "20000", "--values-only", "--json", "-")
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != statusDevice || r.Fits == nil || *r.Fits || r.Vectors ||
		r.Reason != "the workspace needs 6.0 GiB of device memory, 2.0 GiB is free" {
		t.Errorf("status %d, %v: %s", status, err, stdout)
	}
	s.machine.openErr = vk.ErrNoDevice
	r = planReport{}
	stdout, _, status = s.run("plan", "-n", "1000", "--json", "-")
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != statusSuccess || r.Fits != nil || !strings.Contains(stdout, `"fits": null`) {
		t.Errorf("without a device: status %d, %v: %s", status, err, stdout)
	}
}

// TestSuggestions: for flags, for commands and for files.
func TestSuggestions(t *testing.T) {
	s := newStage(t)
	s.file("A.mtx", twoByTwo)
	s.file("matrix", twoByTwo)
	for args, want := range map[string]string{
		"solve --value-only A.mtx":   "unknown flag: --value-only; did you mean --values-only?; see vkevd solve --help",
		"solve --valuesonly A.mtx":   "unknown flag: --valuesonly; did you mean --values-only?; see vkevd solve --help",
		"solve --out-vector Q A.mtx": "unknown flag: --out-vector; did you mean --out-vectors?; see vkevd solve --help",
		"solve --frobnicate A.mtx":   "unknown flag: --frobnicate; see vkevd solve --help",
		"plan --vectros":             "unknown flag: --vectros; did you mean --vectors?; see vkevd plan --help",
		"plt":                        `unknown command "plt"; did you mean plot?`,
		"sovle":                      `unknown command "sovle"; did you mean solve?`,
		"plot stage":                 `unknown command "stage"; did you mean stages?`,
		"A.mtx":                      `unknown command "A.mtx"; to solve the matrix in a file: vkevd solve A.mtx`,
		"matrix":                     `unknown command "matrix"; to solve the matrix in a file: vkevd solve matrix`,
		"no/B.npy":                   `unknown command "no/B.npy"; to solve the matrix in a file: vkevd solve no/B.npy`,
		"-- solve x":                 "solve must stand before --, not after it",
	} {
		s.fails(statusInput, want, strings.Fields(args)...)
	}
}

// TestDistance, of optimal string alignment.
func TestDistance(t *testing.T) {
	for words, want := range map[[2]string]int{
		{"", ""}: 0, {"a", ""}: 1, {"plt", "plot"}: 1, {"plt", "plan"}: 2, {"sovle", "solve"}: 1, {"kitten", "sitting"}: 3,
	} {
		if got := distance(words[0], words[1]); got != want {
			t.Errorf("%q: %d, want %d", words, got, want)
		}
	}
}

// TestPartsFromTheEnd: --index -3: was refused, and there was no --largest.
func TestPartsFromTheEnd(t *testing.T) {
	four := "4\n1 2 0\n2 3 0\n3 5 0\n4 7 0\n"
	for args, want := range map[string]evd.Selection{
		"--index -3:": evd.Index(1, 4), "--index :-1": evd.Index(0, 3), "--index -3:-1": evd.Index(1, 3), "--index=-4:4": evd.Index(0, 4),
		"--largest 1": evd.Index(3, 4), "--largest 4": evd.Index(0, 4), "--smallest 2": evd.Index(0, 2),
	} {
		s := newStage(t)
		s.file("T", four)
		_, stderr, status := s.run(append(strings.Fields("solve --tridiagonal "+args), "T")...)
		if status != statusSuccess || s.machine.wanted[0].Select != want {
			t.Errorf("%s: status %d, %+v\n%s", args, status, s.machine.wanted, stderr)
		}
		if _, stderr, status := s.run(append(strings.Fields("plan -n 4 "+args), "--tridiagonal")...); status != statusSuccess || s.machine.wanted[1].Select != want {
			t.Errorf("plan %s: status %d\n%s", args, status, stderr)
		}
	}
	s := newStage(t)
	s.file("T", four)
	const see = "; see vkevd solve --help"
	for args, says := range map[string]string{
		"--index -5:":              "T: --index: -5: is outside 0:4, the indices of all eigenvalues",
		"--index 0:5":              "T: --index: 0:5 is outside 0:4, the indices of all eigenvalues",
		"--index -1:-3":            "T: --index: -1:-3 ends before it begins (3:1)",
		"--largest 5":              "T: --largest: 5 is outside 0:4, the indices of all eigenvalues",
		"--smallest 5":             "T: --smallest: 5 is outside 0:4, the indices of all eigenvalues",
		"--largest 0":              `--largest: "0" is not a whole number, at least 1` + see,
		"--smallest x":             `--smallest: "x" is not a whole number, at least 1` + see,
		"--largest 1 --smallest 1": "--smallest cannot be combined with --largest" + see,
		"--largest 1 --index 0:1":  "--index cannot be combined with --largest" + see,
		"--interval a:b":           `--interval: "a:b" must be A:B, two numbers such as -1:2.5` + see,
	} {
		s.fails(statusInput, says, append(strings.Fields("solve --tridiagonal "+args), "T")...)
	}
	if len(s.machine.opened) > 0 {
		t.Error("a device was opened")
	}
}

// TestSizesInMessages: sizes in bytes could not be read.
func TestSizesInMessages(t *testing.T) {
	for want, err := range map[string]error{
		"x: A needs 72.5 GiB of device memory, 22.6 GiB is free":                        fmt.Errorf("x: %w", &vk.OutOfMemoryError{What: "A", Need: 77797094656, Free: 24296902656}),
		"A needs 4.3 GiB of device memory in one piece, the device allows 4.0 GiB; two": fmt.Errorf("%w\ntwo", &vk.OutOfMemoryError{What: "A", Need: 4668259328, Free: 1, Limit: 1 << 32}),
	} {
		if got := describe(err); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestVerdictBesideRatios: a ratio alone tells a newcomer nothing.
func TestVerdictBesideRatios(t *testing.T) {
	s := newStage(t)
	s.solved()
	s.machine.ratios = evd.Ratios{Residual: 60, Orthogonality: 59}
	stdout, _, _ := s.run("check", "A.mtx", "v.txt", "Q.npy")
	if !strings.Contains(stdout, " 60  BAD   ‖A·Q") || !strings.Contains(stdout, " 59  good  ‖I") {
		t.Errorf("%s", stdout)
	}
}

// TestSolverIsCompleted, and the device, on every command that has the flag.
func TestSolverIsCompleted(t *testing.T) {
	s := newStage(t)
	for _, cmd := range []string{"solve", "plan", "selftest"} {
		for flag, want := range map[string]string{"--solver": "mrrr", "--device": "Pretence 9000"} {
			if stdout, _, _ := s.run("__complete", cmd, flag, ""); !strings.Contains("\n"+stdout, "\n"+want+"\n") || strings.Contains(stdout, "Default") {
				t.Errorf("%s %s: %q", cmd, flag, stdout)
			}
		}
	}
}

// TestHintAtTridiagonal: two columns are diagonals.
func TestHintAtTridiagonal(t *testing.T) {
	s := newStage(t)
	s.file("T.npy", npy(4, 2, 1, 2, 3, 4, 5, 6, 7, 8))
	s.file("B.npy", npy(5, 4, make([]float64, 20)...))
	s.fails(statusInput, "T.npy: matrix is not square: 4 rows, 2 columns; --tridiagonal reads diagonals", "solve", "T.npy")
	s.fails(statusInput, "B.npy: matrix is not square: 5 rows, 4 columns", "solve", "B.npy")
}

// TestSymmetryUpToRounding: np.corrcoef's result differs from its transpose by 3e-17, and was refused.
func TestSymmetryUpToRounding(t *testing.T) {
	s := newStage(t)
	s.file("corr.npy", npy(2, 2, 2, 1, 1+0x1p-52, 2))
	for _, command := range []string{"solve corr.npy", "check corr.npy v.txt"} {
		s.file("v.txt", "1\n3\n")
		_, stderr, status := s.run(strings.Fields(command)...)
		if status != statusSuccess || !strings.Contains(stderr, "corr.npy: symmetric up to rounding errors of 2.2e-16 at most, which are averaged\n") {
			t.Errorf("%s: status %d\n%s", command, status, stderr)
		}
	}
	s.file("far.npy", npy(2, 2, 2, 0, 2, 2)) // a(1,2) = 2, a(2,1) = 0
	const says = "far.npy: matrix is not symmetric: |a(2,1) − a(1,2)| = 2 is the largest difference (rows and columns from 1)" +
		"; --symmetrize takes (A+Aᵀ)/2, --uplo lower or upper one triangle"
	s.fails(statusInput, says, "solve", "far.npy")
	s.fails(statusInput, says, "check", "far.npy", "v.txt")
	for args, want := range map[string]string{
		"--symmetrize": "1\n3\n", "--uplo lower": "2\n2\n", "--uplo upper": "0\n4\n",
	} {
		if stdout, stderr, status := s.run(append(strings.Fields("solve "+args), "far.npy")...); stdout != want || status != statusSuccess || strings.Contains(stderr, "rounding") {
			t.Errorf("%s: status %d, %q, want %q\n%s", args, status, stdout, want, stderr)
		}
		s.file("values", want)
		if stdout, stderr, status := s.run(append(strings.Fields("check "+args), "far.npy", "values")...); status != statusSuccess {
			t.Errorf("check %s: status %d, %s%s", args, status, stdout, stderr)
		}
	}
	const see = "; see vkevd solve --help"
	for args, says := range map[string]string{
		"--uplo left":                "--uplo: \"left\" is neither lower nor upper" + see,
		"--uplo lower --symmetrize":  "--symmetrize cannot be combined with --uplo" + see,
		"--tridiagonal --uplo upper": "--uplo cannot be combined with --tridiagonal" + see,
		"--tridiagonal --symmetrize": "--symmetrize cannot be combined with --tridiagonal" + see,
		"--format csv":               "--format: \"csv\" is not mtx; all other formats are recognized by their content" + see,
	} {
		s.fails(statusInput, says, append(strings.Fields("solve "+args), "far.npy")...)
	}
}

// TestArrayAndFormat: there was no way to choose an array of an .npz, or to read Matrix Market
// without its banner.
func TestArrayAndFormat(t *testing.T) {
	s := newStage(t)
	s.file("A.npz", npz("K.npy", npy(2, 2, 2, 1, 1, 2), "M.npy", npy(2, 2, 5, 0, 0, 6)))
	s.file("bare", "2 2 3\n1 1 2\n1 2 1\n2 2 2\n")
	for args, want := range map[string]string{
		"--array K A.npz": "1\n3\n", "--array M A.npz": "5\n6\n", "--format mtx --uplo upper bare": "1\n3\n",
	} {
		if stdout, stderr, status := s.run(append([]string{"solve"}, strings.Fields(args)...)...); stdout != want || status != statusSuccess {
			t.Errorf("%s: status %d, %q, want %q\n%s", args, status, stdout, want, stderr)
		}
	}
	s.file("B.mtx", "2 2 3\n1 1 2\n1 2 1\n2 2 2\n")
	s.fails(statusInput, "B.mtx: no %%MatrixMarket banner, which a .mtx file must begin with; --format mtx reads it without one", "solve", "B.mtx")
	if stdout, stderr, _ := s.run("solve", "--format", "mtx", "--uplo", "upper", "B.mtx"); stdout != oneThree {
		t.Errorf("%q %s", stdout, stderr)
	}
	if _, stderr, status := s.run("solve", "A.npz"); status != statusInput || !strings.HasSuffix(stderr, "; --array names one\n") {
		t.Errorf("no hint at --array: status %d, %s", status, stderr)
	}
}
