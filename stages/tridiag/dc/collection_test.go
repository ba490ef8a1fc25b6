package dc

import (
	"path/filepath"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/tests/testdata"
)

// TestDivideConquerCollection solves a collection of tridiagonal matrices on which solvers have
// failed. The test is skipped if there is no collection. The error of the reference values is about
// one ulp of ‖T‖.
func TestDivideConquerCollection(t *testing.T) {
	when.Long(t, "tests of families of matrices; tests/realdata solves the collection")
	root, _ := testdata.Collection()
	files, _ := filepath.Glob(filepath.Join(root, "tridiag", "*.dat"))
	if len(files) == 0 {
		t.Skip("no collection: VKEVD_DATA is not set to one")
	}
	var worstR, worstO, worstV float64
	for _, file := range files {
		name := filepath.Base(file)
		d, e := suite.ReadMatrix(t, file)
		if len(d) > suite.LargestFile {
			continue
		}
		values, r, o := check(t, name, d, e, Options{})
		worstR, worstO = max(worstR, r), max(worstO, o)
		want := suite.ReadNumbers(t, filepath.Join(root, "ref", "tridiag", name+".eig.txt"))
		if want == nil {
			t.Logf("%s has no reference", name)
			continue
		}
		diff := suite.Distance(d, e, values, want)
		worstV = max(worstV, diff)
		if !(diff < 1) {
			t.Errorf("%s: values are %.3g·n·ulp·‖T‖ off", name, diff)
		}
	}
	t.Logf("worst residual %.3g, orthogonality %.3g, values %.3g", worstR, worstO, worstV)
}
