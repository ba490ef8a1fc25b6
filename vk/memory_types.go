package vk

import (
	"slices"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// knownMemory is the set of properties of memory types that this package knows. A type with any
// other property is never used. For example, AMD's drivers list slow memory types for debugging
// that need an additional feature.
const knownMemory = driver.DeviceLocal | driver.HostVisible | driver.HostCoherent | driver.HostCached

// Memory returns the size of the largest heap that arenas can use, in bytes, and the driver's
// estimate of its free part, or the size again if the driver gives no estimate. For a closed or Dry
// device, both numbers are those of its Info.
func (d *Device) Memory() (total, free uint64) {
	if d.dry || d.usage.enter() != nil {
		return d.info.Memory, d.info.Free
	}
	defer d.usage.leave()
	heaps, _ := d.from.memory()
	return d.from.largestHeap(heaps)
}

// memory reads the memory heaps, with their free memory at this moment, and the memory types.
func (c *candidate) memory() ([]driver.Heap, []driver.MemoryType) {
	return c.physical.Memory(slices.Contains(c.extensions, driver.MemoryBudgetExtension))
}

// largestHeap returns the sizes of the largest heap that arenas can use and of its free part, or 0.
func (c *candidate) largestHeap(heaps []driver.Heap) (total, free uint64) {
	for _, h := range heaps {
		if (h.Local || c.systemMemory()) && h.Bytes > total {
			total, free = h.Bytes, h.Free
		}
	}
	return total, free
}

// systemMemory tells whether arenas may lie outside of the device's own memory. An integrated GPU
// reads all memory at the same speed, and its own memory is often small.
func (c *candidate) systemMemory() bool { return c.props.Type == driver.Integrated }

// newControl allocates a buffer that device and host use at the same time, if possible in the
// device's own memory.
func (d *Device) newControl(size uint64) (*driver.Buffer, error) {
	return d.newBuffer(size, driver.HostVisible|driver.HostCoherent, driver.DeviceLocal, true)
}

// newBuffer allocates a buffer in a memory type that has all properties in `need`, and if possible
// those in `prefer`. If `mapped` is true, the host can access the buffer. The error is the driver's
// error, or OutOfMemory if no type has the properties.
func (d *Device) newBuffer(size uint64, need, prefer uint32, mapped bool) (*driver.Buffer, error) {
	types := d.from.memoryTypes(size, need, prefer)
	if len(types) == 0 {
		return nil, &driver.Error{Call: "vkAllocateMemory", Result: driver.OutOfMemory}
	}
	return d.dev.NewBuffer(size, types, mapped)
}

// memoryTypes lists the memory types for a buffer of `size` bytes that have the properties in
// `need`. Types that also have those in `prefer` come first. If `need` is DeviceLocal, other types
// that are visible to the host come last on an integrated GPU. A type with unknown properties is
// left out. So is a type whose heap is smaller than the buffer, because Vulkan forbids such an
// allocation.
func (c *candidate) memoryTypes(size uint64, need, prefer uint32) []int {
	var first, rest, last []int
	for i, t := range c.types {
		switch {
		case t.Flags&^knownMemory != 0 || c.heaps[t.Heap].Bytes < size:
		case t.Flags&need != need:
			if need == driver.DeviceLocal && c.systemMemory() && t.Flags&driver.HostVisible != 0 {
				last = append(last, i)
			}
		case t.Flags&prefer == prefer:
			first = append(first, i)
		default:
			rest = append(rest, i)
		}
	}
	return slices.Concat(first, rest, last)
}
