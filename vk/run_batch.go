package vk

// batch is a part of a recording that is in flight, from run.start to run.finish. Both functions
// run in the goroutine that holds the queue.
type batch struct {
	// value is the number that the timeline semaphore reaches when the batch has ended.
	value uint64

	// marks[i] names the work that the device did between timestamp i−1 and timestamp i. marks[0]
	// is unused.
	marks []mark

	estimate float64    // the predicted time on the device, in seconds
	progress *phaseMark // the last phase mark before the end of the batch, or nil
	work     work
	ran      []mark // the dispatches, if memory accesses are checked (Options.DebugShaders)

	// The batch may begin after the events `waits`. At its end the events `signals` happen. `takes`
	// are the host's copies before the batch, and `posts` those after it (Exchange).
	waits, signals []*Event
	takes, posts   []hostCopy
}

// mark names the time between two timestamps. `kernel` is "" if the time is that of a phase only.
type mark struct{ phase, kernel string }

type work struct {
	first, last string // phases of the first command and of the last one
	kernel      string // of the last command
	mixed       bool   // there are several kernels
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

// wrap returns err as an *Error with the first and the last phase of the batch, or nil if err is
// nil. It names a kernel only if no other kernel and no fill or copy is in the batch.
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

// start submits commands of the recording, from number `next` on, as one batch. Before it submits
// the batch, it waits for the events of the batch. The command buffer number `slot` holds the
// batch, and must not be in flight. The result is the number of the first command after the batch.
// The batch has at least one command, even if this command takes longer than Options.Batch. After
// an error the batch is not in flight.
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

// finish waits for the batch in command buffer number `slot`, if there is one. Then it lets the
// events of the batch happen, reads the timestamps and reports progress. If the context ends during
// the wait, `finish` sets the abort word, which asks kernels to stop, and continues to wait.
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

// elapsed is the number of ticks between two values of a counter that restarts after 2^bits − 1.
func elapsed(from, to uint64, bits uint32) uint64 { return (to - from) & (1<<bits - 1) }
