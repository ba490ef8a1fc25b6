package spectrum

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
)

// settled is the largest allowed distance of a computed value from its eigenvalue, in units of
// ulp·‖T‖₁. The error of a Sturm count is 2 units, so `settled` + 2 is Narrowest.
const settled = 2

// settle computes those eigenvalues in p again that Sturm counts do not prove to be accurate.
// Divide and conquer, MRRR and QR iteration guarantee only errors of some multiple of ulp·‖T‖,
// which grows with the order or with the number of levels. Usually only few values have too large
// errors, and these errors are small. The method `nearby` finds such values by more counts around
// them. Bisection finds all remaining values.
//
// settle changes the values of p in place, and does not change the vectors.
//
// The values are in ascending order afterwards. So each value still belongs to its vector, or to a
// vector whose eigenvalue differs by at most `settled` units.
func (s *Stage) settle(c *plan.Call, t Problem, p Part) error {
	norm := min(t.Host.Norm1(), math.MaxFloat64) // the sum of a column may overflow
	width := settled * Ulp * norm                // may be far smaller than Certify can prove
	if norm == 0 {
		width = leastWidth
	}
	open, err := s.uncertified(c, p.Values, p.First, countUp(len(p.Values)), width)
	if err != nil || len(open) == 0 {
		return err
	}
	if open, err = s.nearby(c, p, open, width); err != nil {
		return err
	}
	if len(open) > 0 {
		lo, hi := open[0], open[len(open)-1]+1
		found, err := s.exact.Solve(c, t, p.First+lo, p.First+hi, stages.Matrix{})
		if err != nil {
			return err
		}
		for _, k := range open {
			p.Values[k] = found[k-lo]
		}
	}
	slices.Sort(p.Values)
	return nil
}

// minCells and maxCells are the smallest and the largest number of cells into which `nearby`
// divides an interval around a wrong value. With only two cells, all of them would lie where the
// eigenvalue is known not to be.
const minCells, maxCells = 3, 64

// nearby searches for the eigenvalue of each value whose index is in the list `open`: these values
// are not certified. It divides an interval around the value into cells of the given `width`, and
// counts the eigenvalues below each border of a cell. If the eigenvalue is in one of the cells, the
// value becomes the middle of this cell. `nearby` returns the indices of the values that are still
// not certified. If the list is so long that there are fewer than minCells cells for each value, it
// returns the whole list.
//
// The number of cells depends only on the order and on the length of `open`. It does not depend on
// how many counts a device can compute in parallel, so the bits of the result do not, either.
//
// Neighbouring doubles of the size of ‖T‖ have a distance of at most half a `width`. So the rounded
// middle of a cell is within `width` of both borders.
func (s *Stage) nearby(c *plan.Call, p Part, open []int, width float64) ([]int, error) {
	cells := min(maxCells, shiftsFor(s.n)/len(open)-1)
	if cells < minCells {
		return open, nil
	}
	borders := make([]float64, 0, len(open)*(cells+1))
	for _, k := range open {
		for j := range cells + 1 {
			borders = append(borders, p.Values[k]+(float64(j)-float64(cells)/2)*width)
		}
	}
	counts, err := s.Count(c, borders)
	if err != nil {
		return nil, err
	}
	var still []int
	for i, k := range open {
		x, below := borders[i*(cells+1):][:cells+1], counts[i*(cells+1):][:cells+1]
		j := slices.IndexFunc(below, func(count int) bool { return count > p.First+k })
		if j < 1 { // j is also below 1 for a NaN, for which all counts are the same
			still = append(still, k)
			continue
		}
		p.Values[k] = x[j-1] + (x[j]-x[j-1])/2
	}
	return still, nil
}
