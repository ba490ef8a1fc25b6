package main

import (
	"archive/zip"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd/matio"
)

// member reads one array of a .npz file. `vector` says that it is a vector; otherwise it is a
// matrix, which is returned by columns.
func member(t *testing.T, file, array string, vector bool) []float64 {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.Open(array + ".npy")
	if err != nil {
		t.Fatal(err)
	}
	if vector {
		v, err := matio.ReadVector(f, array)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	d, err := matio.ReadNPY(f, array)
	if err != nil {
		t.Fatal(err)
	}
	return d.Data
}

func readStacks(t *testing.T, file string) *matio.Stacks {
	t.Helper()
	s, err := matio.Options{}.ReadStacksFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSolveArchive solves a .npz file with a matrix of order 3 and a stack of matrices of order 2.
// It checks the printed lines, and the files of values and vectors.
func TestSolveArchive(t *testing.T) {
	s := newFixture(t)
	stack := stackFile(t, []float64{2, 1, 1, 2}, []float64{5, 0, 0, -7})
	s.file("A.npz", npz("K.npy", npy(3, 3, 1, 0, 0, 0, 4, 0, 0, 0, 2), "S.npy", stack))
	stdout, stderr, status := s.run(strings.Fields("solve --batch --check --out-values v.npz --out-vectors q.npz A.npz")...)
	if status != cli.StatusSuccess || !strings.Contains(stderr, "batch    A.npz, 3 matrices of orders 2 to 3 in float64\n") {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	want := map[string][]float64{"K": {1, 2, 4}, "S[0]": {1, 3}, "S[1]": {-7, 5}}
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	if len(lines) != len(want) {
		t.Fatalf("not a line for each matrix: %q", stdout)
	}
	for _, line := range lines {
		name, values, _ := strings.Cut(line, "\t")
		expectClose(t, numbers(t, strings.ReplaceAll(values, " ", "\n")+"\n"), want[name])
	}
	one, err := matio.Options{Array: "K"}.ReadFile("q.npz")
	if err != nil || one.Rows != 3 || math.Abs(one.At(2, 1)) != 1 {
		t.Errorf("vectors of K %+v, %v", one, err)
	}
	all := readStacks(t, "q.npz")
	if len(all.All) != 2 || all.All[1].Name != "S" || all.All[1].Count != 2 || math.Abs(all.All[1].Data[5]) != 1 {
		t.Errorf("vectors %+v", all)
	}
	values, err := matio.Options{Array: "S"}.ReadFile("v.npz")
	if err != nil || values.Rows != 2 || values.At(1, 0) != -7 {
		t.Errorf("values of S %+v, %v", values, err)
	}
	stdout, _, status = s.run(strings.Fields("solve --batch --out-vectors q.npy A.npz:S")...)
	if status != cli.StatusSuccess || strings.Contains(stdout, "S") || readStacks(t, "q.npy").All[0].Count != 2 {
		t.Errorf("one array: status %d, %q", status, stdout)
	}
}

// TestSolveArchiveErrors runs vkevd solve --batch on a bad .npz file. The errors must be those for
// a .npy file, with the names of the matrices.
func TestSolveArchiveErrors(t *testing.T) {
	s := newFixture(t)
	nan := stackFile(t, []float64{2, 1, 1, 2}, []float64{math.NaN(), 0, 0, -7})
	s.file("A.npz", npz("K.npy", npy(2, 2, 1, 0, 0, 1), "S.npy", nan))
	s.file("asymmetric.npz", npz("K.npy", npy(1, 1, 1), "L.npy", npy(2, 2, 2, 1, 1.5, 2)))
	s.file("flat.npz", npz("K.npy", npy(1, 2, 1, 2)))
	s.file("A.npy", stackFile(t, []float64{1, 0, 0, 1}))
	stdout, stderr, status := s.run(strings.Fields("solve --batch A.npz")...)
	if status != cli.StatusNumerical || !strings.Contains(stdout, "S[1]\tNaN NaN\n") || !strings.Contains(stderr, "matrix S[1]: a(1,1) is NaN") ||
		lastLine(stderr) != "vkevd: A.npz: 1 matrix could not be solved" {
		t.Errorf("status %d, %q\n%s", status, stdout, stderr)
	}
	for args, want := range map[string]string{
		"solve --batch asymmetric.npz":              "asymmetric.npz: matrix L: matrix is not symmetric: |a(2,1) − a(1,2)| = 0.5 is the largest difference",
		"solve --batch flat.npz":                    "flat.npz: K: the matrices are 1 by 2, not square",
		"solve --batch A.npz:L":                     "A.npz: no array is called L; the archive has K, S",
		"solve --batch --array K A.npz":             "three dimensions",
		"solve --batch --largest 3 A.npz":           "A.npz: K: --largest: 3 is too many",
		"solve --batch --out-vectors q.npy A.npz":   "q.npy: the matrices of A.npz have names, which .npz keeps",
		"solve --batch --out-values v.npz A.npy":    "v.npz: the matrices of A.npy have no names; .npy takes them",
		"solve --batch --out-vectors q.npz A.npz:S": "q.npz: the matrices of A.npz:S have no names",
		"solve --out-vectors q.npz A.npy":           "the name must end in .npy",
	} {
		if _, stderr, status := s.run(strings.Fields(args)...); status != cli.StatusInput || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d\n%s", args, status, stderr)
		}
	}
	for _, file := range []string{"q.npy", "q.npz", "v.npz"} {
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s of a refused command is there", file)
		}
	}
}

// TestSolveArchivePart runs vkevd solve --batch for the largest values of matrices of different
// orders. The indices of these values depend on the order, so each order has a plan of its own.
func TestSolveArchivePart(t *testing.T) {
	s := newFixture(t)
	s.file("A.npz", npz("K.npy", npy(3, 3, 1, 0, 0, 0, 4, 0, 0, 0, 2), "L.npy", npy(2, 2, 5, 0, 0, 9), "M.npy", npy(3, 3, 3, 0, 0, 0, 1, 0, 0, 0, 2), "N.npy", npy(2, 2, 7, 0, 0, 6)))
	if _, stderr, status := s.run(strings.Fields("solve --batch --largest 1 A.npz")...); status != cli.StatusSuccess || s.machine.closed != 2+1 {
		t.Errorf("%d of 2 plans and a device closed\n%s", s.machine.closed, stderr)
	}
	stdout, stderr, status := s.real(strings.Fields("solve --batch --largest 1 A.npz")...)
	words := strings.Fields(stdout)
	if status != cli.StatusSuccess || len(words) != 8 || words[0] != "K" || words[2] != "L" || words[4] != "M" || words[6] != "N" {
		t.Fatalf("status %d, %q\n%s", status, stdout, stderr)
	}
	expectClose(t, numbers(t, words[1]+"\n"+words[5]+"\n"+words[3]+"\n"+words[7]+"\n"), []float64{4, 3, 9, 7})
}

// TestSolveArchiveOnADevice solves a .npz file on a real device and compares the values with those
// of numpy.linalg.eigvalsh (NumPy 1.24.2). numpy.savez_compressed wrote the file, with elements of
// 8 bits. Its arrays are "K" (4×4), "S of k" (3×5×5) and "M" (33×33, in Fortran order).
func TestSolveArchiveOnADevice(t *testing.T) {
	folder, err := filepath.Abs("testdata/batch")
	if err != nil {
		t.Fatal(err)
	}
	s := newFixture(t)
	many := filepath.Join(folder, "many.npz")
	_, stderr, status := s.real("solve", "--batch", "--check", "--out-values", "v.npz", "--out-vectors", "q.npz", many)
	if status != cli.StatusSuccess {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	a, q := readStacks(t, many), readStacks(t, "q.npz")
	for i, array := range a.All {
		v := q.All[i]
		if v.Name != array.Name || v.Dims != array.Dims || v.Count != array.Count || v.Rows != array.Rows || v.Cols != array.Cols {
			t.Errorf("vectors of %s are %s, %d times %d by %d", array.Name, v.Name, v.Count, v.Rows, v.Cols)
			continue
		}
		got := member(t, "v.npz", array.Name, array.Dims == 2)
		want := member(t, filepath.Join(folder, "values.npz"), array.Name, array.Dims == 2)
		if len(got) != len(want) {
			t.Fatalf("%d values of %s, not %d", len(got), array.Name, len(want))
		}
		for k, x := range want {
			if !(math.Abs(got[k]-x) <= 1e-15*33*1000) {
				t.Errorf("%s: value %d is %g, not %g", array.Name, k, got[k], x)
			}
		}
	}
	all, _, _ := s.real("solve", "--batch", many)
	largest, _, _ := s.real("solve", "--batch", "--largest", "2", many)
	whole, part := strings.Split(all, "\n"), strings.Split(largest, "\n")
	for k, line := range part[:len(part)-1] {
		name, values, _ := strings.Cut(line, "\t")
		if words := strings.Fields(whole[k]); !strings.HasPrefix(whole[k], name+"\t") || !slices.Equal(words[len(words)-2:], strings.Fields(values)) {
			t.Errorf("the largest values of %s are %s, and all are %s", name, values, whole[k])
		}
	}
	if len(part) != len(whole) || len(whole) != 1+3+1+1 {
		t.Errorf("%d and %d lines", len(part), len(whole))
	}
}
