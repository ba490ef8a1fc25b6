package vk

import (
	"cmp"
	"fmt"
	"slices"
)

// Arena is device memory for one Layout. Its regions lie in one buffer, or in several buffers if
// one would be larger than the device allows. Close and Device.Close release the memory.
//
// A region that lies in several buffers is paged: its Slice has virtual addresses. A kernel that
// gets a virtual address runs in a variant that translates each address by a page table. The
// variant is compiled when it is first recorded. All other regions have device addresses.
type Arena struct {
	dev *Device

	// chunks are the device buffers of the arena. The arena numbers its bytes by virtual offsets,
	// which are divided into cells of `limit` bytes. A chunk holds the part of one cell that is in
	// use. `size` is the sum of the buffers' sizes, in bytes.
	chunks []*chunk
	limit  uint64
	size   uint64

	// base is the virtual address at which the arena begins. It is 0 if no region is paged.
	base uint64

	// regions holds the place of each region. `table` lists the regions in the order of the layout,
	// and `names` in the order of their offsets. `guards` holds the addresses of the guard bytes
	// after regions that share no bytes.
	regions map[*Layout]named
	table   []Placed
	names   []named
	guards  []uint64
}

// named is a region of an arena, with its address.
type named struct {
	Placed
	addr uint64 // of the first byte, virtual if the region is paged
}

// NewArena allocates device memory for a layout. The error is an *OutOfMemoryError if the layout
// does not fit. On a Dry device nothing is allocated, but the error is that of the described
// device.
func (d *Device) NewArena(l *Layout) (*Arena, error) { return d.newArena(l, 0) }

// NewGuardedArena is NewArena with guard bytes after each region, for tests. Poison sets the guard
// bytes. CheckGuards then tells whether a kernel wrote past the end of a region that shares no
// bytes with other regions.
func (d *Device) NewGuardedArena(l *Layout) (*Arena, error) { return d.newArena(l, guardBytes) }

// Bytes returns the size of the device memory that an arena for the layout would take now.
// Arena.Bytes is the size of memory that is allocated.
func (d *Device) Bytes(l *Layout) uint64 { return d.forecast(l).bytes() }

// Table lists the regions of a layout with the offsets that they would have on this device now.
// Arena.Table lists regions that are allocated.
func (d *Device) Table(l *Layout) []Placed { return d.forecast(l).table() }

// forecast is the placement of a layout, without guard bytes. If the device limits the size of a
// buffer, the placement depends on the free memory at this moment.
func (d *Device) forecast(l *Layout) *placement {
	return d.place(l, d.info.MaxRegion(), 0, d.freeBytes())
}

// newArena allocates a layout with guard bytes after each region. It first tries buffers of at most
// Info.MaxRegion bytes, which may be more than Info.MaxAllocation, the size that the driver
// guarantees. If the driver refuses a larger buffer than it guarantees, newArena tries again with
// buffers of at most Info.MaxAllocation bytes.
func (d *Device) newArena(l *Layout, guard uint64) (*Arena, error) {
	if err := d.usage.enter(); err != nil {
		return nil, err
	}
	defer d.usage.leave()
	if d.opt.DebugShaders {
		l, guard = l.apart(), debugGap
	}
	a, err := d.allocateArena(l, guard, d.info.MaxRegion())
	if promised := d.promiseKept(err); promised != 0 {
		return d.allocateArena(l, guard, promised)
	}
	return a, err
}

// allocateArena allocates a layout in buffers of at most `limit` bytes, with guard bytes after each
// region. The error is an *OutOfMemoryError, or another *Error of the driver; nothing is then
// allocated. allocateArena panics if the layout contains a region twice.
func (d *Device) allocateArena(l *Layout, guard, limit uint64) (*Arena, error) {
	free := d.freeBytes()
	p := d.place(l, limit, guard, free)
	if len(p.ends) == 0 {
		p.ends = []uint64{alignment} // Vulkan refuses a buffer of 0 bytes
	}
	a := &Arena{dev: d, limit: p.limit, size: p.bytes(), table: p.table(), regions: map[*Layout]named{}}
	for _, leaf := range p.leaves {
		if _, twice := a.regions[leaf.leaf]; twice {
			panic(fmt.Sprintf("vk: region %q stands twice in one layout", leaf.leaf.name))
		}
		a.regions[leaf.leaf] = named{} // the method add stores its place
	}
	if a.size > free {
		return nil, &OutOfMemoryError{What: workspace, Need: a.size, Free: free}
	}
	if err := a.allocate(p); err != nil {
		a.free()
		return nil, err
	}
	for _, leaf := range p.leaves {
		a.add(leaf, guard)
	}
	slices.SortStableFunc(a.names, func(x, y named) int { return cmp.Compare(x.Offset, y.Offset) })
	d.addChunks(a)
	return a, nil
}

// allocate makes a chunk for each cell, and takes pages of the page table if a region is paged. If
// it fails, the caller calls `free`.
func (a *Arena) allocate(p *placement) (err error) {
	for cell, size := range p.ends {
		c := &chunk{arena: a, from: uint64(cell) * a.limit, size: size}
		if err := a.dev.back(c); err != nil {
			return err
		}
		a.chunks = append(a.chunks, c)
	}
	if p.paged {
		a.base, err = a.dev.pages.add(a.dev, a.chunks)
	}
	return err
}

func (a *Arena) add(p placed, guard uint64) {
	r := named{Placed{p.leaf.name, p.offset, p.leaf.bytes, p.paged}, a.base + p.offset}
	if !p.paged {
		r.addr = a.chunkOf(p.offset).address(p.offset)
	}
	a.regions[p.leaf] = r
	a.names = append(a.names, r)
	if guard > 0 && p.alone {
		a.guards = append(a.guards, r.addr+alignUp(r.Bytes))
	}
}

// chunkOf returns the chunk that holds a region's virtual offset. The offset of a region without
// bytes may be the end of the last chunk.
func (a *Arena) chunkOf(off uint64) *chunk {
	return a.chunks[min(off/a.limit, uint64(len(a.chunks)-1))]
}

// Close waits for the copies of uploads, and releases the memory. No Run may use the memory while
// Close is called. A second call does nothing. A call after Device.Close does nothing either.
func (a *Arena) Close() {
	if a.dev.usage.enter() != nil {
		return
	}
	defer a.dev.usage.leave()
	if a.dev.dropChunks(a) {
		a.dev.awaitUploads()
		a.free()
	}
}

func (a *Arena) free() {
	a.dev.pages.drop(a.base)
	for _, c := range a.chunks {
		if c.buffer != nil {
			a.dev.dev.FreeBuffer(c.buffer)
			c.buffer = nil
		}
	}
}

// Bytes returns the size of the arena's memory in bytes, including padding and guard bytes.
func (a *Arena) Bytes() uint64 { return a.size }

// Table lists the arena's regions in the order of the layout.
func (a *Arena) Table() []Placed { return slices.Clone(a.table) }
