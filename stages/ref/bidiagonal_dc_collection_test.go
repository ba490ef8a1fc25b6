package ref

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/tests/testdata"
)

// The test solves the bidiagonal matrices of the collection of difficult matrices. It is skipped if
// there is no collection. One of the matrices is from LAPACK's bug 255: dbdsdc lost orthogonality
// on this matrix until 2026. The reference values were computed with more than double precision.
func TestBidiagonalDivideConquerCollection(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	root, _ := testdata.Collection()
	files, _ := filepath.Glob(filepath.Join(root, "bidiag", "*.dat"))
	if root == "" || len(files) == 0 {
		t.Skip("no collection: VKEVD_DATA is not set to one")
	}
	r, known := newSVDRatios(), worst{name: "|σ − known|"}
	for _, file := range files {
		name := filepath.Base(file)
		d, e := suite.ReadMatrix(t, file)
		leaves := []int{usualLeaf}
		if len(d) <= 50 {
			leaves = []int{2, 5, usualLeaf}
		}
		want := suite.ReadNumbers(t, filepath.Join(root, "ref", "bidiag", name+".sv.txt"))
		sigma := r.check(t, strings.TrimSuffix(name, ".dat"), d, e, leaves...)
		if want == nil {
			t.Errorf("%s has no reference", name)
		} else if sigma[0] > 0 {
			known.see(t, ratio.Values(len(d), sigma, want, want[0]), "%s", name)
		}
	}
	t.Logf("%d matrices", len(files))
	r.report(t)
	known.report(t)
}
