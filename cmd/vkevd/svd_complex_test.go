package main

import (
	"bytes"
	"encoding/json"
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/matio"
)

// complexRows has the rows of a 2×3 matrix with the singular values 4 and 3: the product of the
// unitary matrix [1 i; i 1]/√2, of diag(4, 3), and of the rows (1, 0, 0) and (0, 0.6i, 0.8).
var complexRows = func() []complex128 {
	r := complex(math.Sqrt2/2, 0)
	return []complex128{4 * r, 1i * r * 3 * .6i, 1i * r * 3 * .8, 4i * r, r * 3 * .6i, r * 3 * .8}
}()

const complexMarket = "%%MatrixMarket matrix coordinate complex general\n2 3 4\n1 1 0 3\n1 2 0 0\n2 1 0 0\n2 3 4 0\n"

// TestSVDOfComplexFiles decomposes a complex matrix from files of several formats on a device, and
// checks A·V = U·Σ. Files of vectors have the precision of the solve. A conjugated V is refused by
// check.
func TestSVDOfComplexFiles(t *testing.T) {
	file := func(m, n int, columns any) string {
		var b bytes.Buffer
		var err error
		switch x := columns.(type) {
		case []complex128:
			err = matio.WriteNPY(&b, m, n, x, m)
		case []complex64:
			err = matio.WriteNPY(&b, m, n, x, m)
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	var columns, tall []complex128
	var narrow []complex64
	for k := range complexRows {
		columns = append(columns, complexRows[k/2+k%2*3])
		narrow = append(narrow, complex64(columns[k]))
		tall = append(tall, cmplx.Conj(complexRows[k])) // the adjoint, by columns
	}
	for name, content := range map[string]string{
		"wide.npy": file(2, 3, columns), "tall.npy": file(3, 2, tall), "narrow.npy": file(2, 3, narrow), "A.mtx": complexMarket,
		"A.npz": npz("A.npy", file(2, 3, columns)),
	} {
		for _, flags := range []string{"", "--precision f32 ", "--full ", "--verify "} {
			s := newFixture(t)
			s.file(name, content)
			stdout, stderr, status := s.real(strings.Fields("svd --check --out-values v.npy --out-u U.npy --out-v V.mtx --report r.json " + flags + name)...)
			precision, tolerance := "complex128", 1e-14
			if name == "narrow.npy" || strings.Contains(flags, "f32") {
				precision, tolerance = "complex64", 1e-6
			}
			if status != cli.StatusSuccess || !strings.Contains(stderr, "in "+precision+"\n") || !strings.Contains(stderr, "‖I − Uᴴ·U‖₁ / (M·ε)") || !strings.Contains(stderr, "‖I − Vᴴ·V‖₁ / (N·ε)") {
				t.Fatalf("%s%s: status %d, %q\n%s", flags, name, status, stdout, stderr)
			}
			_, a, err := matio.Options{}.ReadEitherFile(name)
			if err != nil {
				t.Fatal(err)
			}
			_, u, err := matio.Options{}.ReadEitherFile("U.npy")
			if err != nil || u.Single != (precision == "complex64") {
				t.Fatalf("%s%s: U %v, %v", flags, name, u, err)
			}
			_, v, err := matio.Options{}.ReadEitherFile("V.mtx")
			if err != nil {
				t.Fatal(err)
			}
			if full := strings.Contains(flags, "full"); full && (u.Cols != u.Rows || v.Cols != v.Rows) || !full && (u.Cols != 2 || v.Cols != 2) {
				t.Errorf("%s%s: U has %d columns, V has %d", flags, name, u.Cols, v.Cols)
			}
			for k, value := range numbers(t, stdout) {
				if !(math.Abs(value-float64(4-k)) < 10*tolerance) {
					t.Errorf("%s%s: value %d is %v", flags, name, k, value)
				}
				for i := range a.Rows {
					sum := -complex(value, 0) * u.At(i, k)
					for j := range a.Cols {
						sum += a.At(i, j) * v.At(j, k)
					}
					if !(cmplx.Abs(sum) < 20*tolerance) {
						t.Errorf("%s%s: A·v − σ·u is %v in row %d of pair %d", flags, name, sum, i, k)
					}
				}
			}
			for k, x := range u.Data { // in the format of the vectors of check, columns follow one another
				u.Data[k] = cmplx.Conj(x)
			}
			s.file("conj.npy", file(u.Rows, u.Cols, u.Data))
			if name == "A.mtx" || precision == "complex64" {
				continue // the vectors of this matrix are real but for signs, or are not as exact as their type
			}
			for _, where := range []string{"", "--host "} {
				if stdout, stderr, status := s.real(strings.Fields("check --svd " + where + name + " v.npy U.npy V.mtx")...); status != cli.StatusSuccess || !strings.Contains(stdout, "Uᴴ") {
					t.Errorf("check %s%s: status %d, %s%s", where, name, status, stdout, stderr)
				}
				if _, _, status := s.real(strings.Fields("check --svd " + where + name + " v.npy conj.npy V.mtx")...); status != cli.StatusNumerical {
					t.Errorf("check %s%s, conjugated U: status %d", where, name, status)
				}
			}
			if _, stderr, status := s.real("check", "--svd", name, "v.npy"); status != cli.StatusSuccess {
				t.Errorf("check %s: status %d, %s", name, status, stderr)
			}
		}
	}
}

// TestPlanOfComplexSVD checks the plan of vkevd svd for complex matrices.
func TestPlanOfComplexSVD(t *testing.T) {
	s := newFixture(t)
	if help, _, _ := s.run("plan", "--help"); !strings.Contains(help, "plan for a complex Hermitian matrix, or with --svd for a complex one") {
		t.Error("the help has no complex singular values")
	}
	var bytesOf [2]float64
	for k, flags := range []string{"", "--complex"} {
		var r struct {
			Precision string
			Bytes     float64 `json:"bytes"`
		}
		stdout, stderr, status := s.real(append(strings.Fields("plan -n 300 -m 500 --svd --json -"), strings.Fields(flags)...)...)
		if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != cli.StatusSuccess || r.Precision != []string{"float64", "complex128"}[k] {
			t.Fatalf("plan %s: status %d, %+v, %v\n%s", flags, status, r, err, stderr)
		}
		bytesOf[k] = r.Bytes
	}
	if ratio := bytesOf[1] / bytesOf[0]; !(ratio > 1.5 && ratio < 2.5) {
		t.Errorf("bytes %v", bytesOf)
	}
	s.fails(cli.StatusInput, "--complex cannot be combined with --storage, which takes real matrices only; see vkevd plan --help",
		"plan", "-n", "10", "--complex", "--svd", "--storage", "f32")
}
