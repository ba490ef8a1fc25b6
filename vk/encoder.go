package vk

import "github.com/vkevd/vkevd/vk/internal/driver"

// encoder translates commands of a recording into commands of one batch. A recording has device
// addresses, a batch has buffers and offsets. A timestamp follows each phase mark. With
// Options.Kernels a timestamp follows each command. The encoder exists only while the batch is
// being encoded, in the goroutine that holds the queue.
type encoder struct {
	run     *run
	b       *batch
	out     []driver.Command
	queries int     // timestamps so far
	seconds float64 // forecast of the commands so far
}

// fits tells whether another command may be added to the batch. The batch must have room for the
// command and its timestamp, and its predicted time must not exceed Options.Batch. The first
// command of a batch always fits. The limit for the time does not apply to barriers.
func (e *encoder) fits(c *command) bool {
	if len(e.out)+2 >= e.run.most || e.queries+2 >= batchQueries {
		return false
	}
	s := e.run.dev.queue.pace.estimate(c)
	if e.seconds > 0 && e.seconds+s > e.run.dev.opt.Batch.Seconds() && c.op != opBarrier {
		return false
	}
	return true
}

// stamp writes a timestamp. The time since the last timestamp is counted for the given kernel, or
// for the phase if `kernel` is "". The number of timestamps must stay within batchQueries, which
// the method `fits` ensures.
func (e *encoder) stamp(kernel string) {
	e.out = append(e.out, driver.Command{Op: driver.OpTimestamp, Word: uint32(e.queries)})
	e.b.marks = append(e.b.marks, mark{e.run.phase, kernel})
	e.queries++
}

// add translates one command of the recording and adds it to the batch. A phase mark becomes a
// timestamp. The caller must have checked with the method `fits` that the batch has room for the
// command.
func (e *encoder) add(c *command) {
	d := e.run.dev
	if c.op == opPhase {
		e.stamp("")
		e.run.phase, e.run.mark = c.phase.name, c.phase
		return
	}
	e.out = append(e.out, e.translate(c))
	if c.op == opBarrier {
		return
	}
	name := c.name()
	if c.op == opDispatch && d.bounds != nil {
		e.b.ran = append(e.b.ran, mark{e.run.phase, name})
	}
	s := d.queue.pace.estimate(c)
	e.b.work.add(e.run.phase, name)
	e.seconds += s
	e.b.estimate += s
	if d.opt.Kernels {
		e.stamp(name)
	}
}

// translate translates one command. It looks up the buffers that belong to the command's device
// addresses. All addresses must lie in open arenas. `translate` panics if an arena of the command
// is closed.
func (e *encoder) translate(c *command) driver.Command {
	d := e.run.dev
	out := driver.Command{Op: driver.OpBarrier}
	to := func(buffer *driver.Buffer, at uint64) { out.A, out.OffsetA = buffer.Raw(), at }
	from := func(buffer *driver.Buffer, at uint64) { out.B, out.OffsetB = buffer.Raw(), at }
	switch c.op {
	case opDispatch:
		out.Op, out.A, out.B = driver.OpDispatch, c.kernel.pipeline.handle, c.kernel.pipeline.layout
		out.Groups = [3]uint32{uint32(c.groups.X), uint32(c.groups.Y), uint32(c.groups.Z)}
		out.Push, out.PushSize = uint32(c.push[0]), uint32(c.push[1]-c.push[0])
	case opFill:
		dst := d.find(c.dst)
		out.Op, out.Size, out.Word = driver.OpFill, c.size, c.word
		to(dst.buffer, dst.at(c.dst))
	case opSend:
		dst := d.find(c.dst)
		out.Op, out.Size = driver.OpCopy, c.size
		to(dst.buffer, dst.at(c.dst))
		from(d.staging, e.run.rec.staged[c.word].off)
	case opReceive:
		src := d.find(c.src)
		out.Op, out.Size = driver.OpCopy, c.size
		to(d.staging, e.run.rec.staged[c.word].off)
		from(src.buffer, src.at(c.src))
	case opCopy:
		dst, src := d.find(c.dst), d.find(c.src)
		out.Op, out.Size = driver.OpCopy, c.size
		to(dst.buffer, dst.at(c.dst))
		from(src.buffer, src.at(c.src))
	}
	return out
}
