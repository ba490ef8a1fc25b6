package vk

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/vkevd/vkevd/vk/internal/driver"
	"github.com/vkevd/vkevd/vk/spirv"
)

// amdBuffer is the largest size of a buffer on AMD's GPUs, in bytes. AMD's own drivers allow no
// larger buffers. Mesa's driver allows 4 GiB, but its users have reported wrong reads beyond 2 GiB,
// and from a buffer that crosses a multiple of 2³² bytes.
const amdBuffer = 2 << 30

// MaxRegion is the size of the largest region that lies in one buffer, in bytes, or 0 if this size
// is not known. Larger regions are paged. MaxRegion is the smaller of MaxBuffer and MaxAllocation.
// For drivers that are known to allow larger allocations than MaxAllocation, it is MaxBuffer. On
// AMD's GPUs it is at most 2 GiB.
func (i Info) MaxRegion() uint64 {
	limit := i.MaxBuffer
	if i.MaxAllocation != 0 && !i.allocatesMore() {
		limit = lesser(limit, i.MaxAllocation)
	}
	if i.Family == "amd" {
		limit = lesser(limit, amdBuffer)
	}
	return limit
}

// allocatesMore tells whether the driver is known to allow larger allocations than MaxAllocation.
// Vulkan permits a program to try them. NVIDIA's own driver allows ten times as much. NVK is Mesa's
// driver for the same GPUs.
func (i Info) allocatesMore() bool {
	return i.Family == "nvidia" && i.Driver != "NVK" || i.Family == "cpu"
}

// A page has P/pageShare bytes, where P is the largest power of two that is at most the largest
// size of a buffer. With a larger pageShare, a buffer can be closer to the device's limit, but the
// page table is larger.
const pageShare = 16

// page is the size of a page of the device's page table, in bytes: a power of two, and at least the
// alignment of regions. All buffers of a paged arena except the last one consist of whole pages,
// even after the driver has refused buffers larger than MaxAllocation. For a device without known
// limits, page is 0.
func (i Info) page() uint64 {
	least := lesser(i.MaxBuffer, i.MaxAllocation)
	if i.Family == "amd" {
		least = lesser(least, amdBuffer)
	}
	if least == 0 {
		return 0
	}
	return max(uint64(1)<<(bits.Len64(least)-1)/pageShare, alignment)
}

// place computes the placement of a layout on the device, in buffers of at most `limit` bytes, if
// `free` bytes of memory are free. If `free` is too small for the gaps at the ends of the buffers,
// the placement is dense. It then needs as much memory as in one buffer, and more regions may be
// paged. If even one buffer does not fit, the result is the placement in one buffer, which no
// caller allocates.
func (d *Device) place(l *Layout, limit, guard, free uint64) *placement {
	one := l.place(0, guard, false)
	if one.bytes() > free {
		return one
	}
	page := d.info.page()
	p := l.place(limit, guard, false)
	if p.paged {
		p = l.place(limit&^(page-1), guard, false)
	}
	if p.bytes() > one.bytes() && p.bytes() > free {
		p = l.place(limit&^(page-1), guard, true)
	}
	return p
}

// lesser is the smaller of two limits. The value 0 means no limit.
func lesser(a, b uint64) uint64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

const workspace = "the workspace"

// freeBytes returns the free memory of the device, in bytes. A caller that allocates must call it
// once, because the amount may change between two calls. For a Dry device the result is that in its
// Info. If Info does not report the memory, the memory counts as unlimited.
//
// A plan on a Dry device therefore fits if and only if it fits the real device, with two
// exceptions: another process has taken memory in between, or the driver refuses an allocation that
// it guarantees.
func (d *Device) freeBytes() uint64 {
	if d.dry && d.info.Memory == 0 {
		return math.MaxUint64
	}
	_, free := d.Memory()
	return free
}

// promiseKept returns MaxAllocation, the size that the driver guarantees, if err says that the
// driver has refused a larger allocation, so smaller buffers may succeed. Otherwise it returns 0.
func (d *Device) promiseKept(err error) uint64 {
	var full *OutOfMemoryError
	if d.dry || !errors.As(err, &full) || full.Limit != d.from.props.MaxAllocation {
		return 0
	}
	return full.Limit
}

// back allocates the device memory of a chunk. On a Dry device it only assigns addresses.
func (d *Device) back(c *chunk) (err error) {
	if d.dry {
		// The addresses of two chunks are far apart, so that no chunk reaches into the next.
		const gap = 1 << 32
		c.base = d.dryEnd.Add(c.size+gap) - c.size
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
	if spirv.Virtual(c.base) {
		d.dev.FreeBuffer(c.buffer)
		return fmt.Errorf("vk: a buffer has the address %#x, which looks like a virtual address", c.base)
	}
	return nil
}
