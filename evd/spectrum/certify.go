package spectrum

import "math"

// Narrowest is the smallest distance, in ulp·‖T‖₁, that Sturm counts can certify, because their own
// error is of that size.
const Narrowest = 4

// leastWidth is the smallest width in absolute terms. It matters for the zero matrix, because a
// pivot as small as that counts as negative.
const leastWidth = 2 * SafeMin

// Certify proves by Sturm counts how near values[k] is to eigenvalue first+k of the T that is on
// the device, for all k. norm is the 1-norm of T. Certify returns the distance in units of
// n·ulp·norm: at most twice as large as necessary, and at least Narrowest/n. A NaN, or a value that
// is not an eigenvalue, gives +Inf.
func (s *Stage) Certify(c *Call, values []float64, first int, norm float64) (float64, error) {
	for _, v := range values {
		if math.IsNaN(v) {
			return math.Inf(1), nil
		}
	}
	open := countUp(len(values)) // not certified yet
	for times := float64(Narrowest); ; times *= 2 {
		width := max(times*Ulp*norm, leastWidth)
		var err error
		if open, err = s.uncertified(c, values, first, open, width); err != nil {
			return 0, err
		}
		if len(open) == 0 {
			return times / float64(s.n), nil
		}
		if !(width <= 4*norm) { // also for a norm that is NaN
			return math.Inf(1), nil
		}
	}
}
