package vk

// batch is a part of a recording that is in flight. The method start makes it and finish reads its
// results, both in the goroutine that has the queue.
type batch struct {
	// value is the value that the timeline has when the batch has ended.
	value uint64

	// marks are the names of the times between timestamps: marks[i] names the time from timestamp
	// i−1 to i.
	marks []mark

	// estimate is the predicted time of the batch, in seconds.
	estimate float64

	// progress is the last phase mark in the batch, or nil if there is none.
	progress *phaseMark

	// work describes the batch for errors. ran lists its dispatches if memory accesses are checked.
	work work
	ran  []mark
}

// mark is the name of the time between two timestamps. kernel is "" if kernels are not timed.
type mark struct{ phase, kernel string }

// work describes the commands of a batch.
type work struct {
	first, last string // phases of the first command and of the last one
	kernel      string // of the last command
	mixed       bool   // there are several kernels
}

// add adds one command to the description. Commands come in the order of the recording.
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

// wrap returns err as an *Error about the batch, with its kernel and phase as far as they are
// known. It returns nil if err is nil.
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

// start encodes commands from number next on and submits them as one batch. It returns the number
// of the first command that is not in the batch. The command buffer of the slot must not be in
// flight. The batch has at least one command, however long that takes. After an error the batch is
// not in flight.
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

// finish waits for the batch of a slot, if there is one, reads its times and reports progress. If
// the context has ended, finish still waits, with the abort word set.
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

// elapsed is the number of ticks between two timestamps. Timestamps have the given number of bits,
// and start again at 0 after the largest number.
func elapsed(from, to uint64, bits uint32) uint64 { return (to - from) & (1<<bits - 1) }
