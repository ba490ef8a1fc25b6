package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/matio"
)

// The pair of A = [2 1; 1 2] and B = diag(4, 1) has exact values: λ solves 4λ² − 10λ + 3 = 0 for
// type 1, and μ² − 10μ + 12 = 0 for A·B and B·A.
var pairValues = map[int][2]float64{
	1: {(5 - math.Sqrt(13)) / 4, (5 + math.Sqrt(13)) / 4}, 2: {5 - math.Sqrt(13), 5 + math.Sqrt(13)}, 3: {5 - math.Sqrt(13), 5 + math.Sqrt(13)},
}

const massMarket = banner + "symmetric\n2 2 2\n1 1 4\n2 2 1\n"

func (s *fixture) pair() {
	s.file("A.mtx", twoByTwo)
	s.file("B.mtx", massMarket)
	s.file("AB.npz", npz("H.npy", npy(2, 2, 2, 1, 1, 2), "S.npy", npy(2, 2, 4, 0, 0, 1), "x.npy", npy(2, 1, 1, 1)))
	s.file("Bz.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 4 0\n2 2 1 0\n")
	s.file("singles.npz", npz("A.npy", npyOf[float32](s.T, 2, 2, 2, 1, 1, 2), "B.npy", npyOf[float32](s.T, 2, 2, 4, 0, 0, 1)))
}

var pairTexts = map[int][]string{
	1: {"A·x = λ·B·x", "‖A·x − λ·B·x‖₁ / (n·ε·(‖A‖₁ + |λ|·‖B‖₁)·‖x‖₁)", "Σ|xᵢᴴ·B·x − δ| / (n·ε·‖B‖₁·‖xᵢ‖₂·‖x‖₂)"},
	2: {"A·B·x = λ·x", "‖A·B·x − λ·x‖₁ / (n·ε·(‖A‖₁·‖B‖₁ + |λ|)·‖x‖₁)", "Σ|xᵢᴴ·B·x − δ| / (n·ε·‖B‖₁·‖xᵢ‖₂·‖x‖₂)"},
	3: {"B·A·x = λ·x", "‖B·A·x − λ·x‖₁ / (n·ε·(‖A‖₁·‖B‖₁ + |λ|)·‖x‖₁)", "Σ|xᵢᴴ·B⁻¹·x − δ| / (n·ε·‖B⁻¹‖₁·‖xᵢ‖₂·‖x‖₂)"},
}

// TestPairs solves a pair with known values in all three forms, from files of several formats, and
// measures the results with the command check.
func TestPairs(t *testing.T) {
	for _, c := range []struct {
		files, precision string
		tolerance        float64
	}{
		{"--b B.mtx A.mtx", "float64", 1e-15}, {"--b AB.npz AB.npz", "float64", 1e-15}, {"--b AB.npz:S AB.npz:H", "float64", 1e-15},
		{"--b Bz.mtx A.mtx", "complex128", 1e-15},
		{"--b singles.npz singles.npz", "float32", 1e-6}, {"--b singles.npz A.mtx", "float64", 1e-15},
	} {
		for kind, want := range pairValues {
			s := newFixture(t)
			s.pair()
			flags := strings.Fields(fmt.Sprintf("--type %d %s", kind, c.files))
			stdout, stderr, status := s.real(append(strings.Fields("solve --verify --check --verbose --out-values v.txt --out-vectors X.npy --report r.json"), flags...)...)
			if status != cli.StatusSuccess || strings.Count(stdout, "\n") != 2 || !strings.Contains(stderr, " in "+c.precision+"\n") {
				t.Fatalf("%v: status %d\n%s%s", flags, status, stdout, stderr)
			}
			for _, text := range pairTexts[kind] {
				if !strings.Contains(stderr, text) {
					t.Errorf("%v: %q is missing:\n%s", flags, text, stderr)
				}
			}
			values, err := matio.ReadVectorFile("v.txt")
			for k, x := range values {
				if !(math.Abs(x-want[k]) <= 8*c.tolerance*want[1]) {
					t.Errorf("%v: values %v, %v, want %v", flags, values, err, want)
				}
			}
			if stdout, stderr, status := s.real(append([]string{"check"}, append(flags, "v.txt", "X.npy")...)...); status != cli.StatusSuccess || strings.Count(stdout, "good") != 2 {
				t.Errorf("check %v: status %d\n%s%s", flags, status, stdout, stderr)
			}
			var r struct {
				Pair struct{ Type, Condition float64 }
			}
			text, _ := os.ReadFile("r.json")
			if err := json.Unmarshal(text, &r); err != nil || r.Pair.Type != float64(kind) || !plausible(r.Pair.Condition) || !strings.Contains(stderr,
				fmt.Sprintf("pair     %s, B from %s, condition %.2g\n", pairTexts[kind][0], strings.Fields(c.files)[1], r.Pair.Condition)) {
				t.Errorf("%v: report %+v, %v\n%s", flags, r, err, stderr)
			}
		}
	}
}

