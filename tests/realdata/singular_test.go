package realdata

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/tests/testdata"
	"github.com/vkevd/vkevd/vk"
)

// singularOf is the ending of a file of singular values; the name of the matrix precedes it.
const singularOf = ".sv.txt"

// singularFormats says how to read the matrices with known singular values. It is a list of
// patterns for their names, with a reader for each. The first pattern that matches a name counts.
var singularFormats = []struct {
	matrix, suffix string
	read           func(file string, count int) (*matio.Dense, error)
}{
	{"svd/*.mtx", singularOf, readRectangle},
	{"svd/*.txt", singularOf, readRectangularColumns},
	{"svd/*.rua", singularOf, readHarwellBoeing},
	{"svd/*.tar", singularOf, readArchive},
	{"bidiag/*.dat", singularOf, readBidiagonal},
	{"pca/*", ".centered" + singularOf, readCentered},
}

const usualSingular = 50 // smallest number of matrices with orders up to usualOrder

// TestSingularValues checks every singular value σ of the collection's m×n matrices. The error must
// be at most 10·max(m, n)·ε·σ₁, where σ₁ is the largest singular value. The reference has more than
// double precision.
func TestSingularValues(t *testing.T) {
	root, _ := testdata.Collection()
	if root == "" {
		t.Skip("no collection: VKEVD_DATA is not set to one")
	}
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	refs, most := filepath.Join(root, "ref"), largest(t)
	solved, left, worst, where := 0, 0, 0.0, ""
	err = filepath.WalkDir(refs, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.Contains(file, singularOf) {
			return err
		}
		want, err := matio.ReadVectorFile(file)
		if err != nil {
			return err
		}
		if len(want) > most {
			left++
			return nil
		}
		name, _ := filepath.Rel(refs, file)
		t.Run(name, func(t *testing.T) {
			a, err := readSingular(root, filepath.ToSlash(name), len(want))
			if err != nil {
				t.Fatal(err)
			}
			if err := belongsSingular(a, want); err != nil {
				t.Fatal(err)
			}
			solved++
			if off := singularScore(t, d, a, want); off > worst || math.IsNaN(off) {
				worst, where = off, name
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if most >= usualOrder && solved < usualSingular {
		t.Errorf("only %d matrices, there should be %d", solved, usualSingular)
	}
	t.Logf("%d solved; left out: %d, order above %d; at worst %.3g·max(m, n)·ε·σ₁ (%s)", solved, left, most, worst, where)
}

// singularScore computes the singular values and vectors of an m×n matrix. It returns the largest
// error of a singular value, divided by max(m, n)·ε·σ₁, where σ₁ is the largest one.
func singularScore(t *testing.T, d *vk.Device, a *matio.Dense, want []float64) (worst float64) {
	t.Helper()
	m, n := a.Rows, a.Cols
	p, err := svd.NewPlan[float64](d, m, n, svd.Options{U: svd.Thin, V: svd.Thin, Certify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	dense := evd.Dense[float64]{Rows: m, Cols: n, Ld: m, Data: a.Data}
	res, err := p.Solve(context.Background(), dense)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := p.Check(context.Background(), dense, res); err != nil || !(max(r.Residual, r.Left, r.Right) < good) {
		t.Errorf("%d×%d: %v, %v", m, n, r, err)
	}
	if !res.Certificate.Passed() {
		t.Errorf("%d×%d: %v", m, n, res.Certificate)
	}
	unit := float64(max(m, n)) * 0x1p-52 * want[0]
	for i, w := range want {
		if off := math.Abs(res.Values[i] - w); !(off <= good*unit) {
			t.Errorf("%d×%d: σ%d is %g, want %g", m, n, i+1, res.Values[i], w)
		} else if off > 0 {
			worst = max(worst, off/unit)
		}
	}
	return worst
}

// belongsSingular checks that the singular values `want` belong to the matrix `a`. It compares Σσ²
// with Σa_ij². A file that was read wrongly is then found here, and does not look like a defect of
// the solver.
func belongsSingular(a *matio.Dense, want []float64) error {
	descending := slices.IsSortedFunc(want, func(x, y float64) int { return cmp.Compare(y, x) })
	if len(want) != min(a.Rows, a.Cols) || !descending {
		return fmt.Errorf("%d values, descending %v, for %d by %d", len(want), descending, a.Rows, a.Cols)
	}
	var ofValues, ofA float64
	for _, x := range want {
		ofValues += x * x
	}
	for _, x := range a.Data {
		ofA += x * x
	}
	if tolerance := 1e-13 * float64(max(a.Rows, a.Cols)); !(math.Abs(ofValues-ofA) <= tolerance*ofA) {
		return fmt.Errorf("misread: Σσ² = %g, Σa_ij² = %g", ofValues, ofA)
	}
	return nil
}

// readSingular reads the matrix that belongs to a file of singular values. `ref` is the name of
// this file, and `count` is the number of its values.
func readSingular(root, ref string, count int) (*matio.Dense, error) {
	ref = strings.TrimSuffix(ref, ".gz")
	for _, f := range singularFormats {
		matrix, found := strings.CutSuffix(ref, f.suffix)
		matrix = strings.TrimSuffix(matrix, ".gz")
		if fits, _ := path.Match(f.matrix, matrix); found && fits {
			return f.read(filepath.Join(root, filepath.FromSlash(matrix)), count)
		}
	}
	return nil, fmt.Errorf("ref/%s belongs to no format known here", ref)
}
