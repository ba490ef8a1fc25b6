package vk

// batch is a part of a recording that is in flight. The method run.start makes a batch, and the
// method run.finish reads its results. Both methods run in the goroutine that holds the queue.
type batch struct {
	// value is the number that the timeline semaphore reaches when the batch has ended.
	value uint64

	// marks has one entry for each timestamp of the batch. marks[i] names the work that the device
	// did between timestamp i−1 and timestamp i. marks[0] is not used.
	marks []mark

	// estimate is the predicted time of the batch on the device, in seconds.
	estimate float64

	// progress is the last phase mark of the recording that is in the batch, or nil if there is
	// none. A phase mark names the phase of the following commands.
	progress *phaseMark

	// work describes the batch for error messages. `ran` lists the dispatches of the batch if
	// memory accesses are checked (Options.DebugShaders), otherwise it is empty.
	work work
	ran  []mark

	// The batch may begin after the events `waits`. At its end the events `signals` happen. `takes`
	// are the host's copies before the batch, and `posts` those after it (Exchange).
	waits, signals []*Event
	takes, posts   []hostCopy
}

// mark names the time between two timestamps by its phase and its kernel. `kernel` is "" if kernels
// are not timed.
type mark struct{ phase, kernel string }

// work describes the commands of a batch.
type work struct {
	first, last string // phases of the first command and of the last one
	kernel      string // of the last command
	mixed       bool   // there are several kernels
}

// add appends one command to the description of a batch. Calls must follow the order of the
// recording.
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

// wrap returns err as an *Error about this batch, with the first and the last phase of the batch.
// The *Error names a kernel only if all dispatches of the batch run this kernel. The result is nil
// if err is nil.
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

// start encodes commands of the recording from command number `next` on, and submits them as one
// batch, after the events for which it waits. `slot` is the number of the command buffer to use,
// which must not be in flight. The result is the number of the first command that is not in the
// batch. The batch has at least one command of the recording, perhaps only waits and signals, even
// if this command takes longer than Options.Batch. After an error the batch is not in flight.
func (r *run) start(slot, next int) (int, error) {
	d := r.dev
	e := encoder{run: r, b: &batch{}}
	e.stamp("")
	next = e.encode(r.rec.cmds, next)
	e.stamp("")
	e.b.progress = r.mark
	if err := d.dev.Record(d.queue.batches[slot], e.out, r.rec.bytes, e.queries); err != nil {
		return next, e.b.work.wrap("recording a batch", err)
	}
	if err := r.ready(e.b); err != nil {
		return next, err
	}
	if err := d.submit(d.queue.batches[slot], d.queue.timeline, d.queue.value+1); err != nil {
		return next, e.b.work.wrap("submitting a batch", err)
	}
	d.queue.value++
	e.b.value = d.queue.value
	r.pending[slot] = e.b
	if e.b.estimate > 0 { // a batch of waits and signals teaches nothing
		r.most = min(batchGrowth*r.most, batchCommands)
	}
	return next, nil
}

// finish waits for the batch in flight whose command buffer has the number `slot`. If that command
// buffer is not in flight, `finish` returns immediately. After the wait, `finish` reads the
// timestamps of the batch and reports progress. If the context ends during the wait, `finish` sets
// the abort word, which asks kernels to stop, and continues to wait for the batch.
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
	b.ended()
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

// elapsed is the number of ticks from one timestamp to a later one. Timestamps are counters of the
// given number of bits. After its largest value a counter starts again at 0.
func elapsed(from, to uint64, bits uint32) uint64 { return (to - from) & (1<<bits - 1) }
