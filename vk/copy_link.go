package vk

import (
	"fmt"
	"sync"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// The host memory of a Link has linkPieces pieces of linkBytes bytes. If a device cannot import
// host memory, the Link has this memory twice.
const (
	linkPieces   = 4
	linkBytes    = 16 << 20 // bytes of a piece
	linkCommands = 4096     // largest number of columns in a piece: each takes a copy command
)

// Link copies matrices from the memory of one device to the memory of another device (Move). The
// copies go in pieces through memory of the host. If both devices can import host memory
// (VK_EXT_external_memory_host), both use the same host memory. Otherwise each device has host
// memory of its own, and the host copies from one to the other.
//
// The copies have command buffers of their own and do not hold the device's queue. They can
// therefore run between the batches of a Run on one of the devices.
//
// The caller closes the link before the devices.
type Link struct {
	memory   *Exchange // of the two devices: the pieces, one after another
	from, to *linkEnd
	piece    int        // bytes of a piece
	busy     sync.Mutex // held by the Move in flight
}

type linkEnd struct {
	*hostView // of the link's memory
	batches   [linkPieces]*driver.Batch
	timeline  *driver.Timeline
	value     uint64 // value of the timeline when all copies submitted so far have ended
}

// NewLink makes a link from one device to another. The link takes 64 MiB of host memory, or 128 MiB
// if one of the devices cannot import host memory. `from` and `to` may be the same device. The
// error is a *DeviceError.
func NewLink(from, to *Device) (*Link, error) { return newLink(from, to, linkBytes) }

func newLink(from, to *Device, piece int) (*Link, error) {
	leave, err := enterAll(from, to)
	if err != nil {
		return nil, err
	}
	defer leave()
	x, err := NewExchange([]*Device{from, to}, linkPieces*piece)
	if err != nil {
		return nil, err
	}
	l := &Link{memory: x, from: &linkEnd{hostView: x.views[0]}, to: &linkEnd{hostView: x.views[1]}, piece: piece}
	for _, e := range l.ends() {
		if err := e.open(); err != nil {
			l.free()
			return nil, &DeviceError{e.dev, err}
		}
	}
	return l, nil
}

func (l *Link) ends() []*linkEnd { return []*linkEnd{l.from, l.to} }

// Imported tells whether both devices read and write the same host memory. If not, the host copies
// between the memory of one device and that of the other.
func (l *Link) Imported() bool { return l.memory.Imported() }

// Close waits for a Move that is in flight, and releases the link. A second call of Close does
// nothing.
func (l *Link) Close() {
	l.busy.Lock()
	defer l.busy.Unlock()
	l.free()
}

func (l *Link) free() {
	for _, e := range l.ends() {
		e.dev.detach(e)
	}
	l.memory.Close()
}

func (e *linkEnd) open() (err error) {
	d := e.dev
	d.attach(e)
	e.timeline, err = d.dev.NewTimeline()
	for i := range e.batches {
		if err == nil {
			e.batches[i], err = d.dev.NewBatch(d.from.family, 1)
		}
	}
	return wrap("opening a link", "", "", err)
}

// release destroys the command buffers and the semaphore of this end of the link. It also works if
// the method `open` has failed. No copy of the link may be in flight.
func (e *linkEnd) release() {
	d := e.dev.dev
	for _, b := range e.batches {
		if b != nil {
			d.DestroyBatch(b)
		}
	}
	if e.timeline != nil {
		d.DestroyTimeline(e.timeline)
	}
	*e = linkEnd{hostView: e.hostView}
}

// submit starts copies in command buffer number i, which must not be in flight. It returns the
// value that the timeline semaphore reaches when these copies have ended.
func (e *linkEnd) submit(i int, copies []driver.Command) (value uint64, err error) {
	if err := e.dev.dev.Record(e.batches[i], copies, nil, 0); err != nil {
		return 0, wrap("recording the copies of a link", "", "", err)
	}
	if err := e.dev.submit(e.batches[i], e.timeline, e.value+1); err != nil {
		return 0, wrap("submitting the copies of a link", "", "", err)
	}
	e.value++
	return e.value, nil
}

func (e *linkEnd) await(value uint64) error {
	for {
		err := e.dev.dev.Wait(e.timeline, value, pollInterval)
		if err != driver.ErrTimeout {
			return wrap("waiting for the copies of a link", "", "", err)
		}
	}
}

// DeviceError is the error of one device in a call that uses several devices.
type DeviceError struct {
	Device *Device
	Err    error
}

// Error returns the device's number in the list of devices, its name, and the text of its error.
func (e *DeviceError) Error() string {
	info := e.Device.Info()
	return fmt.Sprintf("device %d, %s: %v", info.Index, info.Name, e.Err)
}

// Unwrap returns the error of the device.
func (e *DeviceError) Unwrap() error { return e.Err }
