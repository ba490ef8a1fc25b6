package vk

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

const (
	// inFlight is the largest number of batches in flight. The device runs one batch while the host
	// records the next one.
	inFlight = 2

	// batchCommands is the largest number of commands in a batch, and batchQueries the largest
	// number of timestamps.
	batchCommands = 4096
	batchQueries  = batchCommands + 8

	// firstCommands is the largest number of commands in the first batch of a Run. It is small, so
	// that the device begins early, while the host encodes the remaining commands. After each batch
	// the largest number grows by the factor batchGrowth, up to batchCommands.
	firstCommands = 128
	batchGrowth   = 4

	// batchTarget is the default of Options.Batch. It is short for two reasons: desktops reset a
	// GPU that is busy for seconds, and a cancelled Run waits for its batch.
	batchTarget = 100 * time.Millisecond

	// busyWait is the time for which a waiting goroutine polls the timeline semaphore before it
	// sleeps. Waking a sleeping goroutine takes up to 0.1 ms, and a solve of order 1024 waits for
	// ten batches of 0.1 to 2.5 ms. A device that computes on the CPU needs the CPU's cores, so a
	// wait for such a device sleeps immediately.
	busyWait = 4 * time.Millisecond

	pollInterval = 20 * time.Millisecond // at which a waiting Run checks its context
)

// queue is the device's queue. Batches use the two command buffers alternately, so that the host
// records one batch while the device runs the previous batch:
//
//	buffer 0   record 0 | run 0 ······ | record 2 | run 2 ···
//	buffer 1              record 1 |     run 1 ·· | record 3 |
//
// Only the call that holds the queue (usage.takeQueue) may use it. Device.awaitUploads is an
// exception.
type queue struct {
	timeline *driver.Timeline // counts the batches that have ended
	value    uint64           // of the timeline when the last submitted batch has ended

	batches [inFlight]*driver.Batch
	copies  [sections]*driver.Batch // for transfers, one for each section of the staging buffer
	pace    pace

	// uploaded is the value that the timeline reaches when the last copy of an upload has ended. 0
	// says that no such copy is in flight.
	uploaded atomic.Uint64
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
	for i := range q.copies {
		if q.copies[i], err = d.dev.NewBatch(d.from.family, 1); err != nil {
			return err
		}
	}
	q.pace = newPace(d.from.props.Type == driver.CPU)
	return nil
}

// close destroys the command buffers and the semaphore of the queue. It also works if `open` has
// failed. No batch may be in flight.
func (q *queue) close(d *Device) {
	for _, b := range append(q.batches[:], q.copies[:]...) {
		if b != nil {
			d.dev.DestroyBatch(b)
		}
	}
	if q.timeline != nil {
		d.dev.DestroyTimeline(q.timeline)
	}
}

// submit submits the command buffer b. When its commands have ended, the timeline semaphore t gets
// the value `value`. Only one submission at a time is in progress on the device.
func (d *Device) submit(b *driver.Batch, t *driver.Timeline, value uint64) error {
	d.submitting.Lock()
	defer d.submitting.Unlock()
	return d.dev.Submit(b, t, value)
}

func (d *Device) idle() {
	d.submitting.Lock()
	defer d.submitting.Unlock()
	d.dev.Idle()
}

// await waits until the timeline semaphore has reached `value`. When the context ends, `await` sets
// the abort word and continues to wait, because a batch in flight cannot be withdrawn. Only an
// error of the driver, such as a lost device, ends the wait early.
func (d *Device) await(ctx context.Context, value uint64) error {
	err := d.poll(value)
	for err == driver.ErrTimeout {
		err = d.dev.Wait(d.queue.timeline, value, pollInterval)
		if err == driver.ErrTimeout && ctx.Err() != nil {
			d.setAbort(1)
		}
	}
	if last := d.queue.uploaded.Load(); err == nil && last <= value {
		d.queue.uploaded.CompareAndSwap(last, 0)
	}
	return err
}

func (d *Device) poll(value uint64) error {
	var now uint64
	var err error
	ended := d.polls() && spin(func() bool {
		now, err = d.dev.Value(d.queue.timeline)
		return err != nil || now >= value
	})
	if !ended {
		return driver.ErrTimeout
	}
	return err
}

func (d *Device) polls() bool { return d.from.props.Type != driver.CPU }

// spin calls `done` until it returns true, for at most the time busyWait.
func spin(done func() bool) bool {
	for began := time.Now(); time.Since(began) < busyWait; runtime.Gosched() { // others may need the thread
		if done() {
			return true
		}
	}
	return false
}
