package spectrum

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages"
)

// settled is the largest distance of a method's values from their eigenvalues, in ulp·‖T‖₁, with
// which values are kept. Values further away are found again. settled plus the error of a count,
// which is 2, is Narrowest.
const settled = 2

// settle finds those of p's values again that are not certified. Divide and conquer, relatively
// robust representations and QR iteration promise only errors that are multiples of ulp·‖T‖, and
// the multiples grow with the order or with the number of levels. Mostly only few values are wrong,
// and by little: more counts around them find these. Bisection finds the others.
//
// t holds T on the device and on the host. The values of p are changed in place. If Solve was asked
// for vectors, they stay as they are.
//
// The values ascend afterwards. So each value still belongs to its vector, or to a vector whose
// eigenvalue is the same within the distance settled.
func (s *Stage) settle(c *Call, t Problem, p Part) error {
	norm := min(t.Host.Norm1(), math.MaxFloat64) // a column's sum may overflow
	width := settled * Ulp * norm                // may be far below what Certify can tell
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

// These are the smallest and the largest number of cells around a value. Two cells would cover only
// the part of the line that the certificate has covered.
const minCells, maxCells = 3, 64

// nearby divides the line around each open value into cells of the given width, and counts at all
// borders. If an eigenvalue is in one of the cells, its value moves to the middle of that cell.
// nearby returns the values that are still open. The number of cells depends on the order alone,
// and not on how many counts a device can do at once. So the bits of the result do not depend on
// the device's size either.
//
// Neighbouring doubles as large as ‖T‖ are half a width apart. So the middle, rounded, is within
// width of both borders.
func (s *Stage) nearby(c *Call, p Part, open []int, width float64) ([]int, error) {
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
		if j < 1 { // also for a NaN, where all counts are the same
			still = append(still, k)
			continue
		}
		p.Values[k] = x[j-1] + (x[j]-x[j-1])/2
	}
	return still, nil
}
