package vk

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// chunk is one device buffer of an arena. It holds the arena's virtual offsets from `from`,
// inclusive, to from+size, exclusive, in bytes.
type chunk struct {
	arena *Arena

	// buffer is nil on a Dry device.
	buffer *driver.Buffer

	// base is the device address of the buffer's first byte, and `from` is the virtual offset of
	// that byte in the arena. `size` is the number of bytes.
	base, from, size uint64
}

// address returns the device address of the byte at the virtual offset `off` of the arena. `off`
// must lie in this chunk or at its end: from ≤ off ≤ from+size.
func (c *chunk) address(off uint64) uint64 { return c.base + off - c.from }

// at is the distance of a device address from the beginning of this buffer, in bytes. The address
// must lie in the buffer.
func (c *chunk) at(addr uint64) uint64 { return addr - c.base }

// words is the whole buffer as a slice of 32-bit words. The buffer's size is a multiple of the
// alignment of regions, so no byte is left out.
func (c *chunk) words() Slice[uint32] { return Slice[uint32]{c, c.base, int(c.size / 4)} }

// nameOf returns a device address as text: the name of the region that holds the address, and the
// distance from the beginning of the region in bytes (region+offset).
func (c *chunk) nameOf(addr uint64) string {
	off, names := c.from+c.at(addr), c.arena.names
	i := sort.Search(len(names), func(i int) bool { return names[i].Offset > off }) - 1
	if i < 0 {
		return "?"
	}
	if r := names[i]; off > r.Offset {
		return fmt.Sprintf("%s+%d", r.Name, off-r.Offset)
	}
	return names[i].Name
}

// addChunks adds an arena to d.arenas, and its chunks to d.chunks, the list that the method `find`
// searches. d.chunks is sorted by address. Addresses of open chunks do not overlap.
func (d *Device) addChunks(a *Arena) {
	d.arenasLock.Lock()
	defer d.arenasLock.Unlock()
	d.arenas = append(d.arenas, a)
	d.chunks = append(d.chunks, a.chunks...)
	slices.SortFunc(d.chunks, func(x, y *chunk) int { return cmp.Compare(x.base, y.base) })
}

// dropChunks removes an arena from d.arenas, and its chunks from d.chunks, the list that the method
// `find` searches. It tells whether the arena was in the list. The chunks keep their memory, which
// the caller frees.
func (d *Device) dropChunks(a *Arena) bool {
	d.arenasLock.Lock()
	defer d.arenasLock.Unlock()
	i := slices.Index(d.arenas, a)
	if i < 0 {
		return false
	}
	d.arenas = slices.Delete(d.arenas, i, i+1)
	d.chunks = slices.DeleteFunc(d.chunks, func(c *chunk) bool { return c.arena == a })
	return true
}

// openArenas lists the arenas that are not closed. The list is a copy.
func (d *Device) openArenas() []*Arena {
	d.arenasLock.Lock()
	defer d.arenasLock.Unlock()
	return slices.Clone(d.arenas)
}

// find returns the chunk, that is the arena's buffer, which holds a device address. The result is
// nil if no open arena has the address. Recordings contain only addresses, but the Vulkan commands
// for fills and copies need the buffer.
func (d *Device) find(addr uint64) *chunk {
	d.arenasLock.Lock()
	defer d.arenasLock.Unlock()
	i := sort.Search(len(d.chunks), func(i int) bool { return d.chunks[i].base > addr }) - 1
	if i < 0 || addr >= d.chunks[i].base+d.chunks[i].size {
		return nil
	}
	return d.chunks[i]
}

// nameOf returns a device address as text: the name of its region and the distance from the
// beginning of the region in bytes (region+offset). If no open arena has the address, the text says
// so.
func (d *Device) nameOf(addr uint64) string {
	if addr == 0 {
		return "–"
	}
	if c := d.find(addr); c != nil {
		return c.nameOf(addr)
	}
	return "outside"
}
