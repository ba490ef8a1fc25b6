package spectrum

import (
	"math"

	"github.com/vkevd/vkevd/evd/internal/plan"
)

// Narrowest is the smallest distance of a value from an eigenvalue of T, in units of ulp·‖T‖₁, that
// Certify tests. The errors of the counts themselves are at most half as large.
const Narrowest = 4

// leastWidth is the smallest distance that Sturm counts can certify for the zero matrix, for which
// the limit relative to the norm is 0. The counts treat a pivot of this size as negative.
const leastWidth = 2 * SafeMin

// Certify proves by Sturm counts how far each values[k] is from eigenvalue first+k of the matrix T
// on the device, in units of n·ulp·norm. `norm` is ‖T‖₁, and `ulp` is that of the type to which the
// values were rounded. The result is at most twice the smallest distance that could be proved, and
// at least Narrowest/n. A NaN, or a distance of more than about 4·`norm`, gives +Inf.
func (s *Stage) Certify(c *plan.Call, values []float64, first int, norm, ulp float64) (float64, error) {
	for _, v := range values {
		if math.IsNaN(v) {
			return math.Inf(1), nil
		}
	}
	open := countUp(len(values)) // indices of the values that are not certified yet
	for times := float64(Narrowest); ; times *= 2 {
		width := max(times*ulp*norm, leastWidth)
		var err error
		if open, err = s.uncertified(c, values, first, open, width); err != nil {
			return 0, err
		}
		if len(open) == 0 {
			return times / float64(s.n), nil
		}
		if !(width <= 4*norm) { // the width is too large, or NaN
			return math.Inf(1), nil
		}
	}
}
