package vk

import (
	"fmt"
	"io"
)

// WriteTo prints the recording, one command per line. Uploads that run before the commands come
// first, and downloads that run after the commands come last. Addresses are printed as names of
// regions with offsets in bytes. Therefore equal recordings print the same text on different
// devices.
func (r *Recorder) WriteTo(w io.Writer) (total int64, err error) {
	line := func(s string) {
		if err == nil {
			var n int
			n, err = fmt.Fprintln(w, s)
			total += int64(n)
		}
	}
	for _, f := range r.uploads {
		line(fmt.Sprintf("upload %s %d bytes", r.dev.nameOf(f.device.addr), len(f.host)))
	}
	for _, c := range r.cmds {
		line(r.describe(c))
	}
	for _, f := range r.downloads {
		line(fmt.Sprintf("download %s %d bytes", r.dev.nameOf(f.device.addr), len(f.host)))
	}
	return total, err
}

// describe prints one command.
func (r *Recorder) describe(c command) string {
	switch c.op {
	case opBarrier:
		return "barrier"
	case opPhase:
		return fmt.Sprintf("phase %s %.4g/%.4g", c.phase.name, c.phase.done, c.phase.total)
	case opFill:
		return fmt.Sprintf("fill %s %d bytes %#x", r.dev.nameOf(c.dst), c.size, c.word)
	case opSend:
		return fmt.Sprintf("send %s %d bytes", r.dev.nameOf(c.dst), c.size)
	case opReceive:
		return fmt.Sprintf("receive %s %d bytes", r.dev.nameOf(c.src), c.size)
	case opPost:
		return fmt.Sprintf("post %s to %d, %d bytes", r.dev.nameOf(c.src), c.dst, c.size)
	case opTake:
		return fmt.Sprintf("take %s from %d, %d bytes", r.dev.nameOf(c.dst), c.src, c.size)
	case opSignal:
		return "signal"
	case opWait:
		return "wait"
	case opCopy:
		return fmt.Sprintf("copy %s from %s %d bytes", r.dev.nameOf(c.dst), r.dev.nameOf(c.src), c.size)
	}
	s := fmt.Sprintf("%s %d×%d×%d", c.kernel.name, c.groups.X, c.groups.Y, c.groups.Z)
	push := r.bytes[c.push[0]:c.push[1]]
	for _, f := range c.kernel.addrs {
		s += fmt.Sprintf(" %s=%s", f.Name, r.dev.nameOf(addrAt(push, f)))
	}
	return s
}
