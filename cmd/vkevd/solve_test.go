package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
)

// twoByTwo is a matrix with the eigenvalues 1 and 3.
const (
	twoByTwo = "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2\n2 1 1\n2 2 2\n"
	oneThree = "1\n3\n"
)

// The commands that read a matrix and then need a device load the drivers while they read: the
// standard input of this test has no data before the drivers are loaded.
func TestDriversAreLoadedWhileReading(t *testing.T) {
	s := newFixture(t)
	s.machine.preloaded = make(chan struct{})
	stack := stackFile(t, []float64{2, 1, 1, 2})
	for _, c := range []struct {
		input string
		args  []string
	}{
		{twoByTwo, []string{"solve", "-"}}, {twoByTwo, []string{"svd", "-"}}, {stack, []string{"solve", "--batch", "-"}},
	} {
		preloaded := callback(func() { <-s.machine.preloaded }) // or the test times out
		s.stdin = io.MultiReader(preloaded, strings.NewReader(c.input))
		if _, stderr, status := s.run(c.args...); status != cli.StatusSuccess {
			t.Errorf("%q: %s", c.args, stderr)
		}
	}
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	return b.String()
}

func npy(rows, cols int, colMajor ...float64) string {
	var b bytes.Buffer
	if err := matio.WriteNPY(&b, rows, cols, colMajor, max(rows, 1)); err != nil {
		panic(err)
	}
	return b.String()
}

// npz packs arrays into the content of an .npz file, as numpy.savez_compressed does. The arguments
// are alternately a name such as A.npy and the content of this file.
func npz(arrays ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(arrays); i += 2 {
		w, err := z.Create(arrays[i])
		if err != nil {
			panic(err)
		}
		io.WriteString(w, arrays[i+1])
	}
	z.Close()
	return b.String()
}

func TestSolveReadsEveryFormat(t *testing.T) {
	for name, c := range map[string]struct{ content, values string }{
		"coordinate":         {twoByTwo, oneThree},
		"coordinate general": {"%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 2\n2 1 1\n1 2 1\n2 2 2\n", oneThree},
		"array":              {"%%MatrixMarket matrix array real symmetric\n2 2\n2\n1\n2\n", oneThree},
		"array general":      {"%%MatrixMarket matrix array integer general\n2 2\n2\n1\n1\n2\n", oneThree},
		"pattern":            {"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", "-1\n1\n"},
		"gzip":               {zipped(twoByTwo), oneThree},
		"npy":                {npy(2, 2, 2, 1, 1, 2), oneThree},
		"npy gzip":           {zipped(npy(2, 2, 2, 1, 1, 2)), oneThree},
		"npz":                {npz("A.npy", npy(2, 2, 2, 1, 1, 2)), oneThree},
		"CSV":                {"2, 1\n1, 2\n", oneThree},
		"between blanks":     {"# numpy.savetxt\n2 1\n1 2\n", oneThree},
		"17 digits":          {npy(1, 1, 0.1), "0.10000000000000001\n"},
		"order 0":            {npy(0, 0), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFixture(t)
			s.file("A", c.content)
			stdout, stderr, status := s.run("solve", "A")
			if stdout != c.values || status != cli.StatusSuccess {
				t.Errorf("status %d, %q, want %q\n%s", status, stdout, c.values, stderr)
			}
			s.stdin = strings.NewReader(c.content)
			if stdout, stderr, status := s.run("solve", "-"); stdout != c.values || status != cli.StatusSuccess {
				t.Errorf("standard input: status %d, %q, want %q\n%s", status, stdout, c.values, stderr)
			}
		})
	}
}

func TestSolveWritesFiles(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	stdout, _, status := s.run("solve", "--out-values", "values.txt", "--out-vectors", "Q.npy", "--report", "A.json", "--check", "A.mtx")
	if stdout != oneThree || status != cli.StatusSuccess {
		t.Fatalf("status %d, %q", status, stdout)
	}
	s.expectFiles("A.mtx", "values.txt", "Q.npy", "A.json")
	if text, _ := os.ReadFile("values.txt"); string(text) != "# eigenvalues 0:2 of 2\n"+oneThree {
		t.Errorf("values.txt holds %q", text)
	}
	q, err := matio.ReadFile("Q.npy")
	if err != nil {
		t.Fatal(err)
	}
	for j, lambda := range []float64{1, 3} {
		x, y := q.At(0, j), q.At(1, j)
		if r := math.Hypot(2*x+y-lambda*x, x+2*y-lambda*y); !(r <= 1e-15 && math.Abs(math.Hypot(x, y)-1) <= 1e-15) {
			t.Errorf("column %d (%v, %v) does not belong to %v", j, x, y, lambda)
		}
	}
	if header, _ := os.ReadFile("Q.npy"); !bytes.Contains(header, []byte("'fortran_order': True")) {
		t.Error("Q.npy is not in Fortran order")
	}
}

