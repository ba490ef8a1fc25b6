package spectrum

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag/stebz"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// fewShifts is a number of shifts whose counts fit one dispatch on every device, for every order.
const fewShifts = 1 << 6

// shiftsFor is the largest number of shifts in one transfer to the device: two for each eigenvalue,
// but at least fewShifts, and at most as many as keep every device busy.
func shiftsFor(n int) int {
	const many = 1 << 16
	return max(fewShifts, min(2*n, many))
}

// countsAtOnce is the number of shifts in one transfer, for order n. Together they cost at most one
// dispatch, or there are only fewShifts of them.
func countsAtOnce(n int, t tuning.Tuning) int {
	return max(fewShifts, min(shiftsFor(n), int(t.Bisection.Dispatch)/n))
}

// Count counts the eigenvalues of T below each shift. T is on the device, or for a Stage of
// NewOnHost on the host. The count is the number of negative pivots of T − shift·I (Sylvester's law
// of inertia). An eigenvalue within rounding errors of a shift may or may not be counted. A shift
// may be infinite. The count for a NaN has no meaning. Count needs a Stage that New made with
// counts or with a Selection by value, or a Stage for which Settles returns true.
func (s *Stage) Count(c *plan.Call, shifts []float64) ([]int, error) {
	counts, err := s.counter.counts(c, shifts)
	if err != nil {
		return nil, plan.During(stages.PhaseCounts, err)
	}
	for i, x := range shifts {
		switch {
		case math.IsInf(x, -1):
			counts[i] = 0
		case math.IsInf(x, 1):
			counts[i] = s.n
		}
	}
	return counts, nil
}

type counter interface {
	// counts returns the number of eigenvalues below each shift. The counts at infinite shifts have
	// no meaning.
	counts(c *plan.Call, shifts []float64) ([]int, error)

	// work is the device memory that `counts` needs while it runs, and `always` the memory that no
	// other stage may use.
	work() *vk.Layout
	always() *vk.Layout
}

type deviceCounter struct {
	sturm *stebz.Bisection
	of    *Stage // the Stage that has T on the device

	shifts vk.Region[float64]
	found  vk.Region[uint32]
}

func newDeviceCounter(sturm *stebz.Bisection, of *Stage, atOnce int) *deviceCounter {
	return &deviceCounter{sturm, of, vk.Reserve[float64]("shifts", atOnce), vk.Reserve[uint32]("counts", atOnce)}
}

func (d *deviceCounter) work() *vk.Layout { return d.sturm.Work() }

func (d *deviceCounter) always() *vk.Layout { return vk.Together(d.shifts, d.found) }

func (d *deviceCounter) counts(c *plan.Call, shifts []float64) ([]int, error) {
	result := make([]int, 0, len(shifts))
	for some := range slices.Chunk(shifts, d.shifts.Len()) {
		counts := make([]uint32, len(some))
		err := c.Run(func(rec *vk.Recorder) {
			rec.Phase(stages.PhaseCounts, 0, 0)
			at, found := d.shifts.In(c.Arena), d.found.In(c.Arena).Sub(0, len(counts))
			vk.SendFirst(rec, at, some)
			d.sturm.RecordCounts(rec, c.Arena, d.of.d.In(c.Arena), d.of.e.In(c.Arena), at, found)
			vk.ReceiveLast(rec, counts, d.found.In(c.Arena))
		})
		if err != nil {
			return nil, err
		}
		for _, count := range counts {
			result = append(result, int(count))
		}
	}
	return result, nil
}

// uncertified returns those k of `open` for which Sturm counts do not prove that values[k] is
// within `width` of eigenvalue first+k of T. The proof needs two counts: at most first+k
// eigenvalues below values[k] − width, and at least first+k+1 below values[k] + width. A NaN is
// never proved.
func (s *Stage) uncertified(c *plan.Call, values []float64, first int, open []int, width float64) ([]int, error) {
	shifts := make([]float64, 0, 2*len(open))
	for _, k := range open {
		shifts = append(shifts, values[k]-width, values[k]+width)
	}
	counts, err := s.Count(c, shifts)
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

func countUp(n int) []int {
	all := make([]int, n)
	for k := range all {
		all[k] = k
	}
	return all
}
