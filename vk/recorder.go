package vk

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/vkevd/vkevd/vk/spirv"
)

type op uint8

const (
	opDispatch op = iota
	opBarrier
	opFill
	opCopy
	opPhase
	opSend
	opReceive
)

// command is one entry of a recording.
type command struct {
	op     op
	kernel *kernel
	groups Groups
	push   [2]int // range in Recorder.bytes
	dst    uint64 // device addresses (fill, copy)
	src    uint64
	size   uint64
	word   uint32  // of a fill; number of the transfer, of a send or receive
	cost   float64 // estimated flops, or bytes moved, whichever was given
	phase  *phaseMark
}

type phaseMark struct {
	name        string
	done, total float64
}

// Recorder collects commands. A full compute and transfer barrier stands
// between any two of them unless both are inside one Concurrently. It holds plain
// values only, so that it can be printed, compared and run any number of times.
type Recorder struct {
	dev        *Device
	cmds       []command
	bytes      []byte
	staged     []staged
	uploads    []bulk // before the commands
	downloads  []bulk // after them
	concurrent *concurrent
}

// NewRecorder makes an empty recording for the device.
func NewRecorder(d *Device) *Recorder { return &Recorder{dev: d} }

// Len is the number of commands, barriers included.
func (r *Recorder) Len() int { return len(r.cmds) }

// Phase names what follows. done and total are in any unit of work that the
// caller keeps to; Run reports them as progress when the mark is reached.
func (r *Recorder) Phase(name string, done, total float64) {
	r.cmds = append(r.cmds, command{op: opPhase, phase: &phaseMark{name, done, total}})
}

// Costs attaches an estimate (flops or bytes) to the last command. Run
// uses it to keep a batch short; without it a command counts as one that does nothing.
func (r *Recorder) Costs(estimate float64) {
	for i := len(r.cmds) - 1; i >= 0; i-- {
		if r.cmds[i].op != opBarrier {
			r.cmds[i].cost = estimate
			return
		}
	}
}

// Fill sets every 32-bit word of s.
func Fill[T any](r *Recorder, s Slice[T], word uint32) {
	at := s.span()
	if at.to > at.from {
		r.add(command{op: opFill, dst: at.from, size: at.to - at.from, word: word}, []access{{at, true}})
	}
}

// Copy copies min(len(dst), len(src)) elements; the ranges must not overlap.
func Copy[T any](r *Recorder, dst, src Slice[T]) {
	n := min(dst.n, src.n)
	d, s := dst.Sub(0, n).span(), src.Sub(0, n).span()
	if d.touches(s) {
		panic("vk: Copy between overlapping slices")
	}
	if n > 0 {
		r.add(command{op: opCopy, dst: d.from, src: s.from, size: d.to - d.from}, []access{{d, true}, {s, false}})
	}
}

func (r *Recorder) dispatch(k *kernel, g Groups, push []byte, touch []Touch) {
	from := len(r.bytes)
	r.bytes = append(r.bytes, push...)
	var acc []access
	if r.concurrent != nil {
		acc = declared(k, push, touch)
	}
	r.add(command{op: opDispatch, kernel: k, groups: g, push: [2]int{from, len(r.bytes)}}, acc)
}

func (r *Recorder) add(c command, acc []access) {
	r.cmds = append(r.cmds, c)
	if r.concurrent != nil {
		r.concurrent.check(c, acc)
		return
	}
	r.cmds = append(r.cmds, command{op: opBarrier})
}

// WriteTo prints the recording, one command a line, with addresses as region names and offsets, between
// the exchanges that come before it and follow it.
func (r *Recorder) WriteTo(w io.Writer) (total int64, err error) {
	line := func(s string) {
		if err == nil {
			var n int
			n, err = fmt.Fprintln(w, s)
			total += int64(n)
		}
	}
	for _, f := range r.uploads {
		line(fmt.Sprintf("upload %s %d bytes", r.dev.nameOf(f.device.span().from), len(f.host)))
	}
	for _, c := range r.cmds {
		line(r.describe(c))
	}
	for _, f := range r.downloads {
		line(fmt.Sprintf("download %s %d bytes", r.dev.nameOf(f.device.span().from), len(f.host)))
	}
	return total, err
}

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

func addrAt(push []byte, f spirv.PushField) uint64 {
	return binary.LittleEndian.Uint64(push[f.Offset:])
}
