package vk

import (
	"context"
	"errors"
)

// Progress describes how far a Run has come: the last phase mark that the Run has passed.
type Progress struct {
	Phase       string
	Done, Total float64 // in the unit that Recorder.Phase was given
}

// Run executes a recording in batches of bounded time and waits until all batches have ended. Start
// does the same without the wait.
//
// When ctx ends, no new batch starts, and the abort word is set. Run waits for the batches in
// flight and returns ctx.Err(). The memory that the recording uses then has undefined contents, and
// the device can be used again. After any error no batch is in flight. The profile holds the times
// that were measured before the error.
//
// If onProgress is not nil, Run calls it after each batch, in another goroutine. Run waits until
// onProgress has returned, so if onProgress ends ctx, the Run ends. There is one exception: Run
// does not wait for onProgress while another call waits for the device. Therefore onProgress may
// use the device, or close it. If the recording has events, Run waits for onProgress only at its
// end. Run returns after the last call of onProgress has returned, except while the device is being
// closed. If onProgress panics, Run panics.
func (d *Device) Run(ctx context.Context, rec *Recorder, onProgress func(Progress)) (*Profile, error) {
	if d.dry {
		return nil, errDry
	}
	if err := rec.Compiled(); err != nil {
		return NewProfile(), err
	}
	turn, err := d.begin()
	if err != nil {
		return NewProfile(), err
	}
	defer d.usage.leave()
	return d.run(ctx, rec, onProgress, turn)
}

var (
	errDry      = errors.New("vk: a dry device runs nothing")
	errNoMemory = errors.New("vk: a dry device has no memory")
)

// begin registers a Run with the device and asks for the device's queue, as usage.askQueue does.
// The caller must take the queue with this turn, and must leave the device at the end.
func (d *Device) begin() (turn uint64, err error) {
	if d.dry {
		return 0, errDry
	}
	if err := d.usage.enter(); err != nil {
		return 0, err
	}
	return d.usage.askQueue(), nil
}

// run waits for its turn, takes the device's queue and runs a recording. The kernels must be
// compiled. The profile is never nil.
func (d *Device) run(ctx context.Context, rec *Recorder, onProgress func(Progress), turn uint64) (*Profile, error) {
	r := &run{dev: d, ctx: ctx, rec: rec, profile: NewProfile(), most: firstCommands}
	if onProgress != nil {
		r.reports = &reports{on: &d.usage, call: onProgress, shared: rec.hasEvents()}
		defer r.reports.flush()
	}
	d.usage.takeTurn(turn)
	defer d.usage.releaseQueue()
	return r.profile, r.do()
}

// Compiled waits until all kernels of the recording are compiled. Run calls it before it asks for
// the queue, and Start before it takes the queue. The error is that of the first kernel that could
// not be compiled. The caller should not hold a lock, because compilation can take long.
func (r *Recorder) Compiled() error {
	var last *pipeline
	for i := range r.cmds {
		c := &r.cmds[i]
		if c.op != opDispatch || c.pipeline == last {
			continue
		}
		last = c.pipeline
		if err := last.wait(); err != nil {
			return err
		}
	}
	return nil
}

// If err is not nil, settle waits until no batch is in flight, so that the caller may free the
// memory of the batches.
func (d *Device) settle(err error) {
	if err != nil {
		d.idle()
	}
}

type run struct {
	dev     *Device
	ctx     context.Context
	rec     *Recorder
	reports *reports // nil if Run has no progress function
	profile *Profile

	pending [inFlight]*batch // in flight, by the number of the command buffer; nil if there is none
	most    int              // largest number of commands of the next batch

	phase string
	mark  *phaseMark
}

// do runs the recording: its uploads, its commands, and its downloads. The caller holds the queue.
func (r *run) do() (err error) {
	for _, f := range r.rec.uploads {
		if err := f.copy(r.ctx, true); err != nil {
			return err
		}
	}
	if err := r.commands(); err != nil {
		return err
	}
	for _, f := range r.rec.downloads {
		if err := f.copy(r.ctx, false); err != nil {
			return err
		}
	}
	return nil
}

// commands runs the commands of the recording, with its sends and receives. The caller's memory
// gets received data only if nothing has failed. After a panic, `commands` waits until no batch is
// in flight: the caller of Run may recover, and then free memory that a batch was using.
func (r *run) commands() (err error) {
	d := r.dev
	d.setAbort(0)
	thrown := true
	defer func() {
		if thrown { // for example because an arena is closed
			d.idle()
		}
	}()
	err = r.stageSent()
	if err == nil {
		err = d.bounds.begin(d.openArenas())
	}
	if err == nil {
		err = r.all()
	}
	thrown = false
	d.settle(err)
	d.drain()
	if err == nil {
		r.takeReceived()
	}
	return err
}

// `all` submits all batches and waits for them. After an error the caller must still call `settle`.
func (r *run) all() error {
	var failed error
	next := 0
	for slot := 0; next < len(r.rec.cmds) && failed == nil; slot = (slot + 1) % inFlight {
		if failed = r.finish(slot); failed == nil {
			failed = r.interrupted()
		}
		if failed != nil {
			break
		}
		next, failed = r.start(slot, next)
		if failed == nil && r.dev.bounds != nil {
			failed = r.finish(slot) // a recorded access then belongs to this batch
		}
	}
	if err := r.finishAll(); failed == nil {
		failed = err
	}
	if failed == nil {
		failed = r.ctx.Err()
	}
	return failed
}

// finishAll finishes all batches in flight, the oldest one first, so that progress reports and the
// profile are in the order of the recording. It returns the first error.
func (r *run) finishAll() (failed error) {
	for range inFlight {
		slot := r.oldest()
		if slot < 0 {
			break
		}
		if err := r.finish(slot); failed == nil {
			failed = err
		}
	}
	return failed
}

// interrupted returns the reason why no further batch should start, or nil if the Run should go on.
func (r *run) interrupted() error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if r.reports != nil && r.reports.failed() {
		return errThrown
	}
	return nil
}

var errThrown = errors.New("vk: the progress function did not return")

// oldest is the number of the command buffer whose batch was submitted first among the batches in
// flight, or −1 if no batch is in flight.
func (r *run) oldest() int {
	at := -1
	for i, b := range r.pending {
		if b != nil && (at < 0 || b.value < r.pending[at].value) {
			at = i
		}
	}
	return at
}
