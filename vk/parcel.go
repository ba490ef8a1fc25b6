package vk

import (
	"fmt"
	"unsafe"
)

// parcel is a few numbers that travel between host and device in the middle of a recording.
type parcel struct {
	host []byte
	off  uint64 // in the staging buffer
}

// Send records that the numbers v come to the device, at the beginning of dst: what
// Upload does, without an exchange of its own. v is read when Run begins. All that one
// recording sends and receives together may have stagingBytes (64 MiB).
func Send[T any](r *Recorder, dst Slice[T], v []T) {
	at := dst.Sub(0, len(v)).span()
	if len(v) > 0 {
		r.add(command{op: opSend, dst: at.from, size: at.to - at.from, word: r.pack(bytesIn(v))}, []access{{at, true}})
	}
}

// Receive records that v receives the beginning of src. It has it when Run returns without an error.
func Receive[T any](r *Recorder, v []T, src Slice[T]) {
	at := src.Sub(0, len(v)).span()
	if len(v) > 0 {
		r.add(command{op: opReceive, src: at.from, size: at.to - at.from, word: r.pack(bytesIn(v))}, []access{{at, false}})
	}
}

func (r *Recorder) pack(host []byte) uint32 {
	p := parcel{host: host}
	if n := len(r.parcels); n > 0 {
		p.off = alignUp(r.parcels[n-1].off + uint64(len(r.parcels[n-1].host)))
	}
	if p.off+uint64(len(host)) > stagingBytes {
		panic(fmt.Sprintf("vk: more than %d bytes travel in one recording", stagingBytes))
	}
	r.parcels = append(r.parcels, p)
	return uint32(len(r.parcels) - 1)
}

// bytesIn views numbers as their bytes.
func bytesIn[T any](v []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(zero)))
}

// post puts what a recording sends into the staging buffer.
func (r *run) post() error {
	if len(r.rec.parcels) == 0 {
		return nil
	}
	if err := r.dev.needStaging(); err != nil {
		return err
	}
	r.mail(opSend, func(host, staged []byte) { copy(staged, host) })
	return nil
}

// fetch takes what a recording received out of it.
func (r *run) fetch() {
	r.mail(opReceive, func(host, staged []byte) { copy(host, staged) })
}

func (r *run) mail(kind op, move func(host, staged []byte)) {
	for i := range r.rec.cmds {
		if c := &r.rec.cmds[i]; c.op == kind {
			p := r.rec.parcels[c.word]
			move(p.host, r.dev.staging.Host[p.off:])
		}
	}
}
