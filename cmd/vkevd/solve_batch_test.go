package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/vk"
)

// fakeBatch is a fake plan for batches. It solves each matrix with a fake plan for one matrix. A
// matrix that contains NaN gets an error.
type fakeBatch struct {
	*fakeMachine
	opt batch.Options
}

func (m *fakeMachine) batch(opt batch.Options) (fakeBatch, error) {
	return fakeBatch{m, opt}, m.planErr
}

func (p fakeBatch) Costs() []evd.StageCost { return nil }
func (p fakeBatch) Memory() []vk.Placed    { return nil }

// fakeTridiagonals is a fake plan for batches of tridiagonal matrices, which it solves as dense
// ones.
type fakeTridiagonals struct{ fakeBatch }

func (p fakeTridiagonals) Check(ctx context.Context, a []machine.TridiagonalMatrix, s []batch.Spectrum[float64]) ([]evd.Ratios, error) {
	return p.fakeBatch.Check(ctx, make([]machine.DenseMatrix, len(a)), s)
}

func (p fakeTridiagonals) Solve(ctx context.Context, a []machine.TridiagonalMatrix) (*batch.Result[float64], error) {
	dense := make([]machine.DenseMatrix, len(a))
	for k, t := range a {
		n := t.N()
		data := make([]float64, n*n)
		for i, x := range t.D {
			data[i+i*n] = x
			if i+1 < n {
				data[i+1+i*n], data[i+(i+1)*n] = t.E[i], t.E[i]
			}
		}
		dense[k] = evd.NewSym(n, data, evd.Lower)
	}
	return p.fakeBatch.Solve(ctx, dense)
}

func (p fakeBatch) Check(ctx context.Context, a []evd.Sym[float64], s []batch.Spectrum[float64]) ([]evd.Ratios, error) {
	all := make([]evd.Ratios, len(a))
	all[0] = p.ratios
	return all, nil
}

func (p fakeBatch) Close()        { p.closed++ }
func (p fakeBatch) Bytes() uint64 { return 96 }

func (p fakeBatch) Solve(ctx context.Context, a []evd.Sym[float64]) (*batch.Result[float64], error) {
	res := &batch.Result[float64]{Spectra: make([]batch.Spectrum[float64], len(a))}
	for k, m := range a {
		nan := -1
		for i, x := range m.Data {
			if math.IsNaN(x) {
				nan = i
				m.Data[i] = 0
			}
		}
		one, err := (&fakePlan{p.fakeMachine, m.N, evd.Options{
			Vectors: p.opt.Vectors, Select: p.opt.Select, Progress: p.opt.Progress,
		}}).Solve(ctx, m)
		if err != nil {
			return nil, err
		}
		res.Profile = one.Profile
		res.Spectra[k] = batch.Spectrum[float64]{Values: one.Values, Vectors: one.Vectors}
		if nan >= 0 {
			res.Spectra[k].Err = &evd.NonFiniteError{Row: nan % m.N, Col: nan / m.N, Value: math.NaN()}
			for i := range one.Values {
				one.Values[i] = math.NaN()
			}
		}
	}
	return res, nil
}