func TestSolveWritesValuesAsNPY(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	s.run("solve", "--values-only", "--out-values", "values.npy", "A.mtx")
	got, err := matio.ReadVectorFile("values.npy")
	if err != nil || len(got) != 2 || got[0] != 1 || got[1] != 3 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestSolveWritesValuesAsJSON(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	s.run("solve", "--quiet", "--out-values", "values.JSON", "A.mtx")
	var values []float64
	text, _ := os.ReadFile("values.JSON")
	if err := json.Unmarshal(text, &values); err != nil || !slices.Equal(values, []float64{1, 3}) {
		t.Errorf("%q, %v", text, err)
	}
}

func TestReport(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	s.machine.ratios.Orthogonality = math.Inf(1)
	s.run("solve", "--report", "A.json", "--check", "A.mtx")
	text, err := os.ReadFile("A.json")
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	seconds := got["seconds"].(map[string]any)
	for _, lap := range []string{"read", "prepare", "solve", "check"} {
		if s, ok := seconds[lap].(float64); !ok || !(s >= 0) {
			t.Errorf("seconds of %s: %v", lap, seconds[lap])
		}
	}
	delete(got, "seconds")
	delete(got, "version")
	again, _ := json.Marshal(got)
	const want = `{"compiled":[{"count":1,"name":"sb2st","seconds":0.5},{"count":2,"name":"gemm","seconds":0.25}],` +
		`"device":"Pretence 9000","driver":"gonum 0.17","file":"A.mtx","first":0,"memory_bytes":64,"n":2,"precision":"float64",` +
		`"ratios":{"orthogonality":null,"passed":false,"residual":0.25},` +
		`"stages":[{"count":1,"name":"band reduction","seconds":0.75},{"count":1,"name":"tridiagonal on host","seconds":0.25}],` +
		`"values":2,"vectors":true,"vulkan":"1.3.0"}`
	if string(again) != want {
		t.Errorf("got  %s\nwant %s", again, want)
	}
}

func TestSummary(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	for _, c := range []struct{ args, want string }{
		{"--vectors", `reading A.mtx
preparing the device
band reduction
bulge chasing
writing
matrix   A.mtx, n = 2, eigenvalues and vectors in float64
device   Pretence 9000, gonum 0.17, Vulkan 1.3.0
memory   64 bytes on the device
read                         TIME s
prepare                      TIME s
solve                        TIME s
  band reduction                     0.7500 s   75%
  tridiagonal on host                0.2500 s   25%
write                        TIME s
total                        TIME s
The vectors were not kept: --out-vectors keeps them.
`},
		{"--check", `check                        TIME s
write                        TIME s
total                        TIME s
residual                             0.25  good  ‖A·Q − Q·Λ‖₁ / (n·ε·‖A‖₁)
orthogonality                         0.5  good  ‖I − Qᵀ·Q‖₁ / (n·ε)
`},
		{"--check --values-only", `write                        TIME s
total                        TIME s
trace                               RATIO  good  |Σλ − tr A| / (n·ε·‖A‖F)
squares                             RATIO  good  |Σλ² − ‖A‖F²| / (n·ε·‖A‖F²)
Without vectors only these sums are compared: they prove no single value.
`},
		{"--values-only", "total                        TIME s\n"},
		{"--out-vectors Q.npy", "total                        TIME s\n"},
	} {
		_, stderr, status := s.run(append(strings.Fields("solve "+c.args), "A.mtx")...)
		got := regexp.MustCompile(`(?m)^(read|prepare|solve|check|write|total)( +)[0-9.]+ s$`).ReplaceAllStringFunc(stderr, func(line string) string {
			return fmt.Sprintf("%-28s TIME s", strings.Fields(line)[0])
		})
		got = regexp.MustCompile(`(?m)^(trace|squares) +[0-9.e-]+ `).ReplaceAllStringFunc(got, func(line string) string {
			return fmt.Sprintf("%-28s %12s ", strings.Fields(line)[0], "RATIO")
		})
		if status != cli.StatusSuccess || !strings.HasSuffix(got, c.want) {
			t.Errorf("solve %s: status %d\n%s\nwant the end to be\n%s", c.args, status, got, c.want)
		}
	}
}

// TestCheckFails checks vkevd solve --check with a device that returns a wrong result. The result
// must be written to the files, and the exit status must be 1.
func TestCheckFails(t *testing.T) {
	for _, c := range []struct {
		args   string
		ratios evd.Ratios
		spoil  float64
		says   string
	}{
		{"", evd.Ratios{Residual: 60}, 0, "check failed: residual is 60, not below 60"},
		{"", evd.Ratios{Orthogonality: 1e9}, 0, "check failed: orthogonality is 1e+09, not below 60"},
		{"", evd.Ratios{Residual: math.NaN()}, 0, "check failed: residual is NaN, not below 60"},
		{"--quiet", evd.Ratios{Residual: 75.3}, 0, "check failed: residual is 75.3, not below 60"},
		{"--values-only", evd.Ratios{}, math.Inf(1), "check failed: trace is +Inf, not below 60"},
	} {
		s := newFixture(t)
		s.file("A.mtx", twoByTwo)
		s.machine.ratios, s.machine.spoil = c.ratios, c.spoil
		stdout, stderr, status := s.run(append(strings.Fields("solve --check --out-values v "+c.args), "A.mtx")...)
		if status != cli.StatusNumerical || strings.Count(stdout, "\n") != 2 || lastLine(stderr) != "vkevd: "+c.says {
			t.Errorf("status %d, stdout %q, stderr\n%s", status, stdout, stderr)
		}
		if c.args == "--quiet" && strings.Count(stderr, "\n") != 1 {
			t.Errorf("--quiet said more than the error:\n%s", stderr)
		}
		s.expectFiles("A.mtx", "v")
	}
}

func TestSolveClosesWhatItOpens(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	s.machine.solveErr = &evd.StageError{Stage: "bulge chasing", Info: 3}
	s.run("solve", "A.mtx")
	if s.machine.closed != 2 { // the plan and the device
		t.Errorf("%d closed, want 2", s.machine.closed)
	}
}
