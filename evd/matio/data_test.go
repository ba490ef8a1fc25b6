package matio

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/tests/testdata"
)

// checkEigenvalues checks whether the eigenvalues λ in a reference file belong to the matrix d with
// elements a_ij. There must be one value for each row, in ascending order, with Σλ = Σa_ii and Σλ²
// = Σa_ij². The eigenvalues of another matrix usually fail this check.
func checkEigenvalues(t *testing.T, d *Dense, path string) {
	t.Helper()
	values, err := ReadVectorFile(path)
	if err != nil {
		t.Error(err)
		return
	}
	if len(values) != d.Rows || !slices.IsSorted(values) {
		t.Errorf("%s: %d values, sorted %v, for order %d", path, len(values), slices.IsSorted(values), d.Rows)
		return
	}
	var norm, trace, squares, allSquares float64
	for i, x := range values {
		norm = max(norm, math.Abs(x))
		trace += x - d.At(i, i)
		squares += x * x
	}
	for _, x := range d.Data {
		allSquares += x * x
	}
	const roundings = 1e-13
	if tolerance := roundings * float64(d.Rows); !(math.Abs(trace) <= tolerance*norm && math.Abs(squares-allSquares) <= tolerance*allSquares) {
		t.Errorf("%s: Σλ − Σa_ii = %g, Σλ² = %g, Σa_ij² = %g", path, trace, squares, allSquares)
	}
}

func stem(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".mtx")
	return name
}

func TestShippedMatrices(t *testing.T) {
	root := testdata.Repository()
	if root == "" {
		t.Skip("no go.mod above: the package stands alone")
	}
	data := filepath.Join(root, "tests", "testdata")
	files, _ := filepath.Glob(filepath.Join(data, "matrices", "*.mtx*"))
	values, _ := filepath.Glob(filepath.Join(data, "matrices", "*.eig.txt"))
	if len(files) == 0 || len(files) != len(values) {
		t.Errorf("%d matrices with %d lists of eigenvalues", len(files), len(values))
	}
	provenance := content(t, filepath.Join(data, "matrices", "PROVENANCE.md"))
	byName := map[string]*Dense{}
	for _, path := range files {
		name := stem(path)
		if !strings.Contains(provenance, "`"+filepath.Base(path)+"`") {
			t.Errorf("PROVENANCE.md does not mention %s", filepath.Base(path))
		}
		d, err := ReadFile(path)
		if err == nil {
			err = d.Symmetric()
		}
		if err != nil {
			t.Error(path, err)
			continue
		}
		checkEigenvalues(t, d, filepath.Join(filepath.Dir(path), name+".eig.txt"))
		byName[name] = d
	}
	demo, err := ReadFile(filepath.Join(data, "demo.mtx"))
	if err != nil {
		t.Fatal(err)
	}
	if original := byName["nos5"]; original == nil || !same(demo.Data, original.Data) {
		t.Error("demo.mtx is not nos5")
	}
}

// TestCollectedMatrices reads all files of the folder mtx in a collection of matrices. VKEVD_DATA
// names the collection. Without it the test is skipped.
func TestCollectedMatrices(t *testing.T) {
	data, _ := testdata.Collection()
	files, _ := filepath.Glob(filepath.Join(data, "mtx", "*.mtx*"))
	if len(files) == 0 {
		t.Skip("no collection: VKEVD_DATA is not set to one")
	}
	for _, path := range files {
		d, err := ReadFile(path)
		var format *FormatError
		if errors.As(err, &format) && format.Line == 0 {
			t.Logf("skipped: %v", err)
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if err := d.Symmetric(); err != nil {
			t.Logf("%s: %v", filepath.Base(path), err)
			continue
		}
		t.Logf("%s: order %d", filepath.Base(path), d.Rows)
		values, _ := filepath.Glob(filepath.Join(data, "ref", "mtx", stem(path)+".mtx*.eig.txt"))
		for _, v := range values {
			checkEigenvalues(t, d, v)
		}
	}
}
