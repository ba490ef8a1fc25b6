package ref

import (
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/tests/testdata"
)

func TestBidiagonalDivideConquerCollection(t *testing.T) {
	when.Long(t, "tests of families of matrices; tests/realdata solves the collection")
	r, known := newSVDRatios(), worst{name: "|σ − known|"}
	root, _ := testdata.Collection()
	suite.BidiagonalCollection(t, root, func(name string, d, e, want []float64) {
		leaves := []int{usualLeaf}
		if len(d) <= 50 {
			leaves = []int{2, 5, usualLeaf}
		}
		if sigma := r.check(t, name, d, e, leaves...); sigma[0] != 0 {
			known.see(t, ratio.Values(len(d), sigma, want, want[0]), "%s", name)
		}
	})
	r.report(t)
	known.report(t)
}
