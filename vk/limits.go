package vk

import (
	"errors"
	"fmt"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// amdBuffer is the size that buffers on AMD's GPUs should not exceed, in bytes. AMD's own drivers
// allow no more; Mesa's allows 4 GiB, but a buffer that crosses a multiple of 2³² has been reported
// to read wrong there.
const amdBuffer = 2 << 30

// MaxRegion is the size of the largest region that the device can have, in bytes; 0 if that is not
// known. It is the smaller of MaxBuffer and MaxAllocation, but for drivers that are known to
// allocate more than they promise.
func (i Info) MaxRegion() uint64 {
	limit := i.MaxBuffer
	if i.MaxAllocation != 0 && !i.allocatesMore() {
		limit = lesser(limit, i.MaxAllocation)
	}
	return limit
}

// allocatesMore tells whether the driver is known to allocate more than MaxAllocation. Vulkan
// allows to try that, and NVIDIA's own driver gives ten times as much. Mesa's for the same GPUs is
// NVK.
func (i Info) allocatesMore() bool {
	return i.Family == "nvidia" && i.Driver != "NVK" || i.Family == "cpu"
}

// cell is the size of the buffers that a layout is cut into; 0 stands for a single one.
func (i Info) cell(l *Layout) uint64 {
	limit := i.MaxRegion()
	if i.Family == "amd" && l.largest() <= amdBuffer {
		return lesser(limit, amdBuffer)
	}
	return limit
}

// lesser is the smaller of two limits; 0 is no limit.
func lesser(a, b uint64) uint64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

const workspace = "the workspace"

// A plan is a forecast on a Dry device and memory on a real one. Both ask fits, with the same Info,
// so that what the forecast accepts is allocated. There are two exceptions: another process has
// taken memory since, or the driver breaks its promise.

// fits returns an *OutOfMemoryError if the device has not `bytes` free for a placement, or if a
// region is larger than it allows. For a Dry device the limits are those in its Info; memory that
// Info does not tell is not limited.
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

// promiseKept is the size that the driver promises to allocate, if err says that it has refused a
// larger one; 0 otherwise. Smaller buffers may then be allocated.
func (d *Device) promiseKept(err error) uint64 {
	var full *OutOfMemoryError
	if d.dry || !errors.As(err, &full) || full.Limit != d.from.props.MaxAllocation {
		return 0
	}
	return full.Limit
}

// back gives a chunk its memory, on a Dry device addresses only.
func (d *Device) back(c *chunk) (err error) {
	if d.dry {
		// Addresses of two chunks are far apart, so that none reaches into the next.
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
