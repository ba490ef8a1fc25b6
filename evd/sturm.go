package evd

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages"
)

// narrowest is the least distance, in ulp·‖T‖₁, that counting can tell from none.
const narrowest = 4

// settled is how far a method's values may be from their eigenvalues, in ulp·‖T‖₁, before they are
// found again: with the error of a count, 2, that makes narrowest.
const settled = 2

// settle finds again those of f's values that are not certified: divide and conquer, relatively
// robust representations and QR iteration promise multiples of ulp·‖T‖ that grow with the order or the
// number of levels. Mostly there are few, and these miss by a hair; those that are not nearby are
// left to bisection. Values ascend also afterwards, so each still belongs to its vector,
// or to one whose eigenvalue is the same to that width.
func (s *spectral) settle(c *call, t tridiagonal, f found) error {
	norm := min(t.host.norm1(), math.MaxFloat64) // a column's sum may overflow
	width := settled * ulp * norm                // also where that is far below what certify can tell
	if norm == 0 {
		width = leastWidth
	}
	open, err := s.uncertified(c, f.values, f.first, countUp(len(f.values)), width)
	if err != nil || len(open) == 0 {
		return err
	}
	if open, err = s.nearby(c, f, open, width); err != nil {
		return err
	}
	if len(open) > 0 {
		lo, hi := open[0], open[len(open)-1]+1
		found, err := s.exact.Solve(c, t, f.first+lo, f.first+hi, stages.Matrix{})
		if err != nil {
			return err
		}
		for _, k := range open {
			f.values[k] = found[k-lo]
		}
	}
	slices.Sort(f.values)
	return nil
}

// Cells that are looked at around a value: what two of them span its certificate has seen already.
const leastCells, mostCells = 3, 64

// nearby counts, in one exchange, at the borders of cells around each open value, and where its eigenvalue is in one of
// them moves the value to the middle of that. It returns those that are still open. Cells are as long as width: numbers
// as large as ‖T‖ are half as far apart, so that after all rounding the middle is within width of both borders.
func (s *spectral) nearby(c *call, f found, open []int, width float64) ([]int, error) {
	cells := min(mostCells, s.shifts.Len()/len(open)-1)
	if cells < leastCells {
		return open, nil
	}
	borders := make([]float64, 0, len(open)*(cells+1))
	for _, k := range open {
		for j := range cells + 1 {
			borders = append(borders, f.values[k]+(float64(j)-float64(cells)/2)*width)
		}
	}
	counts, err := s.count(c, borders)
	if err != nil {
		return nil, err
	}
	var still []int
	for i, k := range open {
		x, below := borders[i*(cells+1):][:cells+1], counts[i*(cells+1):][:cells+1]
		j := slices.IndexFunc(below, func(count int) bool { return count > f.first+k })
		if j < 1 { // a NaN's, too: its counts are all the same
			still = append(still, k)
			continue
		}
		f.values[k] = x[j-1] + (x[j]-x[j-1])/2
	}
	return still, nil
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
