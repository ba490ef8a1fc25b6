package tuning

import "math"

// The time of one dispatch is limited for three reasons. The watchdog of a desktop resets a device
// that is busy for two seconds. The screen is not redrawn during a dispatch. A cancelled solve
// waits for the dispatches in flight.
const (
	// dispatchSeconds is the time of one dispatch if the device reaches its rate of fused
	// multiply-adds. Kernels reach at least half of this rate, so a dispatch takes at most 100 ms.
	dispatchSeconds = 0.05

	// pivotFlops is the cost of one pivot of bisection or MRRR, in flops at the rate of fused
	// multiply-adds. A pivot needs a division, which takes about 15 instructions, and a few more
	// instructions.
	pivotFlops = 40

	// laneRate is the rate of one thread of bisection or MRRR, in flops per second, on a device
	// that has just enough threads to be busy. It was not measured. It is a quarter of the rate on
	// an H200, because operations have a longer latency where a device has few units for doubles.
	// No device is taken to be busy with fewer than fewestLanes threads.
	laneRate    = 2.5e8
	fewestLanes = 1 << 8

	// batchEfficiency is the part of the device's rate of fused multiply-adds that the kernels for
	// batches of matrices reach.
	batchEfficiency = 0.1
)

// BoundedBytes limits the cost of a dispatch of emulated products, for a device that computes
// `bytes` operations on bytes and `flops` operations on doubles per second. If one of them is 0,
// the rate is unknown, and nothing changes. The caller must also call Bounded.
func (t Tuning) BoundedBytes(flops, bytes float64) Tuning {
	if flops > 0 && bytes > 0 {
		t.Products.Emulated.PerFlop = bytes / flops
	}
	return t
}

// Bounded returns t with cost limits so that no dispatch takes longer than 100 ms on a device with
// the given rate in flops per second (machine.Machine.Float64Rate). Limits that are smaller already
// do not change. If the rate is 0, it is unknown, and nothing changes. The bits of results depend
// on the rate only through the orders up to which a matrix is reduced in one stage (Sytrd).
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
	bound(&t.Products.Emulated.Dispatch, flops)
	// A reduction in one stage is one dispatch of 4/3·n³ flops. Only half of the cost limit is
	// allowed, because this kernel reaches at most half the rate of other kernels. A matrix that is
	// first reduced in blocks has a dispatch of 2·columns·n² flops for each block.
	order := int(math.Cbrt(0.75 * flops / 2))
	if b := t.Sytrd.Blocked; b.Left > 0 && b.Left <= order && b.Columns > 0 {
		order = max(order, int(math.Sqrt(flops/2/2/float64(b.Columns))))
	}
	t.Sytrd.Values, t.Sytrd.Vectors = min(t.Sytrd.Values, order), min(t.Sytrd.Vectors, order)
	// A dispatch consists of whole sweeps (or groups of them), and ends with the sweep or group
	// with which its cost reaches the limit. Its cost can thus exceed the limit, so the limit is
	// set below `flops`.
	bound(&t.Chase.Dispatch, 0.9*flops)
	bound(&t.ApplyQ2.Dispatch, 0.8*flops)
	bound(&t.Bisection.Dispatch, flops/pivotFlops)
	bound(&t.MRRR.Dispatch, flops/pivotFlops)
	bound(&t.DivideConquer.Dispatch, flops)
	bound(&t.Batch.Dispatch, flops*batchEfficiency)
	lanes := max(fewestLanes, int(rate/laneRate))
	t.Bisection.Lanes, t.MRRR.Lanes = min(t.Bisection.Lanes, lanes), min(t.MRRR.Lanes, lanes)
	return t
}
