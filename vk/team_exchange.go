package vk

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// Exchange is memory of the host through which recordings on several devices exchange numbers (Post
// and Take). If all devices can import host memory (VK_EXT_external_memory_host), all devices use
// the same memory, and the host copies nothing. Otherwise each device has host memory of its own.
// At the end of a batch the host copies the numbers that the batch has posted from this memory to
// the exchange. Before a batch it copies the numbers that the batch takes from the exchange to this
// memory.
//
// Events order the recordings. The caller closes the exchange before the devices, and after the end
// of all recordings that use it.
type Exchange struct {
	bytes int
	host  []byte // the numbers, if each device has memory of its own
	views []*hostView

	closing sync.Mutex // held by Close
}

// NewExchange makes an exchange of the given number of bytes, which may be 0, for the devices. The
// error is a *DeviceError.
func NewExchange(devices []*Device, bytes int) (*Exchange, error) {
	leave, err := enterAll(devices...)
	if err != nil {
		return nil, err
	}
	defer leave()
	x := &Exchange{bytes: bytes}
	all := !slices.ContainsFunc(devices, func(d *Device) bool { return !d.importsHost() })
	if all && x.importAll(devices) == nil {
		return x, nil
	}
	x.Close() // a driver may refuse an import for reasons of its own
	x.host = make([]byte, bytes)
	for _, d := range devices {
		v := x.add(d)
		if err := v.open(nil, max(bytes, 1)); err != nil { // Vulkan has no buffers of 0 bytes
			x.Close()
			return nil, &DeviceError{d, wrap("allocating the memory of an exchange", "", "", err)}
		}
	}
	return x, nil
}

// importAll allocates host memory that all devices import. After an error the caller calls Close.
func (x *Exchange) importAll(devices []*Device) error {
	memory, err := driver.NewHostMemory(x.bytes)
	if err != nil {
		return err
	}
	host := &importedHost{memory: memory}
	for _, d := range devices {
		err = errors.Join(err, x.add(d).open(host, x.bytes))
	}
	return err
}

func (x *Exchange) add(d *Device) *hostView {
	v := &hostView{dev: d}
	d.attach(v)
	x.views = append(x.views, v)
	return v
}

// Imported tells whether all devices read and write the same host memory.
func (x *Exchange) Imported() bool { return x.host == nil }

func (x *Exchange) Bytes() int { return x.bytes }

// Close releases the memory. A second call does nothing. No recording that uses it may be in
// flight.
func (x *Exchange) Close() {
	x.closing.Lock()
	defer x.closing.Unlock()
	for _, v := range x.views {
		v.dev.detach(v)
	}
	x.views, x.host = nil, nil
}

// view returns the view of the device. It panics if there is none, if `at` is not a multiple of 4,
// or if the bytes [at, at+size) are not in the exchange.
func (x *Exchange) view(d *Device, at, size int) *hostView {
	i := slices.IndexFunc(x.views, func(v *hostView) bool { return v.dev == d })
	if i < 0 || at < 0 || at%4 != 0 || size < 0 || at > x.bytes-size {
		panic(fmt.Sprintf("vk: %d bytes at %d of an exchange of %d bytes, closed or of other devices", size, at, x.bytes))
	}
	return x.views[i]
}

// exchangeCost is the cost of a byte that goes to or from the host, in the unit of Recorder.Costs.
// Two GPUs copied 60 GB/s: a byte took about 16·gpuCostSeconds.
const exchangeCost = 16

// Post records a copy of src to the exchange, from the byte `at` on. `at` is a multiple of 4. Until
// an event has told that the numbers were posted, no other command may use these bytes of the
// exchange.
func Post[T any](r *Recorder, x *Exchange, at int, src Slice[T]) {
	r.exchange(opPost, x, at, src.bytes())
}

// Take records a copy from the exchange, from the byte `at` on, to dst. It copies as many bytes as
// dst has. `at` is a multiple of 4. An event must tell that the numbers were posted: a Signal
// follows the Post, and in this recording a Wait for the same event comes before Take. The same
// holds if the Post is in this recording.
func Take[T any](r *Recorder, dst Slice[T], x *Exchange, at int) {
	r.exchange(opTake, x, at, dst.bytes())
}

func (r *Recorder) exchange(kind op, x *Exchange, at int, s Slice[byte]) {
	if s.n == 0 {
		return
	}
	x.view(r.dev, at, s.n) // it panics if there is none
	c := command{op: kind, dst: s.addr, src: uint64(at), size: uint64(s.n), cost: exchangeCost * float64(s.n), exchange: x}
	if kind == opPost {
		c.dst, c.src = c.src, c.dst
	}
	r.add(c, []access{{s.span(), kind == opTake}})
}

// hostCopy is a copy between the numbers of an exchange and the host memory of one device.
type hostCopy struct {
	numbers, own []byte
}

func (c hostCopy) toHost()   { copyParallel(c.numbers, c.own) }
func (c hostCopy) toDevice() { copyParallel(c.own, c.numbers) }

// exchanged returns the bytes of a Post or Take in the device's own buffer for the exchange. If the
// host has to copy the numbers between this buffer and the exchange, `exchanged` adds this copy to
// `list`.
func (e *encoder) exchanged(c *command, at uint64, list *[]hostCopy) []piece {
	x, own := c.exchange, c.exchange.view(e.run.dev, int(at), int(c.size)).buffer
	if !x.Imported() {
		*list = append(*list, hostCopy{x.host[at : at+c.size], own.Host[at : at+c.size]})
	}
	return []piece{{own, at, c.size}}
}
