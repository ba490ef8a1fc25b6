package vk

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// These are the sizes of a Link. Its host memory is linkPieces·linkBytes.
const (
	linkPieces   = 4
	linkBytes    = 16 << 20 // bytes of a piece
	linkCommands = 4096     // largest number of copy commands of a piece, for each device
)

// Link copies matrices from the memory of one device to the memory of another, in pieces and through
// memory of the host (Move). If both devices can import host memory (VK_EXT_external_memory_host),
// they read and write the same memory. Otherwise each device has host memory of its own, and the
// host copies from one to the other.
//
// The copies have command buffers of their own and do not take the queue. So they run between the
// batches of a Run on one of the devices.
//
// The caller closes the link before the devices.
type Link struct {
	from, to *linkEnd
	piece    int                // bytes of a piece
	shared   *driver.HostMemory // imported by both devices; nil if each has memory of its own
	busy     sync.Mutex         // held by the Move in flight
}

// linkEnd is the part of a link on one device.
type linkEnd struct {
	dev      *Device
	buffer   *driver.Buffer // the pieces, one after another
	batches  [linkPieces]*driver.Batch
	timeline *driver.Timeline
	value    uint64 // value of the timeline when all copies submitted so far have ended
}

// NewLink makes a link from one device to another, with 64 MiB of host memory, or 128 MiB if a device
// cannot import it. Both may be the same device. The error is a *DeviceError.
func NewLink(from, to *Device) (*Link, error) { return newLink(from, to, linkBytes) }

// newLink is NewLink with pieces of the given number of bytes.
func newLink(from, to *Device, piece int) (*Link, error) {
	for _, d := range []*Device{from, to} {
		if d.dry {
			return nil, &DeviceError{d, errors.New("vk: a dry device has no memory")}
		}
		if err := d.usage.enter(); err != nil {
			return nil, &DeviceError{d, err}
		}
		defer d.usage.leave()
	}
	l := &Link{from: &linkEnd{dev: from}, to: &linkEnd{dev: to}, piece: piece}
	if from.importsHost() && to.importsHost() {
		if l.share() == nil {
			return l, nil
		}
		l.free() // a driver may refuse an import for reasons of its own
	}
	for _, e := range l.ends() {
		if err := e.open(nil, piece); err != nil {
			l.free()
			return nil, &DeviceError{e.dev, err}
		}
	}
	return l, nil
}

// share opens both ends with the same memory. After an error the caller calls free.
func (l *Link) share() (err error) {
	if l.shared, err = driver.NewHostMemory(linkPieces * l.piece); err != nil {
		return err
	}
	return errors.Join(l.from.open(l.shared, l.piece), l.to.open(l.shared, l.piece))
}

// importsHost tells whether the device can import host memory.
func (d *Device) importsHost() bool {
	return slices.Contains(d.from.extensions, driver.HostMemoryExtension)
}

// ends lists both ends.
func (l *Link) ends() []*linkEnd { return []*linkEnd{l.from, l.to} }

// Imported tells whether both devices read and write the same host memory.
func (l *Link) Imported() bool { return l.shared != nil }

// Close waits for the Move in flight and releases the link. A second call does nothing.
func (l *Link) Close() {
	l.busy.Lock()
	defer l.busy.Unlock()
	l.free()
}

// free releases both ends, and then the memory that they share.
func (l *Link) free() {
	for _, e := range l.ends() {
		e.close()
	}
	l.shared.Free()
	l.shared = nil
}

// open makes the end for pieces of the given number of bytes: with the shared memory, or with memory
// of its own if shared is nil. After an error the caller calls close.
func (e *linkEnd) open(shared *driver.HostMemory, piece int) (err error) {
	d := e.dev
	d.arenasLock.Lock()
	d.links = append(d.links, e)
	d.arenasLock.Unlock()
	const visible, cached = driver.HostVisible | driver.HostCoherent, driver.HostCached
	if shared != nil {
		e.buffer, err = d.dev.Import(shared, d.from.memoryTypes(uint64(len(shared.Bytes)), visible, cached))
	} else {
		e.buffer, err = d.newBuffer(uint64(linkPieces*piece), visible, cached, true)
	}
	if err == nil {
		e.timeline, err = d.dev.NewTimeline()
	}
	for i := range e.batches {
		if err == nil {
			e.batches[i], err = d.dev.NewBatch(d.from.family, 1)
		}
	}
	return wrap("opening a link", "", "", err)
}

// close releases the end. It does nothing after Device.Close, which has released it.
func (e *linkEnd) close() {
	d := e.dev
	if d.usage.enter() != nil {
		return
	}
	defer d.usage.leave()
	d.arenasLock.Lock()
	d.links = slices.DeleteFunc(d.links, func(x *linkEnd) bool { return x == e })
	d.arenasLock.Unlock()
	e.release()
}

// release destroys what open has made, completely or in part. No copy may be in flight.
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
	d.FreeBuffer(e.buffer)
	*e = linkEnd{dev: e.dev}
}

// submit starts the copies of piece number i, and returns the value that the timeline has when they
// have ended. The batch of the piece must not be in flight.
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

// await waits until the timeline has reached value.
func (e *linkEnd) await(value uint64) error {
	for {
		err := e.dev.dev.Wait(e.timeline, value, pollInterval)
		if err != driver.ErrTimeout {
			return wrap("waiting for the copies of a link", "", "", err)
		}
	}
}

// DeviceError is an error of one device in a call that uses several.
type DeviceError struct {
	Device *Device
	Err    error
}

// Error names the device, with its number in the list of devices.
func (e *DeviceError) Error() string {
	info := e.Device.Info()
	return fmt.Sprintf("device %d, %s: %v", info.Index, info.Name, e.Err)
}

// Unwrap returns the error of the device.
func (e *DeviceError) Unwrap() error { return e.Err }
