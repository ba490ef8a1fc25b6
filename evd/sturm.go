package evd

import "math"

// narrowest is the least distance, in ulp·‖T‖₁, that counting can tell from none.
const narrowest = 4

// certify is TridiagonalPlan.Certify for the T that is on the device, of the given norm:
// values[k] is taken for eigenvalue first+k of it.
func (s *spectral) certify(c *call, values []float64, first int, norm float64) (float64, error) {
	for _, v := range values {
		if math.IsNaN(v) {
			return math.Inf(1), nil
		}
	}
	open := make([]int, len(values)) // those not certified yet
	for k := range open {
		open[k] = k
	}
	for times := float64(narrowest); ; times *= 2 {
		width := max(times*ulp*norm, 2*safeMin) // a pivot as small as the latter counts as negative: the zero matrix
		var err error
		if open, err = s.uncertified(c, values, first, open, width); err != nil {
			return 0, err
		}
		if len(open) == 0 {
			return times / float64(s.n), nil
		}
		if width > 4*norm { // the value is no eigenvalue at all
			return math.Inf(1), nil
		}
	}
}

// uncertified is those of the values open that are not within width of their eigenvalues.
func (s *spectral) uncertified(c *call, values []float64, first int, open []int, width float64) ([]int, error) {
	shifts := make([]float64, 0, 2*len(open))
	for _, k := range open {
		shifts = append(shifts, values[k]-width, values[k]+width)
	}
	counts, err := s.count(c, shifts)
	if err != nil {
		return nil, err
	}
	var still []int
	for i, k := range open {
		if counts[2*i] > first+k || counts[2*i+1] < first+k+1 {
			still = append(still, k)
		}
	}
	return still, nil
}
