package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/cmplx"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/internal/when"
)

// hermitianRows is the matrix [2 1−2i 0; 1+2i 3 −i; 0 i 5] by rows, as numpy.save writes it. Its
// conjugate, which is also its transpose, has the same values and other vectors.
var hermitianRows = []complex128{2, 1 - 2i, 0, 1 + 2i, 3, -1i, 0, 1i, 5}

const hermitianMarket = "%%MatrixMarket matrix coordinate complex hermitian\n3 3 5\n1 1 2 0\n2 1 1 2\n2 2 3 0\n3 2 0 1\n3 3 5 0\n"

// complexNPY returns a .npy file with a 3×3 matrix by columns.
func complexNPY[T complex64 | complex128](t *testing.T, columns []T) string {
	t.Helper()
	var file bytes.Buffer
	if err := matio.WriteNPY(&file, 3, 3, columns, 3); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// byRows returns a .npy file whose elements are stored by rows.
func byRows(t *testing.T, rows []complex128) string {
	return strings.Replace(complexNPY(t, rows), "'fortran_order': True, ", "'fortran_order': False,", 1)
}

// hermitianFiles are the same matrix in several formats.
func hermitianFiles(t *testing.T) map[string]string {
	var columns []complex128
	var narrow []complex64
	for k := range hermitianRows {
		columns = append(columns, hermitianRows[k/3+k%3*3])
		narrow = append(narrow, complex64(columns[k]))
	}
	return map[string]string{
		"rows.npy": byRows(t, hermitianRows), "columns.npy": complexNPY(t, columns), "H.mtx": hermitianMarket,
		"H.npz": npz("H.npy", byRows(t, hermitianRows)), "narrow.npy": complexNPY(t, narrow),
	}
}

// TestComplexFiles solves a Hermitian matrix from files of several formats, and checks A·z = λ·z
// for each pair. The vectors in .npy files must have the precision of the solve.
func TestComplexFiles(t *testing.T) {
	for name, content := range hermitianFiles(t) {
		for _, flags := range []string{"", "--precision f32 ", "--uplo lower ", "--uplo upper ", "--symmetrize "} {
			for _, vectors := range []string{"Z.npy", "Z.mtx"} {
				s := newFixture(t)
				s.file(name, content)
				stdout, stderr, status := s.run(strings.Fields("solve --check --out-values v.npy --out-vectors " + vectors + " " + flags + name)...)
				precision, tolerance := "complex128", 1e-14
				if name == "narrow.npy" || strings.Contains(flags, "f32") {
					precision, tolerance = "complex64", 1e-6
				}
				if status != cli.StatusSuccess || !strings.Contains(stderr, "in "+precision+"\n") || !strings.Contains(stderr, "‖I − Qᴴ·Q‖₁") || strings.Count(stdout, "\n") != 3 {
					t.Fatalf("%s%s: status %d, %q\n%s", flags, name, status, stdout, stderr)
				}
				values, err := matio.ReadVectorFile("v.npy")
				if err != nil {
					t.Fatal(err)
				}
				_, z, err := matio.Options{}.ReadEitherFile(vectors)
				if err != nil || z.Rows != 3 || z.Cols != 3 || z.Single != (precision == "complex64" && vectors == "Z.npy") {
					t.Fatalf("%s%s: vectors %v, %v", flags, name, z, err)
				}
				for k, value := range values {
					for i := range 3 {
						var sum complex128
						for j := range 3 {
							sum += hermitianRows[3*i+j] * z.At(j, k)
						}
						if !(cmplx.Abs(sum-complex(value, 0)*z.At(i, k)) < 10*tolerance) {
							t.Fatalf("%s%s, %s: A·z − λ·z is %v in row %d of pair %d", flags, name, vectors, sum-complex(value, 0)*z.At(i, k), i, k)
						}
					}
				}
				forCheck := strings.ReplaceAll(flags, "--precision f32 ", "")
				if stdout, stderr, status := s.run(strings.Fields("check --host " + forCheck + name + " v.npy " + vectors)...); status != cli.StatusSuccess && precision == "complex128" {
					t.Fatalf("check %s: status %d, %s%s", name, status, stdout, stderr)
				}
			}
		}
	}
}

// TestCheckOfComplexFiles checks results of a Hermitian matrix, right ones and wrong ones.
func TestCheckOfComplexFiles(t *testing.T) {
	s := newFixture(t)
	for name, content := range hermitianFiles(t) {
		s.file(name, content)
	}
	if _, stderr, status := s.run("solve", "--out-values", "v.txt", "--out-vectors", "Z.npy", "rows.npy"); status != cli.StatusSuccess {
		t.Fatal(stderr)
	}
	_, z, err := matio.Options{}.ReadEitherFile("Z.npy")
	if err != nil {
		t.Fatal(err)
	}
	for k, x := range z.Data {
		z.Data[k] = cmplx.Conj(x)
	}
	s.file("conj.npy", complexNPY(t, z.Data))
	s.file("off.txt", "1\n2\n7\n")
	s.file("real.npy", npy(3, 3, 1, 0, 0, 0, 1, 0, 0, 0, 1))
	s.file("D.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n3 3 2\n1 1 1 0\n2 2 2 0\n")
	s.file("D.txt", "0\n1\n2\n")
	s.file("D.npy", npy(3, 3, 0, 0, 1, 1, 0, 0, 0, 1, 0))
	for args, want := range map[string]int{
		"rows.npy v.txt": cli.StatusSuccess, "rows.npy v.txt Z.npy": cli.StatusSuccess, "--host H.mtx v.txt Z.npy": cli.StatusSuccess,
		"--host narrow.npy v.txt Z.npy": cli.StatusSuccess, "narrow.npy v.txt": cli.StatusSuccess,
		"--host H.mtx v.txt conj.npy": cli.StatusNumerical, "H.mtx off.txt": cli.StatusNumerical, "--host H.mtx v.txt real.npy": cli.StatusNumerical,
		"--host D.mtx D.txt D.npy": cli.StatusSuccess, // real vectors
	} {
		if stdout, stderr, status := s.run(append([]string{"check"}, strings.Fields(args)...)...); status != want {
			t.Errorf("check %s: status %d, want %d\n%s%s", args, status, want, stdout, stderr)
		}
	}
}

// TestComplexRefined solves a Hermitian matrix in mixed precision, and from approximate vectors, complex
// and real ones. The report must have the steps, and the vectors must be complex.
func TestComplexRefined(t *testing.T) {
	s := newFixture(t)
	s.file("H.npy", byRows(t, hermitianRows))
	s.file("real.npy", npy(3, 3, 1, 0, 0, 0, 1, 0, 0, 0, 1))
	if _, stderr, status := s.run("solve", "--out-vectors", "Z.npy", "H.npy"); status != cli.StatusSuccess {
		t.Fatal(stderr)
	}
	want, err := os.ReadFile("Z.npy")
	if err != nil {
		t.Fatal(err)
	}
	for args, precision := range map[string]string{"--start Z.npy": "complex128", "--start real.npy": "complex128", "--precision mixed": "mixed"} {
		if _, stderr, status := s.run(strings.Fields("solve --verify --check --report r.json --out-vectors X.npy " + args + " H.npy")...); status != cli.StatusSuccess {
			t.Fatalf("%s: status %d, %s", args, status, stderr)
		}
		var r struct {
			Precision  string
			Refinement struct{ Steps int }
		}
		text, err := os.ReadFile("r.json")
		if err := errors.Join(err, json.Unmarshal(text, &r)); err != nil || r.Precision != precision || r.Refinement.Steps != 2 {
			t.Errorf("%s: %v, %s", args, err, text)
		}
		if got, err := os.ReadFile("X.npy"); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: other vectors, %v", args, err)
		}
	}
}

