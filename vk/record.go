package vk

import (
	"encoding/binary"

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
	opPost
	opTake
	opSignal
	opWait
)

// command is one entry of a recording. The kind `op` determines which members are used.
type command struct {
	op op

	// A dispatch has a kernel, the pipeline of the kernel or of its translated variant, and a grid.
	// `push` is the range of its push constants in Recorder.bytes. A Dry device has no pipeline.
	kernel   *kernel
	pipeline *pipeline
	groups   Groups
	push     [2]int

	// A fill, copy, send or receive has addresses, and the size in bytes. A fill and a send use
	// only `dst`, a receive uses only `src`. A post (to an Exchange) has a byte of the exchange as
	// `dst`, and a take (from an Exchange) has a byte of the exchange as `src`.
	dst, src uint64
	size     uint64

	word     uint32     // the value that a fill writes, or the number of a send or receive
	cost     float64    // the caller's estimate of the work, in flops or bytes; 0 without an estimate
	phase    *phaseMark // of a phase mark: the phase that begins
	exchange *Exchange  // of a post or take
	event    *Event     // of a signal or wait
}

type phaseMark struct {
	name        string
	done, total float64
}

func (c *command) name() string {
	if c.op == opDispatch {
		return c.kernel.name
	}
	return opNames[c.op]
}

var opNames = [...]string{
	opBarrier: "barrier", opFill: "fill", opCopy: "copy", opPhase: "phase", opSend: "send", opReceive: "receive",
	opPost: "post", opTake: "take", opSignal: "signal", opWait: "wait",
}

// Recorder collects commands. A full barrier of compute and transfer separates any two commands.
// The methods Concurrently and Beside are exceptions. A recording consists of plain values. A
// program can print and compare recordings, and run a recording without events any number of times,
// but not in two Runs at the same time.
type Recorder struct {
	dev        *Device
	cmds       []command
	bytes      []byte      // push constants of all dispatches
	staged     []staged    // numbers of sends and receives
	uploads    []bulk      // before the commands
	downloads  []bulk      // after them
	empty      bool        // the last Dispatch had no workgroups
	concurrent *concurrent // nil outside of Concurrently
	beside     *concurrent // the commands of Beside that have no barrier yet; nil if there are none

	variants map[*kernel]*pipeline // that translate addresses, with those that could not be compiled
}

func NewRecorder(d *Device) *Recorder { return &Recorder{dev: d} }

// Len is the number of commands, including barriers and phase marks.
func (r *Recorder) Len() int { return len(r.cmds) }

// Phase names the phase of the commands that follow. `done` is the work of the commands before this
// mark, and `total` is the work of the whole recording, both in any unit. After each batch, Run
// reports `done` and `total` of the last mark that it has passed (Progress).
func (r *Recorder) Phase(name string, done, total float64) {
	r.cmds = append(r.cmds, command{op: opPhase, phase: &phaseMark{name, done, total}})
}

// Costs adds an estimate of the work to the last command. The estimate is in flops or in bytes
// moved, whichever takes longer. Run chooses the size of batches by these estimates. A command
// without an estimate counts as a command without work. After a Dispatch without workgroups, which
// records nothing, Costs does nothing.
func (r *Recorder) Costs(estimate float64) {
	if r.empty {
		return
	}
	for i := len(r.cmds) - 1; i >= 0; i-- {
		if r.cmds[i].op != opBarrier {
			r.cmds[i].cost = estimate
			return
		}
	}
}

// Estimates lists the estimate of each dispatch, in the order of the recording, for tests. Without
// a call of Costs it is 0.
func (r *Recorder) Estimates() []float64 {
	var all []float64
	for _, c := range r.cmds {
		if c.op == opDispatch {
			all = append(all, c.cost)
		}
	}
	return all
}

// mostMoved is the largest number of bytes that one command fills or copies. A device that moves 20
// GB per second takes 54 ms for a copy of so many bytes. mostMoved is a multiple of the size of
// every element.
const mostMoved = 1 << 29

// Fill sets every 32-bit word of s to `word`. It records several commands if s is very large. It
// panics if s does not consist of whole words.
func Fill[T any](r *Recorder, s Slice[T], word uint32) {
	at := s.span()
	if at.from%4 != 0 || at.to%4 != 0 {
		panic("vk: Fill of a part of a word")
	}
	for from := at.from; from < at.to; from += mostMoved {
		size := min(mostMoved, at.to-from)
		r.add(command{op: opFill, dst: from, size: size, word: word, cost: float64(size)}, []access{{span{from, from + size}, true}})
	}
}

// Copy copies min(len(dst), len(src)) elements. It records several commands if there are very many.
// It panics if the ranges overlap.
func Copy[T any](r *Recorder, dst, src Slice[T]) {
	n := min(dst.n, src.n)
	d, s := dst.Sub(0, n).span(), src.Sub(0, n).span()
	if r.dev.memory(d).touches(r.dev.memory(s)) {
		panic("vk: Copy between overlapping slices")
	}
	for at := uint64(0); at < d.to-d.from; at += mostMoved {
		size := min(mostMoved, d.to-d.from-at)
		to, from := d.from+at, s.from+at
		r.add(command{op: opCopy, dst: to, src: from, size: size, cost: 2 * float64(size)},
			[]access{{span{to, to + size}, true}, {span{from, from + size}, false}})
	}
}

// dispatch records one run of a kernel, and copies the bytes of `push`. If the push block has a
// virtual address, the translated variant of the kernel runs.
func (r *Recorder) dispatch(k *kernel, g Groups, push []byte, touch []Touch) {
	var acc []access
	if r.concurrent != nil || r.beside != nil {
		acc = declared(k, push, touch)
	}
	pipeline := k.pipeline
	if k.isVirtual(push) {
		pipeline, push = r.translated(k, push)
	}
	from := len(r.bytes)
	r.bytes = append(r.bytes, push...)
	r.add(command{op: opDispatch, kernel: k, pipeline: pipeline, groups: g, push: [2]int{from, len(r.bytes)}}, acc)
}

// add appends a command, which accesses the memory `acc`, and a barrier. Inside of Concurrently the
// barrier follows the last command instead. `add` panics if two concurrent commands access the same
// memory and at least one of them writes it.
func (r *Recorder) add(c command, acc []access) {
	r.empty = false
	r.cmds = append(r.cmds, c)
	if r.concurrent != nil {
		r.concurrent.check(c, acc)
		return
	}
	if r.beside != nil {
		r.takeBeside().check(c, acc)
	}
	r.cmds = append(r.cmds, command{op: opBarrier})
}

func addrAt(push []byte, f spirv.PushField) uint64 {
	return binary.LittleEndian.Uint64(push[f.Offset:])
}