// stackFile returns the content of a file with a stack of matrices of order 2.
func stackFile(t *testing.T, matrices ...[]float64) string {
	t.Helper()
	var b bytes.Buffer
	if err := matio.WriteStack(&b, len(matrices), 2, 2, func(k int) []float64 { return matrices[k] }); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSolveBatch solves a stack of matrices. It checks the values on standard output and in files,
// and the file of the vectors, which is a stack, too.
func TestSolveBatch(t *testing.T) {
	s := newFixture(t)
	s.file("A.npy", stackFile(t, []float64{2, 1, 1, 2}, []float64{5, 0, 0, -7}))
	stdout, stderr, status := s.run(strings.Fields("solve --batch --out-values v.npy --out-vectors q.npy A.npy")...)
	if status != cli.StatusSuccess || !strings.Contains(stderr, "batch    A.npy, 2 matrices of order 2 in float64\n") {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	lines := strings.Split(stdout, "\n")
	if len(lines) != 3 {
		t.Fatalf("not a line for each matrix: %q", stdout)
	}
	expectClose(t, numbers(t, strings.ReplaceAll(lines[0], " ", "\n")), []float64{1, 3})
	expectClose(t, numbers(t, strings.ReplaceAll(lines[1], " ", "\n")), []float64{-7, 5})
	_, stderr, status = s.run(strings.Fields("solve --batch --check A.npy")...)
	if status != cli.StatusSuccess || !strings.Contains(stderr, "residual                             0.25  good") {
		t.Errorf("--check: status %d\n%s", status, stderr)
	}
	s.machine.ratios.Orthogonality = 61
	if _, stderr, status = s.run(strings.Fields("solve --batch --check A.npy")...); status != cli.StatusNumerical {
		t.Errorf("--check of bad vectors: status %d\n%s", status, stderr)
	}
	values, err := matio.ReadFile("v.npy")
	if err != nil || values.Rows != 2 || values.Cols != 2 || values.At(1, 0) != -7 {
		t.Errorf("values %+v, %v", values, err)
	}
	q, err := matio.ReadStackFile("q.npy")
	if err != nil || q.Count != 2 || math.Abs(q.Data[5]) != 1 || q.Data[4] != 0 {
		t.Errorf("vectors %+v, %v", q, err)
	}
}

// TestSolveBatchReport checks that --json and --report work with --batch as without, and that the
// report names the matrices that have no result.
func TestSolveBatchReport(t *testing.T) {
	s := newFixture(t)
	s.file("A.npy", stackFile(t, []float64{2, 1, 1, 2}, []float64{math.NaN(), 0, 0, 1}))
	s.file("A.npz", npz("K.npy", npy(3, 3, 1, 0, 0, 0, 4, 0, 0, 0, 2), "S.npy", stackFile(t, []float64{2, 1, 1, 2}, []float64{math.NaN(), 0, 0, 1})))
	type report struct {
		N        int `json:"n"`
		Least    int `json:"n_min"`
		Matrices int
		Values   int
		First    *int
		Device   string
		Ratios   map[string]any
		Failed   []failedMatrix
	}
	for args, want := range map[string][]any{
		"--json - A.npy":           {2, 2, 2, 4, "1"},
		"--check --report - A.npz": {3, 2, 3, 7, "S[1]"},
	} {
		stdout, stderr, status := s.run(strings.Fields("solve --batch " + args)...)
		var r report
		if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != cli.StatusNumerical {
			t.Fatalf("%s: status %d, %v\n%s%s", args, status, err, stdout, stderr)
		}
		if got := []any{r.N, r.Least, r.Matrices, r.Values, r.Failed[0].Matrix}; !slices.Equal(got, want) || len(r.Failed) != 1 {
			t.Errorf("%s: %v, want %v", args, got, want)
		}
		if !strings.Contains(r.Failed[0].Error, "NaN") || r.Device == "" || r.First != nil || (len(r.Ratios) == 0) == strings.Contains(args, "check") {
			t.Errorf("%s: %s", args, stdout)
		}
	}
	if _, stderr, status := s.run(strings.Fields("solve --batch --report r.json A.npy")...); status != cli.StatusNumerical {
		t.Errorf("status %d\n%s", status, stderr)
	}
	if text, err := os.ReadFile("r.json"); err != nil || !strings.Contains(string(text), `"matrices": 2`) {
		t.Errorf("%v, %s", err, text)
	}
	s.fails(cli.StatusInput, "--json is the same as --report; give one of them; see vkevd solve --help", "solve", "--batch", "--json", "a", "--report", "b", "A.npy")
}

// TestSolveBatchOnADevice checks the values and vectors that a real device computes.
func TestSolveBatchOnADevice(t *testing.T) {
	s := newFixture(t)
	s.file("A.npy", stackFile(t, []float64{2, 1, 1, 2}, []float64{5, 0, 0, -7}, []float64{math.NaN(), 0, 0, 1}))
	stdout, stderr, status := s.real(strings.Fields("solve --batch --check --out-vectors q.npy A.npy")...)
	if status != cli.StatusNumerical || !strings.Contains(stderr, "matrix 2: a(1,1) is NaN") {
		t.Fatalf("status %d, %q\n%s", status, stdout, stderr)
	}
	values := numbers(t, strings.Join(strings.Fields(stdout), "\n")+"\n")
	expectClose(t, values[:4], []float64{1, 3, -7, 5})
	q, err := matio.ReadStackFile("q.npy")
	if err != nil || q.Count != 3 || q.Data[5] != 1 || q.Data[4] != 0 || !(math.Abs(q.Data[2]-math.Sqrt2/2) <= 1e-15) {
		t.Errorf("vectors %+v, %v", q, err)
	}
	stdout, _, _ = s.real(strings.Fields("solve --batch --largest 1 A.npy")...)
	values = numbers(t, strings.Join(strings.Fields(stdout), "\n")+"\n")
	expectClose(t, values[:2], []float64{3, 5})
}

// TestSolveBatchErrors checks two kinds of errors. A matrix with NaN has no result, but the other
// matrices are solved. Flags and files that --batch does not support are refused.
func TestSolveBatchErrors(t *testing.T) {
	s := newFixture(t)
	s.file("A.npy", stackFile(t, []float64{2, 1, 1, 2}, []float64{math.NaN(), 0, 0, -7}))
	s.file("asymmetric.npy", stackFile(t, []float64{2, 1, 1.5, 2}))
	s.file("plain.npy", npy(2, 2, 1, 0, 0, 1))
	stdout, stderr, status := s.run(strings.Fields("solve --batch A.npy")...)
	if status != cli.StatusNumerical || !strings.Contains(stdout, "NaN NaN\n") || !strings.Contains(stderr, "matrix 1: a(1,1) is NaN") {
		t.Errorf("status %d, %q\n%s", status, stdout, stderr)
	}
	for args, want := range map[string]string{
		"solve --batch asymmetric.npy":              "matrix 0: matrix is not symmetric: |a(2,1) − a(1,2)| = 0.5",
		"solve --batch plain.npy":                   "three dimensions",
		"solve --batch --interval 0:1 A.npy":        "--interval cannot be combined with --batch",
		"solve --batch --check --values-only A.npy": "--check of a batch needs vectors",
		"solve --batch --out-values v.json A.npy":   "written as .txt, .npy or .npz",
		"solve --batch --largest 3 A.npy":           "3 is too many",
	} {
		if _, stderr, status := s.run(strings.Fields(args)...); status != cli.StatusInput || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d\n%s", args, status, stderr)
		}
	}
	if _, err := os.Stat("v.json"); !errors.Is(err, os.ErrNotExist) {
		t.Error("an output of a refused command is there")
	}
}

// TestSolveBatchSymmetry reads batches whose triangles differ. The rules are those of a solve
// without --batch. Triangles that differ only by rounding errors of the file's number type are
// averaged. --symmetrize and --uplo say what to do with larger differences. An entry that is not
// finite is an error in each triangle that is read.
func TestSolveBatchSymmetry(t *testing.T) {
	s := newFixture(t)
	nan, inf := math.NaN(), math.Inf(1)
	s.file("A.npy", stackFile(t, []float64{2, 1, 4, 2}, []float64{5, 0, 0, -7})) // a(2,1) = 1, a(1,2) = 4
	s.file("nan.npy", stackFile(t, []float64{1, 100, nan, 2}, []float64{2, 1, 1, 2}, []float64{1, 5, inf, 2}, []float64{1, nan, 3, 2}))
	s.file("near.npy", stackFile(t, []float64{2, 1, 1 + 0x1p-50, 2}, []float64{2, 1, 1, 2}))
	var b bytes.Buffer
	if err := matio.WriteStack(&b, 1, 2, 2, func(int) []float32 { return []float32{2, 1, 1 + 0x1p-20, 2} }); err != nil {
		t.Fatal(err)
	}
	s.file("near32.npy", b.String())
	s.file("far.npy", stackFile(t, []float64{2, 1, 1 + 0x1p-20, 2}))
	lines := func(args string, wantStatus int, words ...string) []string {
		t.Helper()
		stdout, stderr, status := s.real(strings.Fields("solve --batch " + args)...)
		for _, w := range words {
			if !strings.Contains(stderr, w) {
				t.Errorf("%s: no %q in\n%s", args, w, stderr)
			}
		}
		if status != wantStatus {
			t.Errorf("%s: status %d\n%s", args, status, stderr)
		}
		return strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	}
	values := func(line string) []float64 { return numbers(t, strings.ReplaceAll(line, " ", "\n")+"\n") }
	lines("A.npy", cli.StatusInput, "A.npy: matrix 0: matrix is not symmetric: |a(2,1) − a(1,2)| = 3", "--symmetrize")
	expectClose(t, values(lines("--symmetrize A.npy", cli.StatusSuccess)[0]), []float64{-0.5, 4.5})
	expectClose(t, values(lines("--uplo lower A.npy", cli.StatusSuccess)[0]), []float64{1, 3})
	expectClose(t, values(lines("--uplo upper A.npy", cli.StatusSuccess)[0]), []float64{-2, 6})
	lines("--uplo lower --symmetrize A.npy", cli.StatusInput, "--symmetrize cannot be combined with --uplo")

	got := lines("nan.npy", cli.StatusNumerical, "matrix 0: a(1,2) is NaN", "matrix 2: a(1,2) is +Inf", "matrix 3: a(2,1) is NaN", "3 matrices could not be solved")
	if len(got) != 4 || got[0] != "NaN NaN" || got[2] != "NaN NaN" || got[3] != "NaN NaN" {
		t.Errorf("%q", got)
	}
	expectClose(t, values(got[1]), []float64{1, 3})
	got = lines("--uplo lower nan.npy", cli.StatusNumerical, "matrix 3: a(2,1) is NaN", "1 matrix could not be solved")
	if len(got) != 4 || strings.Contains(got[0]+got[2], "NaN") {
		t.Errorf("%q", got)
	}
	lines("--uplo upper nan.npy", cli.StatusNumerical, "matrix 0: a(1,2) is NaN", "matrix 2: a(1,2) is +Inf", "2 matrices could not be solved")
	lines("--symmetrize nan.npy", cli.StatusNumerical, "matrix 0: a(1,2) is NaN", "3 matrices could not be solved")

	lines("near.npy", cli.StatusSuccess, "near.npy: 1 matrix is symmetric up to rounding errors of 8.9e-16 at most, which are averaged")
	lines("near32.npy", cli.StatusSuccess, "near32.npy: 1 matrix is symmetric up to rounding errors of 9.5e-07 at most, which are averaged")
	lines("far.npy", cli.StatusInput, "matrix is not symmetric")
}

// TestSolveBatchOfNothing checks the shapes of the results for a stack of no matrices: those of
// numpy.linalg.eigh.
func TestSolveBatchOfNothing(t *testing.T) {
	s := newFixture(t)
	var b bytes.Buffer
	if err := matio.WriteStack[float64](&b, 0, 3, 3, nil); err != nil {
		t.Fatal(err)
	}
	s.file("E.npy", b.String())
	for args, want := range map[string][2]string{"": {"(0, 3)", "(0, 3, 3)"}, "--largest 2": {"(0, 2)", "(0, 3, 2)"}} {
		if _, stderr, status := s.real(strings.Fields("solve --batch --out-values v.npy --out-vectors q.npy " + args + " E.npy")...); status != cli.StatusSuccess {
			t.Fatal(stderr)
		}
		for i, name := range []string{"v.npy", "q.npy"} {
			if text, _ := os.ReadFile(name); !strings.Contains(string(text), "'shape': "+want[i]) {
				t.Errorf("%s %s: %q, want the shape %s", args, name, text, want[i])
			}
		}
	}
}
