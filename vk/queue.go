package vk

import (
	"context"
	"time"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

const (
	// inFlight is the number of batches in flight. One batch runs while the next one is recorded.
	inFlight = 2

	// batchCommands is the largest number of commands in a batch, and batchQueries the largest
	// number of timestamps.
	batchCommands = 4096
	batchQueries  = batchCommands + 8

	// firstCommands is the largest number of commands in the first batch of a Run. It is small so
	// that the device begins early, while the rest is encoded. Each batch has at most batchGrowth
	// times as many commands as the one before.
	firstCommands = 128
	batchGrowth   = 4

	// batchTarget is the default of Options.Batch. It is short because desktops reset a GPU that is
	// busy for seconds, and because cancelling waits for one batch.
	batchTarget = 100 * time.Millisecond

	// busyWait is for how long a wait looks at the timeline all the time, before the goroutine sleeps:
	// to wake it takes as long as many a batch. A device that computes on the CPU needs its cores, so
	// there a wait sleeps at once.
	busyWait = 500 * time.Microsecond

	// pollInterval is the time between two checks of its context by a waiting Run.
	pollInterval = 20 * time.Millisecond
)

// queue is the device's queue. Batches use its command buffers in turn, so that the host records
// one batch while the device runs the one before:
//
//	buffer 0   record 0 | run 0 ······ | record 2 | run 2 ···
//	buffer 1              record 1 |     run 1 ·· | record 3 |
//
// The queue belongs to the call that has taken it (usage.takeQueue).
type queue struct {
	// timeline counts the batches that have ended. value is the timeline's value when the last
	// submitted batch has ended.
	timeline *driver.Timeline
	value    uint64

	batches [inFlight]*driver.Batch
	pace    pace
}

// open makes the command buffers. After an error the caller calls close, which destroys what was
// made.
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

// close destroys what open has made, completely or in part. No batch may be in flight.
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

// await waits until the timeline has reached value. When the context ends, await sets the abort
// word and continues to wait, because a batch in flight cannot be taken back. Only a failure of the
// device ends the wait early. The error is the driver's, such as a lost device. It is never that of
// the context.
func (d *Device) await(ctx context.Context, value uint64) error {
	if d.from.props.Type != driver.CPU {
		for began := time.Now(); time.Since(began) < busyWait; {
			if now, err := d.dev.Value(d.queue.timeline); err != nil || now >= value {
				return err
			}
		}
	}
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
