package vk

import (
	"slices"
	"sync/atomic"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// importedHost is host memory that all devices of an Exchange have imported. The memory is freed
// when all its views are released. If a device is being closed at the same time as the exchange,
// its view may be released after the exchange is closed.
type importedHost struct {
	memory *driver.HostMemory
	views  atomic.Int32 // that are not released
}

// hostView is the buffer by which one device sees the memory of an Exchange.
type hostView struct {
	dev      *Device
	imported *importedHost  // memory of the buffer; nil if the device has memory of its own
	buffer   *driver.Buffer // nil if the view is not open
}

// open makes the buffer of `size` bytes. If `imported` is not nil, the buffer uses this host
// memory. Otherwise the device gets host memory of its own. The caller has entered the device and
// attached the view, which it detaches after an error.
func (v *hostView) open(imported *importedHost, size int) (err error) {
	d := v.dev
	const visible, cached = driver.HostVisible | driver.HostCoherent, driver.HostCached
	if v.imported = imported; imported != nil {
		imported.views.Add(1)
		v.buffer, err = d.dev.Import(imported.memory, d.from.memoryTypes(uint64(len(imported.memory.Bytes)), visible, cached))
	} else {
		v.buffer, err = d.newBuffer(uint64(size), visible, cached, true)
	}
	return err
}

// release frees the buffer. It also works if the method `open` has failed.
func (v *hostView) release() {
	v.dev.dev.FreeBuffer(v.buffer)
	if v.imported != nil && v.imported.views.Add(-1) == 0 {
		v.imported.memory.Free()
	}
	*v = hostView{dev: v.dev}
}

// attachment is something that Device.Close must release, if nobody has done so before.
type attachment interface{ release() }

func (d *Device) attach(a attachment) {
	d.arenasLock.Lock()
	defer d.arenasLock.Unlock()
	d.attached = append(d.attached, a)
}

// detach releases an attachment that the device knows. After the beginning of Device.Close it does
// nothing, because Close releases all attachments.
func (d *Device) detach(a attachment) {
	if d.usage.enter() != nil {
		return
	}
	defer d.usage.leave()
	d.arenasLock.Lock()
	i := slices.Index(d.attached, a)
	if i >= 0 {
		d.attached = slices.Delete(d.attached, i, i+1)
	}
	d.arenasLock.Unlock()
	if i >= 0 {
		a.release()
	}
}

func (d *Device) importsHost() bool {
	return slices.Contains(d.from.extensions, driver.HostMemoryExtension)
}

// enterAll begins a call that uses the memory of all these devices. After an error, a *DeviceError,
// no device is entered. Otherwise the caller must call `leave`.
func enterAll(devices ...*Device) (leave func(), err error) {
	entered := 0
	leave = func() {
		for _, d := range devices[:entered] {
			d.usage.leave()
		}
	}
	for _, d := range devices {
		err := errNoMemory
		if !d.dry {
			err = d.usage.enter()
		}
		if err != nil {
			leave()
			return nil, &DeviceError{d, err}
		}
		entered++
	}
	return leave, nil
}
