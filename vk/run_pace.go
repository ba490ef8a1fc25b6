package vk

// pace predicts the time of commands, so that each batch takes about the time Options.Batch.
type pace struct {
	// perCommand is the time of a command that does no work. perCost is the time of one unit of
	// work in Recorder.Costs. Both are in seconds.
	perCommand, perCost float64

	// factor corrects the predictions: it is the mean ratio of measured to predicted times of
	// batches. Recent batches count more than earlier ones.
	factor float64
}

// The following constants predict the times of commands before any batch was measured.
// gpuCostSeconds is longer than the time of one flop on a fast GPU, because a unit of work may also
// be a byte.
const (
	commandSeconds = 1e-5
	gpuCostSeconds = 1e-12
	cpuCostSeconds = 5e-10
)

// overPeak is a ratio: the time of a typical kernel, divided by the time that its flops would take
// at the device's peak rate.
const overPeak = 1.5

func newPace(cpu bool) pace {
	p := pace{perCommand: commandSeconds, perCost: gpuCostSeconds, factor: 1}
	if cpu {
		p.perCost = cpuCostSeconds
	}
	return p
}

// slow raises perCost to at least the time of a flop in a typical kernel, on a device with the
// given peak rate in flops per second. A rate of 0 changes nothing.
func (p *pace) slow(rate float64) {
	if rate > 0 {
		p.perCost = max(p.perCost, overPeak/rate)
	}
}

func (p *pace) estimate(c *command) float64 {
	return p.factor * (p.perCommand + c.cost*p.perCost)
}

// learn corrects later predictions with the predicted and the measured time of a batch, in seconds.
func (p *pace) learn(estimated, measured float64) {
	if estimated <= 0 || measured <= 0 {
		return
	}
	const memory = 0.7 // weight of the old factor in the new one
	p.factor = min(max(p.factor*(memory+(1-memory)*measured/estimated), 1e-2), 1e3)
}

// SetFloat64Rate sets the device's measured rate of FP64 arithmetic, in flops per second. Without
// this rate the first batches on a slow device take longer than Options.Batch, until Run has
// measured some batches.
func (d *Device) SetFloat64Rate(rate float64) {
	if d.dry || d.usage.enter() != nil {
		return
	}
	defer d.usage.leave()
	d.usage.takeQueue()
	defer d.usage.releaseQueue()
	d.queue.pace.slow(rate)
}
