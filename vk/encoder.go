package vk

import "github.com/vkevd/vkevd/vk/internal/driver"

// encoder turns commands into one batch.
type encoder struct {
	run     *run
	b       *batch
	out     []driver.Command
	queries int
	seconds float64
}

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

// stamp writes a timestamp that ends the time of the given kernel, or of the phase.
func (e *encoder) stamp(kernel string) {
	e.out = append(e.out, driver.Command{Op: driver.OpTimestamp, Word: uint32(e.queries)})
	e.b.marks = append(e.b.marks, mark{e.run.phase, kernel})
	e.queries++
}

func (e *encoder) add(c *command) {
	d := e.run.dev
	out := driver.Command{Op: driver.OpBarrier}
	kernel := ""
	switch c.op {
	case opPhase:
		e.stamp("")
		e.run.phase, e.run.mark = c.phase.name, c.phase
		return
	case opDispatch:
		kernel = c.kernel.name
		if d.bounds != nil {
			e.b.ran = append(e.b.ran, mark{e.run.phase, kernel})
		}
		out.Op, out.A, out.B = driver.OpDispatch, c.kernel.pipeline.handle, c.kernel.pipeline.layout
		out.Groups = [3]uint32{uint32(c.groups.X), uint32(c.groups.Y), uint32(c.groups.Z)}
		out.Push, out.PushSize = uint32(c.push[0]), uint32(c.push[1]-c.push[0])
	case opSend:
		kernel = "send"
		a := d.find(c.dst)
		out.Op, out.A, out.OffsetA, out.B, out.OffsetB, out.Size = driver.OpCopy, a.buffer.Raw(), a.at(c.dst), d.staging.Raw(), e.run.rec.staged[c.word].off, c.size
	case opReceive:
		kernel = "receive"
		b := d.find(c.src)
		out.Op, out.A, out.OffsetA, out.B, out.OffsetB, out.Size = driver.OpCopy, d.staging.Raw(), e.run.rec.staged[c.word].off, b.buffer.Raw(), b.at(c.src), c.size
	case opFill:
		kernel = "fill"
		a := d.find(c.dst)
		out.Op, out.A, out.OffsetA, out.Size, out.Word = driver.OpFill, a.buffer.Raw(), a.at(c.dst), c.size, c.word
	case opCopy:
		kernel = "copy"
		a, b := d.find(c.dst), d.find(c.src)
		out.Op, out.A, out.OffsetA, out.B, out.OffsetB, out.Size = driver.OpCopy, a.buffer.Raw(), a.at(c.dst), b.buffer.Raw(), b.at(c.src), c.size
	}
	e.out = append(e.out, out)
	s := d.queue.pace.estimate(c)
	if c.op != opBarrier {
		e.b.work.add(e.run.phase, kernel)
		e.seconds += s
		e.b.estimate += s
		if d.opt.Kernels {
			e.stamp(kernel)
		}
	}
}
