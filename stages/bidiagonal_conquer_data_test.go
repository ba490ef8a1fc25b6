package stages

import (
	"path/filepath"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/tests/testdata"
)

// The test solves the bidiagonal matrices of the collection of difficult matrices. It is skipped if
// there is no collection. One of the matrices is from LAPACK's bug 255: dbdsdc lost orthogonality
// on this matrix until 2026. The reference values were computed with more than double precision.
func TestBidiagonalConquerCollection(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	root, _ := testdata.Collection()
	files, _ := filepath.Glob(filepath.Join(root, "bidiag", "*.dat"))
	if root == "" || len(files) == 0 {
		t.Skip("no collection: VKEVD_DATA is not set to one")
	}
	var worst suite.BidiagonalRatios
	known := 0.0
	for _, file := range files {
		name := filepath.Base(file)
		d, e := suite.ReadMatrix(t, file)
		tunings := []Tuning{TuningFor(testDevice(t).Info())}
		if len(d) <= 50 {
			tunings = append(tunings, SmallestTuning())
		}
		for _, tune := range tunings {
			c := newConquered(t, len(d), tune)
			worst = worst.Max(checkBidiagonal(t, name, c, d, e))
			values, _, _ := c.solve(t, d, e, 0, 0, false, false)
			want := suite.ReadNumbers(t, filepath.Join(root, "ref", "bidiag", name+".sv.txt"))
			if want == nil {
				t.Errorf("%s has no reference", name)
				continue
			}
			if want[0] == 0 {
				continue
			}
			off := ratio.Values(len(d), values, want, want[0])
			known = max(known, off)
			if !(off < 1) {
				t.Errorf("%s: values are %.3g·n·ulp·‖C‖ off", name, off)
			}
		}
	}
	t.Logf("%d matrices: %v, values %.3g", len(files), worst, known)
}
