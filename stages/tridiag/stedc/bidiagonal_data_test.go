package stedc

import (
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/tests/testdata"
)

func TestBidiagonalConquerCollection(t *testing.T) {
	when.Long(t, "tests of families of matrices; tests/realdata solves the collection")
	var worst suite.BidiagonalRatios
	known := 0.0
	root, _ := testdata.Collection()
	suite.BidiagonalCollection(t, root, func(name string, d, e, want []float64) {
		tunings := []Tables{TuningFor(stagetest.Device(t).Info())}
		if len(d) <= 50 {
			tunings = append(tunings, SmallestTuning())
		}
		for _, tune := range tunings {
			c := newConquered(t, len(d), tune)
			worst = worst.Max(checkBidiagonal(t, name, c, d, e))
			values, _, _ := c.solve(t, d, e, 0, 0, false, false)
			if want[0] == 0 {
				continue
			}
			off := ratio.Values(len(d), values, want, want[0])
			known = max(known, off)
			if !(off < 1) {
				t.Errorf("%s: values are %.3g·n·ulp·‖C‖ off", name, off)
			}
		}
	})
	t.Logf("%v, values %.3g", worst, known)
}
