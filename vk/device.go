package vk

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/vkevd/vkevd/vk/internal/driver"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Device is an open device. Any number of goroutines may call its methods at the same time. Only
// one Run or transfer at a time holds the queue; further calls wait.
type Device struct {
	info Info
	opt  Options

	// dry is true if the device has no memory and runs nothing. Then `compiles` tells whether the
	// device has a driver. A device of Dry has no driver: in, from, dev, queue, control and staging
	// are not set. A device of OpenCompiler has a driver, but no queue and no control buffer.
	dry, compiles bool

	in   *driver.Instance
	from *candidate
	dev  *driver.Device

	usage   usage
	closing sync.Once

	pipes  pipelines
	probes probes

	// submitting is held during a submission to the Vulkan queue, and while the method `idle`
	// waits. Links submit copies without holding the queue.
	submitting sync.Mutex

	// Only the call that holds the device's queue may change the members from `queue` to `staging`.
	queue   queue
	control *driver.Buffer // the abort word, in memory that host and device see
	abort   uint64         // device address of the abort word
	aborted uint32         // value of the abort word
	staging *driver.Buffer // nil before it is first used
	bounds  *bounds        // nil unless Options.DebugShaders

	arenasLock sync.Mutex
	arenas     []*Arena
	chunks     []*chunk      // of all arenas, by address
	attached   []attachment  // open ends of links, and views of exchanges
	dryEnd     atomic.Uint64 // end of the last chunk of a Dry device, an address

	pages pages
}

// Dry makes a device without a driver. Layouts, arenas, kernels and recordings work as on the
// device that `info` describes. Run and transfers return an error.
func Dry(info Info) *Device {
	return &Device{info: info, dry: true, opt: Options{Logger: slog.New(slog.DiscardHandler)}}
}

func (d *Device) Info() Info { return d.info }

func (d *Device) IsDry() bool { return d.dry }

// Close waits for the calls in progress and releases everything, including open arenas. Calls that
// begin later fail with ErrClosed. A second call of Close does nothing.
func (d *Device) Close() error {
	if d.compiles {
		d.usage.close()
		d.closing.Do(d.release)
	}
	return nil
}

// release destroys everything, also on a device that Open has made only in part. No call may be in
// progress.
func (d *Device) release() {
	if d.dev != nil {
		if d.queue.value > 0 || len(d.attached) > 0 {
			d.idle()
		}
		for _, a := range d.attached {
			a.release()
		}
		for _, a := range d.openArenas() {
			a.free()
		}
		d.dev.FreeBuffer(d.staging)
		d.dev.FreeBuffer(d.control)
		d.dev.FreeBuffer(d.pages.buffer)
		if d.bounds != nil {
			d.dev.FreeBuffer(d.bounds.buffer)
		}
		d.queue.close(d)
		d.pipes.close(d)
		d.dev.Destroy()
	}
	d.drain()
	d.in.Destroy()
	d.in, d.dev = nil, nil
}

// Abort is the device address of a word that Run sets to 1 when its context ends. A kernel that
// waits for other workgroups or runs long reads the word repeatedly, and returns early if it is 1.
// Abort is 0 on a Dry device.
func (d *Device) Abort() spirv.Addr[uint32] { return spirv.Addr[uint32](d.abort) }

// setAbort writes the abort word, which running kernels read. It writes only a value that differs
// from the last one, because a store to device memory over a bus takes 0.2 ms. The caller holds the
// queue.
func (d *Device) setAbort(v uint32) {
	if d.aborted != v {
		d.aborted = v
		atomic.StoreUint32(word(d.control.Host), v)
	}
}

func (d *Device) drain() {
	for _, m := range d.in.Messages() {
		if m.Error {
			d.opt.Logger.Error(m.Text, "from", "validation")
		} else {
			d.opt.Logger.Warn(m.Text, "from", "validation")
		}
	}
}

func word(b []byte) *uint32 { return (*uint32)(unsafe.Pointer(&b[0])) }
