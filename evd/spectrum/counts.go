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

// fewShifts is a number of shifts for Sturm counts that is small enough for one dispatch on every
// device, for every order.
const fewShifts = 1 << 6

// shiftsFor is the largest number of shifts for Sturm counts in one transfer to the device. It is
// two for each eigenvalue, but at most `many`, a number that keeps every device busy.
func shiftsFor(n int) int {
	const many = 1 << 16
	return max(fewShifts, min(2*n, many))
}

// countsAtOnce is the number of shifts for Sturm counts in one transfer, for order n. The
// operations for these shifts together are at most those that the tuning allows for one dispatch.
func countsAtOnce(n int, t tuning.Tuning) int {
	return max(fewShifts, min(shiftsFor(n), int(t.Bisection.Dispatch)/n))
}

// Count counts the eigenvalues of T below each shift. T is on the device. The count is the number
// of negative pivots of T − shift·I (Sylvester's law of inertia). An eigenvalue within rounding
// errors of a shift may or may not be counted. A shift may be infinite. The count for a NaN has no
// meaning. Count needs a Stage that New made with counts or with a Selection by value, or a Stage
// for which Settles returns true.
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

// counter computes Sturm counts of the matrix T of a Stage.
type counter interface {
	// counts returns the number of eigenvalues below each shift. The counts at infinite shifts have
	// no meaning.
	counts(c *plan.Call, shifts []float64) ([]int, error)

	// work is the device memory that `counts` needs while it runs, and `always` is the device memory
	// that no other stage may use.
	work() *vk.Layout
	always() *vk.Layout
}

// deviceCounter counts on the device.
type deviceCounter struct {
	sturm *stebz.Bisection
	of    *Stage // has T on the device

	// shifts and `found` hold the shifts of one transfer to the device, and their counts.
	shifts vk.Region[float64]
	found  vk.Region[uint32]
}

// newDeviceCounter makes a counter for at most `atOnce` shifts in one transfer.
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

// uncertified tests the eigenvalues with the numbers k in the list `open`. The values of the slice
// must be near the eigenvalues of the tridiagonal matrix T: values[k] near eigenvalue `first`+k.
// uncertified returns those k for which Sturm counts do not prove that the distance is at most
// `width`. The proof needs two counts: at most `first`+k eigenvalues below values[k] − `width`, and
// at least `first`+k+1 below values[k] + `width`. A NaN is never proved.
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

// countUp returns the numbers 0, 1 … n−1.
func countUp(n int) []int {
	all := make([]int, n)
	for k := range all {
		all[k] = k
	}
	return all
}
