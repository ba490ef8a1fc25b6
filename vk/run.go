package vk

import (
	"context"
	"errors"
)

// Progress is how far a Run has come: the last phase mark that was passed.
type Progress struct {
	Phase       string
	Done, Total float64
}

// Run executes a recording in bounded batches and waits for its end. When ctx
// ends, no new batch starts, the abort word is set, the running batches are
// awaited and ctx.Err() is returned; memory is then in an undefined state but the
// device can be used again. onProgress, if not nil, is called after each batch.
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

// run is Run without its uploads and downloads.
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

// do runs the recording with the queue for itself.
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

// compiled waits for the kernels of a recording.
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

// settle makes sure after a failure that nothing runs any more: the caller is
// about to free what a batch may still be using.
func (d *Device) settle(err error) {
	if err != nil {
		d.dev.Idle()
	}
}

// run is one Run under way.
type run struct {
	dev     *Device
	ctx     context.Context
	rec     *Recorder
	reports *reports // nil if nobody asks for progress
	profile *Profile
	pending [inFlight]*batch
	most    int        // commands of the next batch
	phase   string     // the phase that encoding has reached
	mark    *phaseMark // where it began
}

// batch is a stretch of a recording on its way through the queue.
type batch struct {
	value    uint64
	marks    []mark
	estimate float64
	progress *phaseMark
	work     work
	ran      []mark // each dispatch, where accesses are checked
}

// work is what a batch runs, for its errors.
type work struct {
	first, last string // phases of the first command and of the last
	kernel      string // if no other kernel is in it
	mixed       bool
}

func (w *work) add(phase, kernel string) {
	if w.first == "" {
		w.first = phase
	}
	w.last = phase
	if w.kernel != "" && w.kernel != kernel {
		w.mixed = true
	}
	w.kernel = kernel
}

// wrap is an error of the batch, with all that is known about where it was.
func (w *work) wrap(op string, err error) error {
	kernel, phase := w.kernel, w.first
	if w.mixed {
		kernel = ""
	}
	if w.last != w.first {
		phase += " to " + w.last
	}
	return wrap(op, kernel, phase, err)
}

// mark names the time between two timestamps.
type mark struct{ phase, kernel string }

func (r *run) all() error {
	var failed error
	next := 0
	for slot := 0; next < len(r.rec.cmds) && failed == nil; slot = (slot + 1) % inFlight {
		if failed = r.finish(slot); failed != nil {
			break
		}
		if failed = r.ctx.Err(); failed != nil {
			break
		}
		if r.reports != nil && r.reports.failed() {
			failed = errThrown
			break
		}
		next, failed = r.start(slot, next)
		if failed == nil && r.dev.bounds != nil {
			failed = r.finish(slot) // what is recorded is this batch's
		}
	}
	// Oldest first, so that progress and profile stay in order.
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

func (r *run) oldest() int {
	at := -1
	for i, b := range r.pending {
		if b != nil && (at < 0 || b.value < r.pending[at].value) {
			at = i
		}
	}
	return at
}

// start encodes and submits commands from next on; it returns where it stopped.
func (r *run) start(slot, next int) (int, error) {
	d := r.dev
	e := encoder{run: r, b: &batch{}}
	e.stamp("")
	for next < len(r.rec.cmds) && e.fits(&r.rec.cmds[next]) {
		e.add(&r.rec.cmds[next])
		next++
	}
	e.stamp("")
	e.b.progress = r.mark
	if err := d.dev.Record(d.queue.batches[slot], e.out, r.rec.bytes, e.queries); err != nil {
		return next, e.b.work.wrap("recording a batch", err)
	}
	if err := d.dev.Submit(d.queue.batches[slot], d.queue.timeline, d.queue.value+1); err != nil {
		return next, e.b.work.wrap("submitting a batch", err)
	}
	d.queue.value++
	e.b.value = d.queue.value
	r.pending[slot] = e.b
	r.most = min(batchGrowth*r.most, batchCommands)
	return next, nil
}

// finish waits for the slot's batch, if there is one, and reads its times.
func (r *run) finish(slot int) error {
	b := r.pending[slot]
	if b == nil {
		return nil
	}
	r.pending[slot] = nil
	d := r.dev
	if err := d.await(r.ctx, b.value); err != nil {
		return b.work.wrap("waiting for a batch", err)
	}
	if err := d.bounds.found(b); err != nil {
		return err
	}
	ticks, err := d.dev.Timestamps(d.queue.batches[slot], len(b.marks))
	if err != nil {
		return b.work.wrap("reading timestamps", err)
	}
	period := float64(d.from.props.TimestampPeriod) * 1e-9
	total := 0.0
	for i := 1; i < len(ticks); i++ {
		seconds := float64(elapsed(ticks[i-1], ticks[i], d.from.tickBits)) * period
		total += seconds
		r.profile.add(b.marks[i], seconds)
	}
	d.queue.pace.learn(b.estimate, total)
	if r.reports != nil && b.progress != nil {
		r.reports.add(Progress{b.progress.name, b.progress.done, b.progress.total})
	}
	return nil
}

// errThrown ends a Run whose progress function has thrown something.
var errThrown = errors.New("vk: the progress function did not return")

// elapsed is the ticks between two timestamps, which begin again at 0 after so many bits.
func elapsed(from, to uint64, bits uint32) uint64 { return (to - from) & (1<<bits - 1) }
