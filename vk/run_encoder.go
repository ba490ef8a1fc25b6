package vk

import "github.com/vkevd/vkevd/vk/internal/driver"

// encoder translates commands of a recording, with device addresses, into commands of one batch,
// with buffers and offsets. Each phase mark becomes a timestamp. With Options.Kernels a timestamp
// also follows each command except barriers. Only the goroutine that holds the queue uses it.
type encoder struct {
	run     *run
	b       *batch
	out     []driver.Command
	queries int     // timestamps so far
	seconds float64 // forecast of the commands so far
}

// fits tells whether the batch has room for a command and its timestamp, and whether the predicted
// time of the batch with this command is at most Options.Batch. The first command always fits.
// Barriers need no time.
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

// encode adds commands from number `next` on, as many as the batch may have, and returns the number
// of the first command after the batch. Waits are at the beginning of a batch, and signals at its
// end.
func (e *encoder) encode(cmds []command, next int) int {
	empty := true
	for ; next < len(cmds); next++ {
		switch c := &cmds[next]; {
		case c.op == opSignal:
			e.b.signals = append(e.b.signals, c.event)
		case len(e.b.signals) > 0 || c.op == opWait && !empty:
			return next
		case c.op == opWait:
			e.b.waits = append(e.b.waits, c.event)
		case !e.fits(c):
			return next
		default:
			e.add(c)
			empty = empty && (c.op == opPhase || c.op == opBarrier)
		}
	}
	return next
}

// stamp writes a timestamp. The time since the last one is counted for the current phase and,
// unless `kernel` is "", for the kernel. The method `fits` keeps the number of timestamps within
// batchQueries.
func (e *encoder) stamp(kernel string) {
	e.out = append(e.out, driver.Command{Op: driver.OpTimestamp, Word: uint32(e.queries)})
	e.b.marks = append(e.b.marks, mark{e.run.phase, kernel})
	e.queries++
}

// add adds one command, for which `fits` has found room. A phase mark becomes a timestamp.
func (e *encoder) add(c *command) {
	d := e.run.dev
	if c.op == opPhase {
		e.stamp("")
		e.run.phase, e.run.mark = c.phase.name, c.phase
		return
	}
	e.translate(c)
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

// translate adds the driver's commands for one command. A fill or copy of memory in several buffers
// becomes several commands, without barriers between them. For all commands except dispatches,
// translate panics if an arena or exchange of the command is closed.
func (e *encoder) translate(c *command) {
	d := e.run.dev
	switch c.op {
	case opDispatch:
		e.out = append(e.out, driver.Command{
			Op: driver.OpDispatch, A: c.pipeline.handle, B: c.pipeline.layout,
			Groups: [3]uint32{uint32(c.groups.X), uint32(c.groups.Y), uint32(c.groups.Z)},
			Push:   uint32(c.push[0]), PushSize: uint32(c.push[1] - c.push[0]),
		})
	case opFill:
		for _, p := range d.pieces(c.dst, c.size) {
			e.out = append(e.out, driver.Command{
				Op: driver.OpFill, A: p.buffer.Raw(), OffsetA: p.at, Size: p.size, Word: c.word,
			})
		}
	case opSend:
		e.out = append(e.out, copies(d.pieces(c.dst, c.size), e.staged(c))...)
	case opReceive:
		e.out = append(e.out, copies(e.staged(c), d.pieces(c.src, c.size))...)
	case opPost:
		e.out = append(e.out, copies(e.exchanged(c, c.dst, &e.b.posts), d.pieces(c.src, c.size))...)
	case opTake:
		e.out = append(e.out, copies(d.pieces(c.dst, c.size), e.exchanged(c, c.src, &e.b.takes))...)
	case opCopy:
		e.out = append(e.out, copies(d.pieces(c.dst, c.size), d.pieces(c.src, c.size))...)
	default:
		e.out = append(e.out, driver.Command{Op: driver.OpBarrier})
	}
}

func (e *encoder) staged(c *command) []piece {
	return []piece{{e.run.dev.staging, e.run.rec.staged[c.word].off, c.size}}
}

func copies(dst, src []piece) (list []driver.Command) {
	for len(dst) > 0 {
		n := min(dst[0].size, src[0].size)
		list = append(list, driver.Command{
			Op: driver.OpCopy, Size: n,
			A: dst[0].buffer.Raw(), OffsetA: dst[0].at, B: src[0].buffer.Raw(), OffsetB: src[0].at,
		})
		dst, src = after(dst, n), after(src, n)
	}
	return list
}

// `after` returns the pieces without their first n bytes. The first piece has at least n bytes.
func after(list []piece, n uint64) []piece {
	if list[0].size == n {
		return list[1:]
	}
	list[0].at += n
	list[0].size -= n
	return list
}
