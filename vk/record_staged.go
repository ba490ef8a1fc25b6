package vk

import (
	"context"
	"fmt"
	"unsafe"
)

// staged is a small transfer in the middle of a recording. A command copies some numbers to or from
// the staging buffer. `host` is the caller's memory, which is read or written when the recording
// runs, not when the transfer is recorded.
type staged struct {
	host []byte
	off  uint64 // place in the staging buffer, in bytes
}

// bulk is a transfer before or after a recording. Its numbers are too many for the staging buffer.
// The caller of the method `copy` holds the queue.
type bulk struct {
	host   []byte
	device Slice[byte]
}

func (b bulk) copy(ctx context.Context, up bool) error {
	c := copier{dev: b.device.in.dev, device: b.device, elem: 1, up: up}
	c.touch = func(half []byte, from, to int) {
		if up {
			copy(half, b.host[from:to])
		} else {
			copy(b.host[from:to], half)
		}
	}
	return c.all(ctx, len(b.host))
}

// Send records a transfer of v to the beginning of `dst`, as a command of the recording. The slice
// v is read when Run begins. All numbers that one recording sends and receives may take at most 32
// MiB. Send panics if they take more.
func Send[T any](r *Recorder, dst Slice[T], v []T) {
	at := dst.Sub(0, len(v)).span()
	if len(v) > 0 {
		c := command{op: opSend, dst: at.from, size: at.to - at.from, word: r.stage(bytesIn(v))}
		r.add(c, []access{{at, true}})
	}
}

// Receive records a transfer of len(v) elements from the beginning of `src` to v, which holds them
// after Run has returned without an error. The numbers count towards the limit of 32 MiB, as those
// of Send do.
func Receive[T any](r *Recorder, v []T, src Slice[T]) {
	at := src.Sub(0, len(v)).span()
	if len(v) > 0 {
		c := command{op: opReceive, src: at.from, size: at.to - at.from, word: r.stage(bytesIn(v))}
		r.add(c, []access{{at, false}})
	}
}

// SendFirst is Send without the limit of 32 MiB. The commands recorded so far must not use `dst`.
// If v does not fit into the staging buffer, or would leave no room there for the INFO words that
// later commands receive, v is uploaded before the recording runs.
func SendFirst[T any](r *Recorder, dst Slice[T], v []T) {
	if r.canStage(len(bytesIn(v)) + keptForWords) {
		Send(r, dst, v)
	} else {
		r.uploads = append(r.uploads, bulk{bytesIn(v), dst.Sub(0, len(v)).bytes()})
	}
}

// ReceiveLast is Receive without the limit of 32 MiB. Later commands must not change `src`. In the
// cases in which SendFirst uploads v, ReceiveLast downloads `src` after the recording has run.
func ReceiveLast[T any](r *Recorder, v []T, src Slice[T]) {
	if r.canStage(len(bytesIn(v)) + keptForWords) {
		Receive(r, v, src)
	} else {
		r.downloads = append(r.downloads, bulk{bytesIn(v), src.Sub(0, len(v)).bytes()})
	}
}

// nextStaged is the offset, in bytes, at which the next transfer of this recording begins in the
// staging buffer.
func (r *Recorder) nextStaged() uint64 {
	if len(r.staged) == 0 {
		return 0
	}
	last := r.staged[len(r.staged)-1]
	return alignUp(last.off + uint64(len(last.host)))
}

func (r *Recorder) canStage(bytes int) bool { return r.nextStaged()+uint64(bytes) <= stagingBytes }

// keptForWords is the part of the staging buffer, in bytes, that SendFirst and ReceiveLast leave
// free for later calls of Send and Receive, such as those for the INFO words of stages.
const keptForWords = 64 << 10

// stage reserves bytes of the staging buffer, and returns the transfer's number. No two transfers
// of a recording share bytes, so that all of them can be in flight.
func (r *Recorder) stage(host []byte) uint32 {
	if !r.canStage(len(host)) {
		panic(fmt.Sprintf("vk: more than %d bytes are sent and received in one recording", stagingBytes))
	}
	r.staged = append(r.staged, staged{host: host, off: r.nextStaged()})
	return uint32(len(r.staged) - 1)
}

func bytesIn[T any](v []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(zero)))
}

// stageSent fills the staging buffer with the data of all sends of the recording. Before that, it
// waits for uploads that still use the staging buffer. The caller holds the queue, and no batch may
// be in flight.
func (r *run) stageSent() error {
	if len(r.rec.staged) == 0 {
		return nil
	}
	if err := r.dev.needStaging(); err != nil {
		return err
	}
	if phase, sends := r.rec.firstSend(); sends {
		if err := r.dev.finishUploads(phase); err != nil {
			return err
		}
	}
	r.eachStaged(opSend, func(host, staging []byte) { copy(staging, host) })
	return nil
}

func (r *Recorder) firstSend() (phase string, sends bool) {
	for _, c := range r.cmds {
		switch c.op {
		case opPhase:
			phase = c.phase.name
		case opSend:
			return phase, true
		}
	}
	return "", false
}

// takeReceived copies received data to the caller's memory, after the commands have ended.
func (r *run) takeReceived() {
	r.eachStaged(opReceive, func(host, staging []byte) { copy(host, staging) })
}

// eachStaged visits each transfer of one kind. `staging` is the staging buffer from the transfer's
// first byte on, which may be longer than `host`, the caller's memory.
func (r *run) eachStaged(kind op, visit func(host, staging []byte)) {
	for i := range r.rec.cmds {
		if c := &r.rec.cmds[i]; c.op == kind {
			s := r.rec.staged[c.word]
			visit(s.host, r.dev.staging.Host[s.off:])
		}
	}
}
