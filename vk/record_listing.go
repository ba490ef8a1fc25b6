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

func (r *Recorder) describe(c command) string {
	s, dst, src := c.name(), r.dev.nameOf(c.dst), r.dev.nameOf(c.src)
	switch c.op {
	case opBarrier, opSignal, opWait:
		return s
	case opPhase:
		return fmt.Sprintf("%s %s %.4g/%.4g", s, c.phase.name, c.phase.done, c.phase.total)
	case opFill:
		return fmt.Sprintf("%s %s %d bytes %#x", s, dst, c.size, c.word)
	case opSend:
		return fmt.Sprintf("%s %s %d bytes", s, dst, c.size)
	case opReceive:
		return fmt.Sprintf("%s %s %d bytes", s, src, c.size)
	case opPost:
		return fmt.Sprintf("%s %s to %d, %d bytes", s, src, c.dst, c.size)
	case opTake:
		return fmt.Sprintf("%s %s from %d, %d bytes", s, dst, c.src, c.size)
	case opCopy:
		return fmt.Sprintf("%s %s from %s %d bytes", s, dst, src, c.size)
	}
	s += fmt.Sprintf(" %d×%d×%d", c.groups.X, c.groups.Y, c.groups.Z)
	push := r.bytes[c.push[0]:c.push[1]]
	for _, f := range c.kernel.addrs {
		s += fmt.Sprintf(" %s=%s", f.Name, r.dev.nameOf(addrAt(push, f)))
	}
	return s
}
