package vk

import (
	"context"
	"errors"
)

// Progress is the last phase mark that a Run has passed.
type Progress struct {
	Phase       string
	Done, Total float64 // in the unit that Recorder.Phase was given
}

// Run executes a recording in batches of bounded time and waits for its end.
//
// When ctx ends, no new batch starts, and the abort word is set. Run waits for the batches in
// flight and returns ctx.Err(). The recording's memory then has undefined contents, and the device
// can be used again. After any error nothing is in flight. The profile holds what was timed until
// then.
//
// If onProgress is not nil, it is called after each batch, in another goroutine. Run waits for the
// call to return, so a function that ends ctx ends the Run. Run does not wait while another call
// waits for the device, so onProgress may use the device, or close it. Run returns after the last
// call of onProgress has returned, unless the device is being closed. If onProgress panics, Run
// panics.
func (d *Device) Run(ctx context.Context, rec *Recorder, onProgress func(Progress)) (*Profile, error) {
	if d.dry {
		return nil, errors.New("vk: a dry device runs nothing")
	}
	if err := rec.compiled(); err != nil {
		return NewProfile(), err
	}
	for _, f := range rec.uploads {
		if err := Upload(ctx, d, f.device, Vector(f.host)); err != nil {
			return NewProfile(), err
		}
	}
	profile, err := d.run(ctx, rec, onProgress)
	for _, f := range rec.downloads {
		if err == nil {
			err = Download(ctx, d, Vector(f.host), f.device)
		}
	}
	return profile, err
}

// run is Run without the uploads before and the downloads after the recording. The caller must have
// waited for the kernels. The profile is never nil.
func (d *Device) run(ctx context.Context, rec *Recorder, onProgress func(Progress)) (*Profile, error) {
	if err := d.usage.enter(); err != nil {
		return NewProfile(), err
	}
	defer d.usage.leave()
	r := &run{dev: d, ctx: ctx, rec: rec, profile: NewProfile(), most: firstCommands}
	if onProgress != nil {
		r.reports = &reports{on: &d.usage, call: onProgress}
		defer r.reports.flush()
	}
	return r.profile, r.do()
}

// compiled waits for the kernels of a recording. The error is that of the first kernel that could
// not be compiled. compiled takes no lock, because it may wait for as long as a driver compiles.
func (r *Recorder) compiled() error {
	var last *kernel
	for i := range r.cmds {
		c := &r.cmds[i]
		if c.op != opDispatch || c.kernel == last {
			continue
		}
		last = c.kernel
		if err := last.pipeline.wait(); err != nil {
			return err
		}
	}
	return nil
}

// settle waits after a failure until nothing is in flight, so that the caller may free the memory
// that a batch was using. The caller must have the queue.
func (d *Device) settle(err error) {
	if err != nil {
		d.dev.Idle()
	}
}

// run is a Run in progress.
type run struct {
	dev     *Device
	ctx     context.Context
	rec     *Recorder
	reports *reports // nil if no progress is asked for
	profile *Profile

	// pending holds the batches in flight, by the command buffer that they use.
	pending [inFlight]*batch

	// most is the largest number of commands of the next batch.
	most int

	// phase and mark are the phase in which encoding is now, and its mark.
	phase string
	mark  *phaseMark
}

// do runs the recording while it has the queue. The data that the recording receives is copied to
// the host only if nothing failed.
func (r *run) do() error {
	d := r.dev
	d.usage.takeQueue()
	defer d.usage.releaseQueue()
	d.setAbort(0)
	err := r.stageSent()
	if err == nil {
		err = d.bounds.begin(d.openArenas())
	}
	if err == nil {
		err = r.all()
	}
	d.settle(err)
	d.drain()
	if err == nil {
		r.takeReceived()
	}
	return err
}

// all submits the batches and waits for them. It returns the first error. At the end no batch is
// pending. After a failure the caller must still call settle.
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
			failed = r.finish(slot) // what was recorded about accesses is this batch's
		}
	}
	// The oldest batch is finished first, so that progress and profile stay in order.
	for range inFlight {
		slot := r.oldest()
		if slot < 0 {
			break
		}
		if err := r.finish(slot); err != nil && failed == nil {
			failed = err
		}
	}
	if failed == nil {
		failed = r.ctx.Err()
	}
	return failed
}

// interrupted returns the reason why no further batch should start, or nil if there is none. The
// reason is the context's error, or errThrown.
func (r *run) interrupted() error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if r.reports != nil && r.reports.failed() {
		return errThrown
	}
	return nil
}

// errThrown ends a Run whose progress function has panicked.
var errThrown = errors.New("vk: the progress function did not return")

// oldest is the slot of the batch that was submitted first, or −1 if none is in flight.
func (r *run) oldest() int {
	at := -1
	for i, b := range r.pending {
		if b != nil && (at < 0 || b.value < r.pending[at].value) {
			at = i
		}
	}
	return at
}
