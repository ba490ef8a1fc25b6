package vk

import (
	"fmt"
	"unsafe"
)

// staged is a small transfer in the middle of a recording: a command copies some numbers to or from
// the staging buffer. host is the caller's memory. It is read or written when the recording runs,
// not when it is recorded.
type staged struct {
	host []byte
	off  uint64 // place in the staging buffer, in bytes
}

// bulk is a transfer before or after a recording, of numbers that are too many for the staging
// buffer.
type bulk struct {
	host   []byte
	device Slice[byte]
}

// Send records a transfer of v to the beginning of dst. It does the same as Upload, but as part of
// the recording. v is read when Run begins. All numbers that one recording sends and receives may
// take at most 32 MiB. Send panics if there are more.
func Send[T any](r *Recorder, dst Slice[T], v []T) {
	at := dst.Sub(0, len(v)).span()
	if len(v) > 0 {
		c := command{op: opSend, dst: at.from, size: at.to - at.from, word: r.stage(bytesIn(v))}
		r.add(c, []access{{at, true}})
	}
}

// Receive records a transfer from the beginning of src to v. v holds the numbers when Run has
// returned without an error.
func Receive[T any](r *Recorder, v []T, src Slice[T]) {
	at := src.Sub(0, len(v)).span()
	if len(v) > 0 {
		c := command{op: opReceive, src: at.from, size: at.to - at.from, word: r.stage(bytesIn(v))}
		r.add(c, []access{{at, false}})
	}
}

// SendFirst is Send without the limit of 32 MiB. No command recorded so far may use dst. If v does
// not fit into the staging buffer, it is uploaded before the recording runs.
func SendFirst[T any](r *Recorder, dst Slice[T], v []T) {
	if r.canStage(bytesIn(v)) {
		Send(r, dst, v)
	} else {
		r.uploads = append(r.uploads, bulk{bytesIn(v), dst.Sub(0, len(v)).bytes()})
	}
}

// ReceiveLast is Receive without the limit of 32 MiB. No later command may change src. If v does
// not fit into the staging buffer, it is downloaded after the recording has run.
func ReceiveLast[T any](r *Recorder, v []T, src Slice[T]) {
	if r.canStage(bytesIn(v)) {
		Receive(r, v, src)
	} else {
		r.downloads = append(r.downloads, bulk{bytesIn(v), src.Sub(0, len(v)).bytes()})
	}
}

// nextStaged is the first free place in the staging buffer, in bytes.
func (r *Recorder) nextStaged() uint64 {
	if len(r.staged) == 0 {
		return 0
	}
	last := r.staged[len(r.staged)-1]
	return alignUp(last.off + uint64(len(last.host)))
}

// canStage tells whether these bytes still fit into the staging buffer.
func (r *Recorder) canStage(host []byte) bool {
	return r.nextStaged()+uint64(len(host)) <= stagingBytes
}

// stage reserves a place in the staging buffer for a transfer, and returns the transfer's number.
// Places do not overlap, so that all transfers of a recording can be in flight.
func (r *Recorder) stage(host []byte) uint32 {
	if !r.canStage(host) {
		panic(fmt.Sprintf("vk: more than %d bytes are sent and received in one recording", stagingBytes))
	}
	r.staged = append(r.staged, staged{host: host, off: r.nextStaged()})
	return uint32(len(r.staged) - 1)
}

// bytesIn returns the bytes of a slice of numbers, in the same memory.
func bytesIn[T any](v []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(zero)))
}

// stageSent copies the data that the recording sends to the staging buffer. The caller must have
// the queue, and nothing may be in flight.
func (r *run) stageSent() error {
	if len(r.rec.staged) == 0 {
		return nil
	}
	if err := r.dev.needStaging(); err != nil {
		return err
	}
	r.eachStaged(opSend, func(host, staging []byte) { copy(staging, host) })
	return nil
}

// takeReceived copies the data that the recording has received from the staging buffer. The
// commands of the recording must have ended.
func (r *run) takeReceived() {
	r.eachStaged(opReceive, func(host, staging []byte) { copy(host, staging) })
}

// eachStaged calls visit for each transfer of one kind, with its place in the staging buffer. The
// argument staging begins at the place of the transfer and may be longer than host.
func (r *run) eachStaged(kind op, visit func(host, staging []byte)) {
	for i := range r.rec.cmds {
		if c := &r.rec.cmds[i]; c.op == kind {
			s := r.rec.staged[c.word]
			visit(s.host, r.dev.staging.Host[s.off:])
		}
	}
}