// plausible tells whether an estimate of the condition number of B, which is 4, can be right.
func plausible(condition float64) bool { return condition > 4./3 && condition < 4.001 }

// TestPairParts checks parts of the spectrum, and results that check must call bad.
func TestPairParts(t *testing.T) {
	s := newFixture(t)
	s.pair()
	for flag, want := range map[string]int{"--smallest 1": 0, "--largest 1": 1, "--interval 1:3": 1, "--index 0:1": 0} {
		stdout, stderr, status := s.real(strings.Fields("solve --b B.mtx --out-vectors x.npy --out-values v.txt " + flag + " A.mtx")...)
		var x float64
		if fmt.Sscan(stdout, &x); status != cli.StatusSuccess || !(math.Abs(x-pairValues[1][want]) < 1e-14) {
			t.Errorf("%s: status %d, %s%s", flag, status, stdout, stderr)
		}
		for _, host := range []string{"--host", "--host=false"} {
			if stdout, stderr, status := s.real("check", host, "--b", "B.mtx", "A.mtx", "v.txt", "x.npy"); status != cli.StatusSuccess {
				t.Errorf("%s: status %d\n%s%s", host, status, stdout, stderr)
			} else if host == "--host" && (!strings.Contains(stdout, "‖A·x − λ·B·x‖₂ / (n·ε·(‖A‖₁ + |λ|·‖B‖₁)·‖x‖₂), ε") || !strings.Contains(stdout, "|xᵢᴴ·B·x − δ| / (n·ε·‖B‖₁·‖xᵢ‖₂·‖x‖₂), ε")) {
				t.Errorf("%s", stdout)
			}
			for _, wrong := range []string{"--b A.mtx A.mtx", "--b B.mtx B.mtx"} {
				args := append([]string{"check", host}, append(strings.Fields(wrong), "v.txt", "x.npy")...)
				if stdout, stderr, status := s.real(args...); status != cli.StatusNumerical || !strings.Contains(stdout, "BAD") {
					t.Errorf("%v: status %d\n%s%s", args, status, stdout, stderr)
				}
			}
		}
	}
}

// TestPairBatch checks many matrices A with one B: each result must be that of the pair alone.
func TestPairBatch(t *testing.T) {
	s := newFixture(t)
	s.pair()
	two := npz("H.npy", npy(2, 2, 2, 1, 1, 2), "K.npy", npy(2, 2, 4, 2, 2, 4), "bad.npy", npy(2, 2, math.NaN(), 0, 0, 1))
	s.file("two.npz", two)
	for b, suffix := range map[string]string{"B.mtx": "float64", "Bz.mtx": "complex128"} {
		for _, kind := range []string{"1", "2", "3"} {
			alone, _, _ := s.real("solve", "--quiet", "--type", kind, "--b", b, "A.mtx")
			stdout, stderr, status := s.real("solve", "--verbose", "--check", "--batch", "--type", kind, "--b", b, "--out-vectors", "X.npz", "two.npz")
			lines := strings.Split(stdout, "\n")
			if status != cli.StatusNumerical || len(lines) != 4 || lines[0] != "H\t"+strings.ReplaceAll(strings.TrimSpace(alone), "\n", " ") || lines[2] != "bad\tNaN NaN" {
				t.Fatalf("%s, type %s: status %d, %q, want %q\n%s", b, kind, status, stdout, alone, stderr)
			}
			for _, part := range []string{"in " + suffix + "\n", ", condition ", "  Cholesky factor ", "matrix bad: a(1,1) is NaN", "good"} {
				if !strings.Contains(stderr, part) {
					t.Errorf("%s lacks %q", stderr, part)
				}
			}
		}
	}
}

