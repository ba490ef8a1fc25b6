package vk

// pace predicts the time of commands, so that batches take about the time Options.Batch.
type pace struct {
	// perCommand is the time of a command that does nothing, and perCost the time of one unit of
	// Recorder.Costs. Both are in seconds.
	perCommand, perCost float64

	// factor is a running mean of the ratio of measured to predicted times.
	factor float64
}

// These are the predictions before anything was measured. The one for a GPU is slower than the
// arithmetic of a fast GPU, because costs may also be bytes.
const (
	commandSeconds = 1e-5
	gpuCostSeconds = 1e-12
	cpuCostSeconds = 5e-10
)

// overPeak is the ratio between the time of a kernel and the time of its flops at the device's peak
// rate.
const overPeak = 1.5

// newPace returns the predictions for a device of which nothing is known yet.
func newPace(cpu bool) pace {
	p := pace{perCommand: commandSeconds, perCost: gpuCostSeconds, factor: 1}
	if cpu {
		p.perCost = cpuCostSeconds
	}
	return p
}

// slow makes predictions no faster than the given rate allows, in flops per second.
func (p *pace) slow(rate float64) {
	if rate > 0 {
		p.perCost = max(p.perCost, overPeak/rate)
	}
}

// estimate returns the predicted time of a command, in seconds.
func (p *pace) estimate(c *command) float64 {
	return p.factor * (p.perCommand + c.cost*p.perCost)
}

// learn corrects later predictions by the measured time of a batch.
func (p *pace) learn(estimated, measured float64) {
	if estimated <= 0 || measured <= 0 {
		return
	}
	const memory = 0.7 // weight of the old factor in the new one
	p.factor = min(max(p.factor*(memory+(1-memory)*measured/estimated), 1e-2), 1e3)
}

// SetFloat64Rate sets the device's measured rate of FP64 arithmetic, in flops per second. Without
// it the first batches on a slow device take longer than Options.Batch, until Run has measured some
// batches.
func (d *Device) SetFloat64Rate(rate float64) {
	if d.dry || d.usage.enter() != nil {
		return
	}
	defer d.usage.leave()
	d.usage.takeQueue()
	defer d.usage.releaseQueue()
	d.queue.pace.slow(rate)
}
