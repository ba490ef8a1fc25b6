package ref

import (
	"math"
	"testing"
)

// TestDivideConquerEndsWithNaN checks that a matrix with a NaN does not keep DivideConquer busy for
// ever. (The bisection for a root once ended only when its interval was too short to be halved.
// This never happened with a NaN.) The result is undefined.
func TestDivideConquerEndsWithNaN(t *testing.T) {
	for at := range 5 {
		d, e := []float64{1, 2, 3, 4, 5}, []float64{1, 1, 1, 1}
		d[at] = math.NaN()
		DivideConquer(d, e)
		if at < len(e) {
			d[at], e[at] = 1, math.NaN()
			DivideConquer(d, e)
		}
	}
	if x := bisectSign(0, math.NaN(), func(float64) bool { return false }); !math.IsNaN(x) {
		t.Errorf("an interval whose end is NaN: %g", x)
	}
}
