package vk

// batch is a part of a recording in flight. It is made by start and read by finish, both in the
// goroutine that has the queue.
type batch struct {
	// value is the timeline's when the batch has ended.
	value uint64

	// marks name the times between timestamps: marks[i] is the time from timestamp i−1 to i.
	marks []mark

	// estimate is the forecast of its time, in seconds.
	estimate float64

	// progress is the last phase mark in it; nil if there is none.
	progress *phaseMark

	// work tells what it runs, for errors. ran lists its dispatches where accesses are checked.
	work work
	ran  []mark
}

// mark names the time between two timestamps. kernel is "" where kernels are not timed.
type mark struct{ phase, kernel string }

// work is what a batch runs.
type work struct {
	first, last string // phases of the first command and of the last one
	kernel      string // of the last command
	mixed       bool   // there are several kernels
}

// add notes one command. Commands come in the order of the recording.
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

// wrap is an *Error about the batch, with as much of kernel and phase as is known. A nil err gives
// nil.
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

// start encodes commands from next on and submits them as one batch. It returns the first command
// that is not in the batch. The command buffer of the slot must not be in flight. At least one
// command is taken, however long it is. After an error the batch is not in flight.
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

// finish waits for the batch of a slot, if there is one, reads its times and reports progress. It
// waits even after the context has ended, with the abort word set.
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

// elapsed is the number of ticks between two timestamps of the given number of bits. Such a
// timestamp starts again at 0.
func elapsed(from, to uint64, bits uint32) uint64 { return (to - from) & (1<<bits - 1) }
