package vk

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/vkevd/vkevd/vk/internal/driver"
	"github.com/vkevd/vkevd/vk/spirv"
)

// chunk is one device buffer of an arena. It holds the virtual offsets [from, from+size), in bytes.
type chunk struct {
	arena            *Arena
	buffer           *driver.Buffer // nil on a Dry device
	base, from, size uint64         // base is the device address of the buffer's first byte
}

// address returns the device address of the virtual offset `off`, where from ≤ off ≤ from+size.
func (c *chunk) address(off uint64) uint64 { return c.base + off - c.from }

// words is the whole buffer. Its size is a multiple of the regions' alignment, so no byte is left
// out.
func (c *chunk) words() Slice[uint32] { return Slice[uint32]{c.arena, c.base, int(c.size / 4)} }

// addChunks adds an arena to d.arenas, and its chunks to d.chunks, which stays sorted by address.
func (d *Device) addChunks(a *Arena) {
	d.arenasLock.Lock()
	defer d.arenasLock.Unlock()
	d.arenas = append(d.arenas, a)
	d.chunks = append(d.chunks, a.chunks...)
	slices.SortFunc(d.chunks, func(x, y *chunk) int { return cmp.Compare(x.base, y.base) })
}

// dropChunks removes what addChunks has added, and tells if it was there. The caller frees the
// memory.
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

func (d *Device) openArenas() []*Arena {
	d.arenasLock.Lock()
	defer d.arenasLock.Unlock()
	return slices.Clone(d.arenas)
}

// find returns the chunk that holds an address, which may be virtual, and the distance in bytes
// from the beginning of its buffer. The chunk is nil if no open arena has the address. Recordings
// contain only addresses, but the Vulkan commands for fills and copies need the buffer.
func (d *Device) find(addr uint64) (c *chunk, at uint64) {
	d.arenasLock.Lock()
	defer d.arenasLock.Unlock()
	if spirv.Virtual(addr) {
		for _, a := range d.arenas {
			if a.base == 0 || addr < a.base {
				continue
			}
			cell := (addr - a.base) / a.limit
			if cell < uint64(len(a.chunks)) && addr-a.base-a.chunks[cell].from < a.chunks[cell].size {
				return a.chunks[cell], addr - a.base - a.chunks[cell].from
			}
		}
		return nil, 0
	}
	i := sort.Search(len(d.chunks), func(i int) bool { return d.chunks[i].base > addr }) - 1
	if i < 0 || addr >= d.chunks[i].base+d.chunks[i].size {
		return nil, 0
	}
	return d.chunks[i], addr - d.chunks[i].base
}

// piece is a range of `size` bytes in one buffer, from the offset `at` of the buffer on.
type piece struct {
	buffer   *driver.Buffer
	at, size uint64
}

// pieces lists the parts of buffers that hold the bytes [addr, addr+size), in the order of their
// addresses. All bytes must lie in one open arena: `pieces` panics if the arena is closed.
func (d *Device) pieces(addr, size uint64) (list []piece) {
	for size > 0 {
		c, at := d.find(addr)
		n := min(size, c.size-at)
		list = append(list, piece{c.buffer, at, n})
		addr, size = addr+n, size-n
	}
	return list
}

// nameOf returns an address as text: the name of its region, and the distance from the beginning of
// the region in bytes. An address that no open arena has is "outside", and the address 0 is "–".
func (d *Device) nameOf(addr uint64) string {
	if addr == 0 {
		return "–"
	}
	c, at := d.find(addr)
	if c == nil {
		return "outside"
	}
	off, names := c.from+at, c.arena.names
	i := sort.Search(len(names), func(i int) bool { return names[i].Offset > off }) - 1
	if i < 0 {
		return "?"
	}
	if r := names[i]; off > r.Offset {
		return fmt.Sprintf("%s+%d", r.Name, off-r.Offset)
	}
	return names[i].Name
}

// memory returns the range of the same bytes in the virtual addresses of their arena, if the arena
// has virtual addresses, and `s` otherwise. Two such ranges have common addresses if and only if
// they have common memory.
func (d *Device) memory(s span) span {
	if !spirv.Virtual(s.from) {
		if c, at := d.find(s.from); c != nil && c.arena.base != 0 {
			from := c.arena.base + c.from + at
			return span{from, from + s.to - s.from}
		}
	}
	return s
}
