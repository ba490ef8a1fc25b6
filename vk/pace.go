package vk

// pace forecasts the time of commands, so that batches take about Options.Batch.
type pace struct {
	// perCommand is the time of a command that does nothing, perCost the time of one unit of
	// Recorder.Costs, in seconds.
	perCommand, perCost float64

	// factor is a running mean of measured over forecast times.
	factor float64
}

// Forecasts before anything was measured. That of a GPU is slower than a fast one's arithmetic, as
// costs may also be bytes.
const (
	commandSeconds = 1e-5
	gpuCostSeconds = 1e-12
	cpuCostSeconds = 5e-10
)

// overPeak is the time of a kernel over that of its flops at the device's peak rate.
const overPeak = 1.5

// newPace is the pace of a device before anything is known of it.
func newPace(cpu bool) pace {
	p := pace{perCommand: commandSeconds, perCost: gpuCostSeconds, factor: 1}
	if cpu {
		p.perCost = cpuCostSeconds
	}
	return p
}

// slow makes forecasts no faster than the rate allows, in flops per second.
func (p *pace) slow(rate float64) {
	if rate > 0 {
		p.perCost = max(p.perCost, overPeak/rate)
	}
}

// estimate is the forecast of a command, in seconds.
func (p *pace) estimate(c *command) float64 {
	return p.factor * (p.perCommand + c.cost*p.perCost)
}

// learn corrects later forecasts by a batch's.
func (p *pace) learn(estimated, measured float64) {
	if estimated <= 0 || measured <= 0 {
		return
	}
	const memory = 0.7 // weight of the old factor in the new one
	p.factor = min(max(p.factor*(memory+(1-memory)*measured/estimated), 1e-2), 1e3)
}

// SetFloat64Rate tells the device's measured rate of FP64 arithmetic, in flops per second. Without
// it the first batches on a slow device take longer than Options.Batch, until Run has measured
// some.
func (d *Device) SetFloat64Rate(rate float64) {
	if d.dry || d.usage.enter() != nil {
		return
	}
	defer d.usage.leave()
	d.usage.takeQueue()
	defer d.usage.releaseQueue()
	d.queue.pace.slow(rate)
}
