package driver

// #include "shim.h"
import "C"

import (
	"errors"
	"time"
)

// Timeline is a timeline semaphore: a counter that the device increases. It begins at 0.
type Timeline struct{ handle C.VkSemaphore }

func (d *Device) NewTimeline() (*Timeline, error) {
	t := &Timeline{}
	err := created(try("vkCreateSemaphore", func() Result { return Result(C.vke_timeline(d.table, &t.handle)) }))
	if err != nil {
		return nil, err
	}
	return t, nil
}

// DestroyTimeline destroys a timeline semaphore. No batch in flight may signal it.
func (d *Device) DestroyTimeline(t *Timeline) {
	C.vke_destroy_semaphore(d.table, t.handle)
	destroyed()
}

// Submit submits a batch. When it has ended, the timeline semaphore t gets the value `value`, which
// must be larger than all earlier values of t. Batches of a queue start in the order of their
// submission. Only one goroutine at a time may call Submit. If Submit fails, no batch was
// submitted.
func (d *Device) Submit(b *Batch, t *Timeline, value uint64) error {
	return try("vkQueueSubmit", func() Result {
		return Result(C.vke_submit(d.table, b.c(), t.handle, C.uint64_t(value)))
	})
}

// ErrTimeout is the error of Wait if the timeline has not reached the wanted value within the time
// limit.
var ErrTimeout = errors.New("timed out")

// Wait waits until the timeline has reached `value`, but not longer than `limit`. Several
// goroutines may wait at the same time. The error is ErrTimeout or an *Error such as DeviceLost.
func (d *Device) Wait(t *Timeline, value uint64, limit time.Duration) error {
	var r Result
	err := try("vkWaitSemaphores", func() Result {
		r = Result(C.vke_wait(d.table, t.handle, C.uint64_t(value), C.uint64_t(limit.Nanoseconds())))
		return r
	})
	if err == nil && r == Timeout {
		return ErrTimeout
	}
	return err
}

func (d *Device) Value(t *Timeline) (uint64, error) {
	var v C.uint64_t
	err := try("vkGetSemaphoreCounterValue", func() Result { return Result(C.vke_value(d.table, t.handle, &v)) })
	return uint64(v), err
}
