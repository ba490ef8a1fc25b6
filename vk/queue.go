package vk

import (
	"context"
	"time"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

const (
	inFlight       = 2                      // batches: one runs while the next is recorded
	batchCommands  = 4096                   // in one batch at most
	firstCommands  = 128                    // in the first of a run at most, so that the device begins while the rest is encoded
	batchGrowth    = 4                      // times as many in each batch as in the one before
	batchQueries   = batchCommands + 8      // timestamps in one batch at most
	batchTarget    = 100 * time.Millisecond // Options.Batch where nobody says: desktops reset a GPU that is busy for seconds, and cancelling waits for one batch
	pollInterval   = 20 * time.Millisecond  // how often a waiting Run looks at its context
	firstEstimates = 1e-5                   // seconds a command, before anything was measured
)

// queue is the device's queue: batches take turns, one timeline counts them.
type queue struct {
	timeline *driver.Timeline
	value    uint64 // of the last batch submitted
	batches  [inFlight]*driver.Batch
	pace     pace
}

func (q *queue) open(d *Device) (err error) {
	if q.timeline, err = d.dev.NewTimeline(); err != nil {
		return err
	}
	for i := range q.batches {
		if q.batches[i], err = d.dev.NewBatch(d.from.family, batchQueries); err != nil {
			return err
		}
	}
	q.pace = newPace(d.from.props.Type == driver.CPU)
	return nil
}

func (q *queue) close(d *Device) {
	for _, b := range q.batches {
		if b != nil {
			d.dev.DestroyBatch(b)
		}
	}
	if q.timeline != nil {
		d.dev.DestroyTimeline(q.timeline)
	}
}

// await waits for the timeline, setting the abort word when the context ends.
// It returns only when the value is reached or the device failed: what runs cannot be taken back.
func (d *Device) await(ctx context.Context, value uint64) error {
	for {
		err := d.dev.Wait(d.queue.timeline, value, pollInterval)
		if err != driver.ErrTimeout {
			return err
		}
		if ctx.Err() != nil {
			d.setAbort(1)
		}
	}
}

// pace estimates how long commands take, so that batches stay near Options.Batch.
type pace struct {
	perCommand float64 // seconds
	perCost    float64 // seconds a unit of Recorder.Costs
	factor     float64 // measured over estimated, a running mean
}

func newPace(cpu bool) pace {
	p := pace{perCommand: firstEstimates, perCost: 1e-12, factor: 1}
	if cpu {
		p.perCost = 5e-10
	}
	return p
}

func (p *pace) estimate(c *command) float64 {
	return p.factor * (p.perCommand + c.cost*p.perCost)
}

func (p *pace) learn(estimated, measured float64) {
	if estimated <= 0 || measured <= 0 {
		return
	}
	const memory = 0.7 // of the old factor in the new
	p.factor = min(max(p.factor*(memory+(1-memory)*measured/estimated), 1e-2), 1e3)
}
