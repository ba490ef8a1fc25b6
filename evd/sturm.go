package evd

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages"
)

// narrowest is the least distance, in ulp·‖T‖₁, that counting can tell from none.
const narrowest = 4

// settled is how far a method's values may be from their eigenvalues, in ulp·‖T‖₁, before bisection finds
// them again: with the error of a count, 2, that makes narrowest.
const settled = 2

// settle lets bisection find again those of f's values that are not certified: divide and conquer, relatively
// robust representations and QR iteration promise multiples of ulp·‖T‖ that grow with the order or the
// number of levels. Mostly there are none. Values ascend also afterwards, so each still belongs to its vector,
// or to one whose eigenvalue is the same to that width.
func (s *spectral) settle(c *call, t tridiagonal, f found) error {
	norm := t.host.norm1()
	width := settled * ulp * norm // also where that is far below what certify can tell
	if norm == 0 {
		width = leastWidth
	}
	open, err := s.uncertified(c, f.values, f.first, countUp(len(f.values)), width)
	if err != nil || len(open) == 0 {
		return err
	}
	lo, hi := open[0], open[len(open)-1]+1
	found, err := s.exact.Solve(c, t, f.first+lo, f.first+hi, stages.Matrix{})
	if err != nil {
		return err
	}
	for _, k := range open {
		f.values[k] = found[k-lo]
	}
	slices.Sort(f.values)
	return nil
}

// leastWidth is for the zero matrix: a pivot as small as that counts as negative.
const leastWidth = 2 * safeMin

// countUp is 0, 1 … n−1.
func countUp(n int) []int {
	all := make([]int, n)
	for k := range all {
		all[k] = k
	}
	return all
}

// certify is TridiagonalPlan.Certify for the T that is on the device, of the given norm:
// values[k] is taken for eigenvalue first+k of it.
func (s *spectral) certify(c *call, values []float64, first int, norm float64) (float64, error) {
	for _, v := range values {
		if math.IsNaN(v) {
			return math.Inf(1), nil
		}
	}
	open := countUp(len(values)) // those not certified yet
	for times := float64(narrowest); ; times *= 2 {
		width := max(times*ulp*norm, leastWidth)
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