// TestPairsOfOneArchive reads A and B from one .npz file, by usual names and by names of the user, and
// many A beside one B.
func TestPairsOfOneArchive(t *testing.T) {
	s := newFixture(t)
	s.pair()
	s.file("C.mtx", banner+"symmetric\n2 2 3\n1 1 4\n2 1 2\n2 2 4\n")
	a, b, c := npy(2, 2, 2, 1, 1, 2), npy(2, 2, 4, 0, 0, 1), npy(2, 2, 4, 2, 2, 4)
	s.file("KM.npz", npz("K.npy", a, "M.npy", b))
	s.file("own.npz", npz("mass.npy", b, "left.npy", c, "stiffness.npy", a))
	s.file("many.npz", npz("first.npy", a, "S.npy", b, "second.npy", c))
	s.file("only.npz", npz("x.npy", b))
	want, _, _ := s.real(strings.Fields("solve --b B.mtx A.mtx")...)
	other, _, _ := s.real(strings.Fields("solve --b B.mtx C.mtx")...)
	if want == other || strings.Count(want+other, "\n") != 4 {
		t.Fatal(want, other)
	}
	for args, want := range map[string]string{
		"--b KM.npz KM.npz": want, "--b own.npz:mass own.npz:stiffness": want, "--b own.npz:mass own.npz:left": other,
		"--b own.npz:mass --array left own.npz": other, "--b own.npz:mass A.mtx": want, "--b B.mtx own.npz:left": other, "--b KM.npz:M AB.npz": want,
	} {
		if stdout, stderr, status := s.real(append([]string{"solve"}, strings.Fields(args)...)...); status != cli.StatusSuccess || stdout != want {
			t.Errorf("%s: status %d, %s%s", args, status, stdout, stderr)
		}
	}
	line := func(name, values string) string {
		return name + "\t" + strings.ReplaceAll(strings.TrimSpace(values), "\n", " ") + "\n"
	}
	for args, want := range map[string]string{
		"--b many.npz many.npz": line("first", want) + line("second", other), "--b many.npz:S many.npz": line("first", want) + line("second", other),
		"--b own.npz:mass own.npz": line("left", other) + line("stiffness", want),
	} {
		if stdout, stderr, status := s.real(append([]string{"solve", "--batch"}, strings.Fields(args)...)...); status != cli.StatusSuccess || stdout != want {
			t.Errorf("%s: status %d, %s%s", args, status, stdout, stderr)
		}
	}
	for args, says := range map[string]string{
		"--b own.npz own.npz:left":          "own.npz: several arrays, and none is called B or b or S or M; choose one of mass, left, stiffness; FILE.npz:NAME names one",
		"--b own.npz:mass own.npz":          "own.npz: several arrays, and none is called A or a or H or K; choose one of mass, left, stiffness; --array NAME, or FILE.npz:NAME, names one",
		"--b only.npz:x --batch only.npz":   "only.npz: the only array is B; no matrix A is left",
		"--b only.npz --batch only.npz":     "only.npz: the only array is B; no matrix A is left",
		"--b own.npz:right --batch own.npz": "own.npz: no array is called right; the archive has mass, left, stiffness",
	} {
		if _, stderr, status := s.real(append([]string{"solve"}, strings.Fields(args)...)...); status != cli.StatusInput || lastLine(stderr) != "vkevd: "+says {
			t.Errorf("%s: status %d, %s", args, status, stderr)
		}
	}
}

