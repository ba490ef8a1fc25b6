package tuning

import "math"

// The time of one dispatch is bounded for three reasons. The watchdog of a desktop resets a device
// that is busy for two seconds. The screen is not redrawn during a dispatch. A cancelled solve
// waits for the dispatches in flight.
const (
	// dispatchSeconds is the time that one dispatch may take if the device reaches its rate of
	// fused multiply-adds. Kernels reach at least half of that rate, so that a dispatch ends within
	// 100 ms.
	dispatchSeconds = 0.05

	// pivotFlops is the cost of one pivot of bisection or MRRR, in flops at the rate of fused
	// multiply-adds. A pivot takes a division, of some 15 instructions, and a few more
	// instructions.
	pivotFlops = 40

	// batchEfficiency is what the kernels of batches reach of that rate.
	batchEfficiency = 0.1
)

// Bounded returns the tuning t with no dispatch longer than 100 ms on a device of the given rate,
// in flops per second (machine.Float64Rate). Smaller sizes stay as they are. A rate of 0 is unknown
// and changes nothing. No bit of a result depends on the rate.
func (t Tuning) Bounded(rate float64) Tuning {
	if rate <= 0 {
		return t
	}
	flops := rate * dispatchSeconds
	bound := func(size *float64, most float64) {
		if *size <= 0 || *size > most {
			*size = most
		}
	}
	bound(&t.Products.Dispatch, flops)
	// One dispatch reduces the whole matrix, with 4/3·n³ flops, as fast as at most half that rate.
	order := int(math.Cbrt(0.75 * flops / 2))
	t.Sytrd.Values, t.Sytrd.Vectors = min(t.Sytrd.Values, order), min(t.Sytrd.Vectors, order)
	// A dispatch ends after the sweep, or the group of sweeps, with which its cost reaches the
	// bound.
	bound(&t.Chase.Dispatch, 0.9*flops)
	bound(&t.ApplyQ2.Dispatch, 0.8*flops)
	bound(&t.Bisection.Dispatch, flops/pivotFlops)
	bound(&t.MRRR.Dispatch, flops/pivotFlops)
	bound(&t.Batch.Dispatch, flops*batchEfficiency)
	return t
}
