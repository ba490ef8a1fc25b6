package vk

import (
	"errors"
	"fmt"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// amdBuffer is the largest size of a buffer on AMD's GPUs, in bytes, if a layout allows this size.
// AMD's own drivers allow no larger buffers. Mesa's driver allows 4 GiB, but users of that driver
// have reported wrong reads from a buffer that crosses a multiple of 2³² bytes.
const amdBuffer = 2 << 30

// MaxRegion is the size of the largest region that the device can have, in bytes, or 0 if this size
// is not known. It is the smaller of MaxBuffer and MaxAllocation. For drivers that are known to
// allow larger allocations than MaxAllocation, it is MaxBuffer.
func (i Info) MaxRegion() uint64 {
	limit := i.MaxBuffer
	if i.MaxAllocation != 0 && !i.allocatesMore() {
		limit = lesser(limit, i.MaxAllocation)
	}
	return limit
}

// allocatesMore tells whether the driver is known to allow larger allocations than MaxAllocation.
// Vulkan permits a program to try them. NVIDIA's own driver allows ten times as much. NVK is Mesa's
// driver for the same GPUs.
func (i Info) allocatesMore() bool {
	return i.Family == "nvidia" && i.Driver != "NVK" || i.Family == "cpu"
}

// cell returns the size of the cells of a layout, in bytes. The offsets of a layout are divided
// into cells, and each cell becomes one device buffer. 0 means that the whole layout is one buffer.
func (i Info) cell(l *Layout) uint64 {
	limit := i.MaxRegion()
	if i.Family == "amd" && l.largest() <= amdBuffer {
		return lesser(limit, amdBuffer)
	}
	return limit
}

// lesser is the smaller of two limits. The value 0 means no limit.
func lesser(a, b uint64) uint64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

const workspace = "the workspace"

// On a Dry device a plan only forecasts its memory; on a real device it allocates the memory. Both
// devices call the method `fits` with the same Info, so a plan that fits the forecast can also be
// allocated. There are two exceptions: another process has taken memory in between, or the driver
// refuses an allocation that it guarantees.

// fits returns an *OutOfMemoryError if the device does not have `bytes` free for a placement, or if
// a region is larger than the device allows. For a Dry device the limits are those in its Info. If
// Info does not report the memory, the memory counts as unlimited.
func (d *Device) fits(p *placement, bytes uint64) error {
	_, free := d.Memory()
	if known := !d.dry || d.info.Memory > 0; known && bytes > free {
		return &OutOfMemoryError{What: workspace, Need: bytes, Free: free}
	}
	if r := p.tooLarge; r != nil {
		what := fmt.Sprintf("region %q of %s", r.name, workspace)
		return &OutOfMemoryError{What: what, Need: alignUp(r.bytes) + p.guard, Free: free, Limit: d.info.MaxRegion()}
	}
	return nil
}

// promiseKept returns the allocation size that the driver guarantees (MaxAllocation), if err says
// that the driver has refused a larger allocation. The caller may then try smaller buffers.
// Otherwise promiseKept returns 0.
func (d *Device) promiseKept(err error) uint64 {
	var full *OutOfMemoryError
	if d.dry || !errors.As(err, &full) || full.Limit != d.from.props.MaxAllocation {
		return 0
	}
	return full.Limit
}

// back allocates the device memory of a chunk, which is one buffer of an arena. On a Dry device it
// only assigns addresses.
func (d *Device) back(c *chunk) (err error) {
	if d.dry {
		// The addresses of two chunks are far apart, so that no chunk reaches into the next.
		const gap = 1 << 44
		c.base = gap * d.dryChunks.Add(1)
		return nil
	}
	c.buffer, err = d.newBuffer(c.size, driver.DeviceLocal, 0, false)
	if outOfMemory(err) {
		_, free := d.Memory()
		oom := &OutOfMemoryError{What: workspace, Need: c.arena.size, Free: free}
		if promised := d.from.props.MaxAllocation; c.size > promised {
			oom.Need, oom.Limit = c.size, promised
		}
		return oom
	}
	if err != nil {
		return wrap("allocating "+workspace, "", "", err)
	}
	c.base = c.buffer.Address
	return nil
}