func TestPairsRefused(t *testing.T) {
	s := newFixture(t)
	s.pair()
	const pairOfNaN = ": a(2,2) is NaN; eigenvalues need finite entries (rows and columns from 1)"
	s.file("semi.mtx", banner+"symmetric\n2 2 3\n1 1 1\n2 1 2\n2 2 1\n")
	s.file("minus.mtx", banner+"symmetric\n2 2 1\n1 1 -1\n")
	s.file("three.mtx", banner+"symmetric\n3 3 1\n1 1 1\n")
	s.file("skew.mtx", banner+"general\n2 2 1\n2 1 1\n")
	s.file("nan.mtx", banner+"symmetric\n2 2 2\n1 1 1\n2 2 nan\n")
	s.file("large.mtx", banner+"symmetric\n2 2 1\n1 1 1e300\n")
	s.file("stack.npy", strings.Replace(npy(2, 2, 2, 1, 1, 2), "(2, 2), }", "(1,2,2),}", 1))
	for args, says := range map[string]string{
		"solve --b semi.mtx A.mtx":                         "semi.mtx: B is not positive definite: its leading minor of order 2 is not; --overlap canonical drops directions in which B is singular",
		"solve --b minus.mtx A.mtx":                        "minus.mtx: B is not positive definite: its leading minor of order 1 is not; --overlap canonical drops directions in which B is singular",
		"solve --b minus.mtx --batch stack.npy":            "minus.mtx: B is not positive definite: its leading minor of order 1 is not; --overlap canonical drops directions in which B is singular",
		"check --type 3 --b minus.mtx A.mtx v X.npy":       "minus.mtx: B is not positive definite: its leading minor of order 1 is not",
		"solve --b nan.mtx A.mtx":                          "nan.mtx" + pairOfNaN,
		"solve --b B.mtx nan.mtx":                          "nan.mtx" + pairOfNaN,
		"solve --b three.mtx A.mtx":                        "three.mtx: order 3, but A.mtx has order 2",
		"solve --b three.mtx --batch stack.npy":            "three.mtx: order 3, but stack.npy has order 2",
		"solve --b missing.mtx A.mtx":                      "missing.mtx: no such file or directory",
		"solve --b AB.npz:Q A.mtx":                         "AB.npz: no array is called Q; the archive has H, S, x",
		"solve --b skew.mtx A.mtx":                         "skew.mtx: matrix is not symmetric: |a(2,1) − a(1,2)| = 1 is the largest difference (rows and columns from 1); --symmetrize takes (A+Aᵀ)/2, --uplo lower or upper one triangle",
		"solve --precision f32 --b large.mtx A.mtx":        "large.mtx: a(1,1) is 1e+300, the largest entry, and beyond the range of single precision, 2⁻¹²⁶ to 2¹²⁸ (rows and columns from 1); --precision f64 solves it",
		"solve --type 2 A.mtx":                             "--type needs --b: other problems have one matrix; see vkevd solve --help",
		"solve --type 4 --b B.mtx A.mtx":                   `--type: "4" is not 1, 2 or 3; see vkevd solve --help`,
		"plan -n 9 --type 4 --b":                           `--type: "4" is not 1, 2 or 3; see vkevd plan --help`,
		"solve --b= A.mtx":                                 "--b: no file is named; see vkevd solve --help",
		"solve --b stack.npy --out-values stack.npy A.mtx": "stack.npy: would overwrite the matrix itself",
		"solve --b - -":                                    "only one of the files can be standard input; see vkevd solve --help",
		"solve --b B.mtx --check --values-only A.mtx":      "--check of a pair needs vectors: it cannot be combined with --values-only; see vkevd solve --help",
		"solve --b B.mtx --tridiagonal A.mtx":              "--b cannot be combined with --tridiagonal; see vkevd solve --help",
		"solve --b B.mtx --start A.mtx A.mtx":              "--start cannot be combined with --b; see vkevd solve --help",
		"solve --b B.mtx --precision mixed A.mtx":          "--precision mixed cannot be combined with --b; see vkevd solve --help",
		"solve --b B.mtx --device 0,1 A.mtx":               "--device 0,1: --b uses one device; see vkevd solve --help",
		"check --b B.mtx --svd A.mtx v":                    "check --b takes MATRIX, VALUES and VECTORS, not 2 files; see vkevd check --help",
		"check --b B.mtx A.mtx v":                          "check --b takes MATRIX, VALUES and VECTORS, not 2 files; see vkevd check --help",
		"check --b B.mtx --type 2 --host A.mtx v u":        "--host cannot be combined with --type 2, which the device measures; see vkevd check --help",
		"plan -n 9 --b --batch 5":                          "--batch cannot be combined with --b; see vkevd plan --help",
	} {
		s.file("v", "1\n3\n")
		s.file("X.npy", npy(2, 2, -half, half, half, half))
		stdout, stderr, status := s.real(strings.Fields(args)...)
		if lastLine(stderr) != "vkevd: "+says || status != cli.StatusInput || stdout != "" {
			t.Errorf("%s: status %d, %s\n%s\nwant %s", args, status, stdout, lastLine(stderr), says)
		}
	}
	plan, _, _ := s.run("plan", "--help")
	solve, _, _ := s.run("solve", "--help")
	for _, text := range []string{
		"plan for a generalized problem, as solve --b", "include no eigenvectors", "plan for solve --start", "plan for a complex Hermitian matrix",
		"print only errors to standard error", "ignore the settings that vkevd tune --save has written",
	} {
		if !strings.Contains(plan+solve, text) {
			t.Errorf("%q is missing:\n%s%s", text, plan, solve)
		}
	}
	s.file("singular.mtx", banner+"symmetric\n2 2 2\n1 1 1\n2 2 1e-17\n")
	if _, stderr, status := s.real("solve", "--b", "singular.mtx", "A.mtx"); status != cli.StatusSuccess ||
		!strings.Contains(stderr, "singular.mtx: B is singular to working precision, with condition 1e+17: small eigenvalues have no correct digits.\n") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// TestPairDoesNotWaitForTheOtherFile reads one file from a pipe that never ends. The other file is
// missing, and its error must come at once.
func TestPairDoesNotWaitForTheOtherFile(t *testing.T) {
	newFixture(t)
	pipe, end := io.Pipe()
	defer end.Close()
	for _, files := range [][2]string{{"-", "missing.mtx"}, {"missing.mtx", "-"}} {
		if _, err := (matrixInput{}).readPair(context.Background(), files, pipe, io.Discard); err == nil || !strings.Contains(err.Error(), "missing.mtx: no such file") {
			t.Errorf("%v: %v", files, err)
		}
	}
}

// TestPairPlans checks the host memory and the first stages in forecasts for pairs.
func TestPairPlans(t *testing.T) {
	s := newFixture(t)
	for args, host := range map[string]uint64{
		"": 24e4, "--values-only": 16e4, "--complex --smallest 10": 2*16e4 + 16e3, "--precision f32 --type 3": 12e4, "--refine": 32e4, "--verify": 24e4,
	} {
		var r struct {
			Host_bytes uint64
			Type       int
			Flops      float64
			Stages     []struct {
				Stage string
				Flops float64
			}
			Pair struct{ For_b, Further_a struct{ Flops float64 } }
		}
		stdout, stderr, status := s.real(strings.Fields("plan -n 100 --b --json - " + args)...)
		if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != cli.StatusSuccess || r.Host_bytes != host || r.Type != 1+2*strings.Count(args, "type") ||
			r.Stages[0].Stage != "Cholesky factor" || r.Stages[1].Stage != "standard form" {
			t.Errorf("%s: status %d, %+v, %v, %s", args, status, r, err, stderr)
		}
		because := 0.0
		for _, s := range r.Stages {
			if slices.Contains([]string{"Cholesky factor", "standard form", "triangular solve", "refinement, products"}, s.Stage) {
				because += s.Flops
			}
		}
		if !(math.Abs(because-r.Pair.For_b.Flops) < 1e-9*because) || !(math.Abs(r.Flops-r.Stages[0].Flops-r.Pair.Further_a.Flops) < 1e-9*r.Flops) {
			t.Errorf("%s: %+v, want %g for B", args, r, because)
		}
	}
	// With canonical orthogonalization, the whole problem of B is because of B. Its memory lies behind
	// that of the plan.
	var r struct {
		Flops      float64
		Host_bytes uint64
		Bytes      uint64
		Memory     []struct {
			Name          string
			Offset, Bytes uint64
		}
		Pair struct{ For_b, Further_a struct{ Flops float64 } }
	}
	stdout, _, status := s.real(strings.Fields("plan -n 100 --b --overlap canonical --json -")...)
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != cli.StatusSuccess || r.Host_bytes != 56e4 ||
		!(r.Pair.For_b.Flops > r.Flops/2) || !(r.Pair.Further_a.Flops < 0.7*r.Flops) || !(r.Pair.For_b.Flops+r.Pair.Further_a.Flops > r.Flops) {
		t.Errorf("status %d, %+v, %v", status, r, err)
	}
	v, q1 := -1, -1
	for i, m := range r.Memory {
		switch m.Name {
		case "V":
			v = i
		case "A, Q1, vectors":
			q1 = i
		}
		if m.Offset+m.Bytes > r.Bytes {
			t.Errorf("%+v ends behind %d bytes", m, r.Bytes)
		}
	}
	if v < 0 || q1 < 0 || r.Memory[q1].Offset < r.Memory[v].Offset+r.Memory[v].Bytes {
		t.Errorf("memory %+v", r.Memory)
	}
	stdout, _, _ = s.real(strings.Fields("plan -n 100 --b")...)
	for _, text := range []string{"\nA, B, vectors on the host ", "\nof it because of B ", "\na further A, the same B "} {
		if !strings.Contains(stdout, text) {
			t.Errorf("%q is missing:\n%s", text, stdout)
		}
	}
	if stdout, _, _ = s.real(strings.Fields("plan -n 100")...); strings.Contains(stdout, "because of B") || !strings.Contains(stdout, "\nmatrix, vectors on the host ") {
		t.Errorf("%s", stdout)
	}
}