// TestComplexRefinedForReal is TestComplexRefined on the real device.
func TestComplexRefinedForReal(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	s := newFixture(t)
	s.file("H.npy", byRows(t, hermitianRows))
	for _, args := range []string{"--precision mixed --out-vectors Z.npy", "--start Z.npy"} {
		stdout, stderr, status := s.real(strings.Fields("solve --check " + args + " H.npy")...)
		if status != cli.StatusSuccess || !strings.Contains(stderr, "refined ") || !strings.Contains(stderr, "residual") || strings.Contains(stderr, "solved anew") {
			t.Errorf("%s: status %d\n%s%s", args, status, stdout, stderr)
		}
	}
}

// TestComplexRefused checks what is said about complex matrices that are not Hermitian, and about
// commands and flags that have no complex plans.
func TestComplexRefused(t *testing.T) {
	s := newFixture(t)
	change := func(at int, x complex128) string {
		rows := append([]complex128{}, hermitianRows...)
		rows[at] = x
		return byRows(t, rows)
	}
	s.file("H.npy", byRows(t, hermitianRows))
	s.file("off.npy", change(3, 1+2.5i))
	s.file("diagonal.npy", change(4, 3+.5i))
	s.file("nan.npy", change(4, complex(3, math.NaN())))
	s.file("symmetric.mtx", "%%MatrixMarket matrix coordinate complex symmetric\n2 2 3\n1 1 1 0\n2 1 1 2\n2 2 5 1\n")
	s.file("declared.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n1 1 1 .5\n2 1 1 2\n2 2 5 0\n")
	s.file("wide.mtx", "%%MatrixMarket matrix array complex general\n1 2\n1 2\n3 4\n")
	s.file("large.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 1 -1e300\n")
	s.file("off-stack.npy", strings.Replace(change(3, 1+2.5i), "(3, 3), }", "(1,3,3),}", 1))
	s.file("stack.npy", strings.Replace(byRows(t, hermitianRows), "(3, 3), }", "(1,3,3),}", 1))
	const (
		end   = " is the largest difference (rows and columns from 1)"
		hints = "; --symmetrize takes (A+Aᴴ)/2, --uplo lower or upper one triangle"
		only  = "the elements are complex, and only real ones are read here; vkevd solve takes one complex Hermitian matrix. " +
			"[[S, -K], [K, S]] is real, and has the values of S + iK, each twice"
	)
	for args, says := range map[string]string{
		"solve off.npy":                               "off.npy: matrix is not Hermitian: |a(2,1) − conj a(1,2)| = 0.5" + end + hints,
		"check off.npy v.txt":                         "off.npy: matrix is not Hermitian: |a(2,1) − conj a(1,2)| = 0.5" + end + hints,
		"solve diagonal.npy":                          "diagonal.npy: matrix is not Hermitian: |Im a(2,2)| = 0.5" + end + hints,
		"solve --uplo lower diagonal.npy":             "diagonal.npy: matrix is not Hermitian: |Im a(2,2)| = 0.5" + end + hints,
		"solve nan.npy":                               "nan.npy: matrix is not Hermitian: |Im a(2,2)| = NaN" + end + hints,
		"solve symmetric.mtx":                         "symmetric.mtx: matrix is complex symmetric, not Hermitian, so its eigenvalues are not real: |a(2,1) − conj a(1,2)| = 4" + end + hints,
		"solve declared.mtx":                          "declared.mtx: declared hermitian, but matrix is not Hermitian: |Im a(1,1)| = 0.5" + end,
		"solve wide.mtx":                              "wide.mtx: matrix is not square: 1 row, 2 columns",
		"solve --precision f32 large.mtx":             "large.mtx: a(2,1) is -1e+300, the largest entry, and beyond the range of single precision, 2⁻¹²⁶ to 2¹²⁸ (rows and columns from 1); --precision f64 solves it",
		"solve --start wide.mtx H.npy":                "wide.mtx: 1 by 2 elements; --start needs all 3 approximate eigenvectors of a matrix of order 3",
		"solve --tridiagonal H.npy":                   "H.npy: " + only,
		"solve --batch --tridiagonal stack.npy":       "stack.npy: " + only,
		"solve --batch off-stack.npy":                 "off-stack.npy: matrix 0: matrix is not Hermitian: |a(2,1) − conj a(1,2)| = 0.5" + end + hints,
		"svd --banded H.npy":                          "H.npy: the elements are complex, and --banded takes real matrices only",
		"svd --storage f32 H.npy":                     "H.npy: the elements are complex, and --storage takes real matrices only",
		"svd --bidiagonal H.npy":                      "H.npy: " + only,
		"check H.npy H.npy":                           "H.npy: " + only,
		"plot spectrum --out p.png H.npy":             "H.npy: " + only,
		"solve --out-vectors Z.mtx --batch stack.npy": "--out-vectors: Z.mtx: the name must end in .npy or .npz, or have no ending; see vkevd solve --help",
	} {
		s.fails(cli.StatusInput, says, strings.Fields(args)...)
	}
	for _, args := range []string{"--symmetrize off.npy", "--symmetrize diagonal.npy", "--symmetrize nan.npy", "--uplo upper off.npy", "--symmetrize symmetric.mtx"} {
		if stdout, stderr, status := s.run(append([]string{"solve"}, strings.Fields(args)...)...); status != cli.StatusSuccess {
			t.Errorf("%s: status %d, %s%s", args, status, stdout, stderr)
		}
	}
	s.file("rounded.npy", change(3, 1+2.0000000000000004i))
	if _, stderr, status := s.run("solve", "rounded.npy"); status != cli.StatusSuccess || !strings.Contains(stderr, "rounded.npy: Hermitian up to rounding errors of 4.4e-16 at most, which are averaged\n") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

func TestComplexPlans(t *testing.T) {
	s := newFixture(t)
	for args, want := range map[string]struct {
		precision string
		host      uint64
	}{
		"": {"complex128", 16e6}, "--precision f32": {"complex64", 8e6}, "--precision f64 --values-only": {"complex128", 16e6},
		"--precision mixed": {"mixed", 32e6}, "--start": {"complex128", 48e6},
		"--batch 7 -n 10": {"complex128", 7 * 1600}, "--batch 7 -n 10 --precision f32": {"complex64", 7 * 800},
	} {
		var r struct {
			Precision  string
			Host_bytes uint64
		}
		stdout, stderr, status := s.run(append(strings.Fields("plan -n 1000 --complex --json -"), strings.Fields(args)...)...)
		if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != cli.StatusSuccess || r.Precision != want.precision || r.Host_bytes != want.host {
			t.Errorf("plan %s: status %d, %+v, %v\n%s", args, status, r, err, stderr)
		}
	}
	for _, flag := range []string{"storage f16", "tridiagonal"} {
		s.fails(cli.StatusInput, "--complex cannot be combined with --"+strings.Fields(flag)[0]+", which takes real matrices only; see vkevd plan --help",
			append([]string{"plan", "-n", "10", "--complex"}, strings.Fields("--"+flag)...)...)
	}
	s.fails(cli.StatusInput, "complex matrices are measured by the stages peaks, values, vectors, emulated-values, emulated-vectors, sygv, sygv-vectors, emulated-sygv, emulated-sygv-vectors, svd, svd-vectors, batch, batch-values, not by gemm; see vkevd bench --help",
		"bench", "-n", "10", "--complex", "values", "gemm")
	if _, stderr, status := s.run("bench", "-n", "10", "--complex", "values", "vectors"); status != cli.StatusSuccess || !s.machine.benched.Complex {
		t.Errorf("bench: status %d, %s", status, stderr)
	}
}

// stackOf returns a .npy file with a stack of two 3×3 matrices, stored by columns: a and factor·a.
func stackOf[T complex64 | complex128](t *testing.T, a []T, factor T) string {
	t.Helper()
	var file bytes.Buffer
	if err := matio.WriteStack(&file, 2, 3, 3, func(k int) []T {
		all := append([]T{}, a...)
		for i := range all {
			if k == 1 {
				all[i] *= factor
			}
		}
		return all
	}); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// TestBatchesOfHermitians solves stacks of complex matrices, and archives with such stacks. The
// values must be those of a solve of one matrix, and the vectors must have the type of the input.
// The output for a stack of no matrices must be complex, too.
func TestBatchesOfHermitians(t *testing.T) {
	var columns []complex128
	var narrow []complex64
	for k := range hermitianRows {
		columns = append(columns, hermitianRows[k/3+k%3*3])
		narrow = append(narrow, complex64(columns[k]))
	}
	one := newFixture(t)
	one.file("H.npy", complexNPY(t, columns))
	single, _, status := one.run("solve", "H.npy")
	want := numbers(t, single)
	if status != cli.StatusSuccess || len(want) != 3 {
		t.Fatal(status, single)
	}
	opposite := []float64{-want[2], -want[1], -want[0]}
	for _, c := range []struct {
		file, content, flags, ending string
		tolerance                    float64
	}{
		{"H.npy", stackOf(t, columns, -1), "", ".npy", 1e-14},
		{"H.npy", stackOf(t, columns, -1), "--uplo upper --check", ".npy", 1e-14},
		{"narrow.npy", stackOf(t, narrow, -1), "", ".npy", 1e-6},
		{"H.npz", npz("H.npy", stackOf(t, columns, -1), "S.npy", npy(3, 3, 5, 0, 0, 0, 6, 0, 0, 0, 7)), "", ".npz", 1e-14},
	} {
		s := newFixture(t)
		s.file(c.file, c.content)
		args := append(strings.Fields("solve --batch --out-values v"+c.ending+" --out-vectors Z"+c.ending+" "+c.flags), c.file)
		stdout, stderr, status := s.run(args...)
		precision := " in complex128\n"
		if c.file == "narrow.npy" {
			precision = " in complex64\n"
		}
		if status != cli.StatusSuccess || !strings.Contains(stderr, precision) {
			t.Fatalf("%v: status %d, %s%s", args, status, stdout, stderr)
		}
		all, err := matio.Options{}.ReadEitherStacksFile("Z" + c.ending)
		if err != nil {
			t.Fatal(err)
		}
		z := all.All[0]
		if z.Count != 2 || z.Rows != 3 || z.Cols != 3 || z.Single != (c.file == "narrow.npy") || z.Complex == nil {
			t.Fatalf("%v: %d vectors of %d components, %d times", args, z.Cols, z.Rows, z.Count)
		}
		lines := strings.Split(stdout, "\n")
		for k, values := range [][]float64{want, opposite} {
			line := lines[k]
			if _, after, named := strings.Cut(line, "\t"); named {
				line = after
			}
			expectClose(t, numbers(t, strings.ReplaceAll(line, " ", "\n")), values)
			for j, value := range values {
				for i := range 3 {
					var sum complex128
					for l := range 3 {
						sum += []complex128{1, -1}[k] * hermitianRows[3*i+l] * z.Complex[9*k+l+3*j]
					}
					if !(cmplx.Abs(sum-complex(value, 0)*z.Complex[9*k+i+3*j]) < 10*c.tolerance) {
						t.Errorf("%v, matrix %d: vector %d belongs to another value", args, k, j)
					}
				}
			}
		}
		if c.ending == ".npz" && (!strings.HasPrefix(lines[2], "S\t5 6 7") || all.All[1].Dims != 2) {
			t.Errorf("the real matrix: %q, %d dimensions", lines[2], all.All[1].Dims)
		}
	}
	s := newFixture(t)
	s.file("empty.npy", strings.Replace(stackOf(t, columns, 1), "(2, 3, 3), }", "(0, 3, 3), }", 1)[:128])
	if stdout, stderr, status := s.run("solve", "--batch", "--out-vectors", "Z.npy", "empty.npy"); status != cli.StatusSuccess || stdout != "" {
		t.Errorf("no matrix: status %d, %s%s", status, stdout, stderr)
	}
	if all, err := (matio.Options{}).ReadEitherStacksFile("Z.npy"); err != nil || all.All[0].Count != 0 || all.All[0].Complex == nil {
		t.Errorf("no matrix: %+v, %v", all, err)
	}
}

// TestComplexHere solves a Hermitian matrix on a real device, in both precisions, and stacks of
// such matrices. A matrix with NaN has no result, and the others have one.
func TestComplexHere(t *testing.T) {
	when.Skip(t, when.Quick, "tests of evd solve complex matrices")
	s := newFixture(t)
	var file bytes.Buffer
	const n = 40
	h := matgen.Haldane(0.1, 0.7, 0.4).Dense(n)
	if err := matio.WriteNPY(&file, n, n, h, n); err != nil {
		t.Fatal(err)
	}
	s.file("H.npy", file.String())
	for _, precision := range []string{"f64", "f32"} {
		for _, flags := range []string{"--smallest 5", "--verify"} {
			args := strings.Fields("solve --check --quiet --out-values v.npy --out-vectors Z.npy --precision " + precision + " " + flags + " H.npy")
			if stdout, stderr, status := s.real(args...); status != cli.StatusSuccess {
				t.Fatalf("%v: status %d, %s%s", args, status, stdout, stderr)
			}
			if stdout, stderr, status := s.real("check", "H.npy", "v.npy", "Z.npy"); status != cli.StatusSuccess {
				t.Errorf("check after %v: status %d, %s%s", args, status, stdout, stderr)
			}
		}
	}
	file.Reset()
	if err := matio.WriteStack(&file, 3, n, n, func(k int) []complex128 { return matgen.Haldane(0.1, float64(k), 0.4).Dense(n) }); err != nil {
		t.Fatal(err)
	}
	s.file("stack.npy", file.String())
	if stdout, stderr, status := s.real(strings.Fields("solve --batch --check --largest 2 --out-vectors Z.npy stack.npy")...); status != cli.StatusSuccess || len(strings.Fields(stdout)) != 6 {
		t.Errorf("stack: status %d, %s%s", status, stdout, stderr)
	}
	if z, err := (matio.Options{}).ReadEitherStacksFile("Z.npy"); err != nil || z.All[0].Count != 3 || z.All[0].Rows != n || z.All[0].Cols != 2 {
		t.Errorf("stack: vectors %+v, %v", z, err)
	}
	s.file("nan.npy", stackOf(t, hermitianRows, complex(1, math.NaN())))
	stdout, stderr, status := s.real("solve", "--batch", "--vectors", "nan.npy")
	if !strings.HasSuffix(stdout, "\nNaN NaN NaN\n") || status != cli.StatusNumerical || !strings.Contains(stderr, "matrix 1: a(1,1) is NaN; eigenvalues need finite entries") {
		t.Errorf("NaN: status %d, %s%s", status, stdout, stderr)
	}
	for _, args := range []string{"plan -n 300 --complex", "bench -n 20 --repeat 1 --complex values vectors"} {
		if stdout, stderr, status := s.real(strings.Fields(args)...); status != cli.StatusSuccess {
			t.Errorf("%s: status %d, %s%s", args, status, stdout, stderr)
		}
	}
}
