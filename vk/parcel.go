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
// recording sends and receives together may have stagingBytes (32 MiB).
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

// SendFirst is Send of any size, for numbers that are there before anything recorded needs their place: what does
// not travel in the recording any more comes before it, by an exchange of its own.
func SendFirst[T any](r *Recorder, dst Slice[T], v []T) {
	if r.holds(bytesIn(v)) {
		Send(r, dst, v)
	} else {
		r.before = append(r.before, freight{bytesIn(v), dst.Sub(0, len(v)).bytes()})
	}
}

// ReceiveLast is Receive of any size, for numbers that nothing recorded later changes: what does not travel in the
// recording any more follows it, by an exchange of its own.
func ReceiveLast[T any](r *Recorder, v []T, src Slice[T]) {
	if r.holds(bytesIn(v)) {
		Receive(r, v, src)
	} else {
		r.after = append(r.after, freight{bytesIn(v), src.Sub(0, len(v)).bytes()})
	}
}

// freight is what is too much for a parcel.
type freight struct {
	host   []byte
	device Slice[byte]
}

// next is where in the staging buffer the next parcel lies.
func (r *Recorder) next() uint64 {
	if len(r.parcels) == 0 {
		return 0
	}
	last := r.parcels[len(r.parcels)-1]
	return alignUp(last.off + uint64(len(last.host)))
}

// holds says whether there is room for another parcel.
func (r *Recorder) holds(host []byte) bool { return r.next()+uint64(len(host)) <= stagingBytes }

func (r *Recorder) pack(host []byte) uint32 {
	p := parcel{host: host, off: r.next()}
	if !r.holds(host) {
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
