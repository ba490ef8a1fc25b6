package vk

import (
	"encoding/binary"

	"github.com/vkevd/vkevd/vk/spirv"
)

// op is the kind of a command.
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

// command is one entry of a recording. Which members are used depends on op.
type command struct {
	op op

	// For a dispatch: its kernel, its grid, and its push constants as a range of Recorder.bytes.
	kernel *kernel
	groups Groups
	push   [2]int

	// For a fill, copy, send or receive: device addresses, and the size in bytes.
	dst, src uint64
	size     uint64

	// word is the value of a fill, or the number of the transfer of a send or receive.
	word uint32

	// cost is the caller's estimate of the work, in flops or bytes; 0 if there is none.
	cost float64

	// phase is the phase that begins; only for a phase mark.
	phase *phaseMark
}

// phaseMark is the beginning of a phase.
type phaseMark struct {
	name        string
	done, total float64
}

// name is the kernel's, or what the command does, for profiles and errors.
func (c *command) name() string {
	switch c.op {
	case opDispatch:
		return c.kernel.name
	case opSend:
		return "send"
	case opReceive:
		return "receive"
	case opFill:
		return "fill"
	}
	return "copy"
}

// Recorder collects commands. Any two of them are separated by a full barrier of compute and
// transfer, but for those inside of one Concurrently. A recording consists of plain values: it can
// be printed and compared, and it can run any number of times, by one Run at a time.
type Recorder struct {
	dev        *Device
	cmds       []command
	bytes      []byte      // push constants of all dispatches
	staged     []staged    // numbers of sends and receives
	uploads    []bulk      // before the commands
	downloads  []bulk      // after them
	concurrent *concurrent // nil outside of Concurrently
}

// NewRecorder makes an empty recording for the device.
func NewRecorder(d *Device) *Recorder { return &Recorder{dev: d} }

// Len is the number of commands, barriers and phase marks among them.
func (r *Recorder) Len() int { return len(r.cmds) }

// Phase names the commands that follow. done is the work before them and total that of the whole
// recording, in any unit: Run reports both as Progress when it passes the mark.
func (r *Recorder) Phase(name string, done, total float64) {
	r.cmds = append(r.cmds, command{op: opPhase, phase: &phaseMark{name, done, total}})
}

// Costs attaches an estimate of the work to the last command, in flops or in bytes moved, whichever
// takes longer. Run cuts batches by it. A command without an estimate counts as one that does
// nothing.
func (r *Recorder) Costs(estimate float64) {
	for i := len(r.cmds) - 1; i >= 0; i-- {
		if r.cmds[i].op != opBarrier {
			r.cmds[i].cost = estimate
			return
		}
	}
}

// Estimates lists the estimate that Costs attached to each dispatch, in the order of the recording;
// 0 for a dispatch without one. It is for tests.
func (r *Recorder) Estimates() []float64 {
	var all []float64
	for _, c := range r.cmds {
		if c.op == opDispatch {
			all = append(all, c.cost)
		}
	}
	return all
}

// Fill records that every 32-bit word of s becomes word.
func Fill[T any](r *Recorder, s Slice[T], word uint32) {
	at := s.span()
	if at.to > at.from {
		r.add(command{op: opFill, dst: at.from, size: at.to - at.from, word: word}, []access{{at, true}})
	}
}

// Copy records a copy of min(len(dst), len(src)) elements. It panics if the ranges overlap.
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

// dispatch records one run of a kernel with its push block. push is copied.
func (r *Recorder) dispatch(k *kernel, g Groups, push []byte, touch []Touch) {
	from := len(r.bytes)
	r.bytes = append(r.bytes, push...)
	var acc []access
	if r.concurrent != nil {
		acc = declared(k, push, touch)
	}
	r.add(command{op: opDispatch, kernel: k, groups: g, push: [2]int{from, len(r.bytes)}}, acc)
}

// add appends a command that makes these accesses. A barrier follows it, or the end of
// Concurrently. It panics if accesses inside of Concurrently conflict.
func (r *Recorder) add(c command, acc []access) {
	r.cmds = append(r.cmds, c)
	if r.concurrent != nil {
		r.concurrent.check(c, acc)
		return
	}
	r.cmds = append(r.cmds, command{op: opBarrier})
}

// addrAt reads an address member of a push block.
func addrAt(push []byte, f spirv.PushField) uint64 {
	return binary.LittleEndian.Uint64(push[f.Offset:])
}
