package vk

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/vkevd/vkevd/vk/internal/driver"
	"github.com/vkevd/vkevd/vk/spirv"
)

// pages is the page table of a device. It maps virtual addresses to device addresses, for regions
// that lie in several buffers. spirv.TranslateAddresses describes the table and rewrites the
// kernels that use it. Before the first paged arena, the table does not exist.
//
// The host writes entries of the table while kernels of other arenas may run. These kernels read
// other entries.
type pages struct {
	lock   sync.Mutex
	buffer *driver.Buffer // the table, visible to the host; nil on a Dry device
	shift  uint32         // log₂ of the bytes of a page
	ranges []pageRange    // of all paged arenas, by their first page
}

// pageRange is the range of pages of one arena: `count` pages from the page `first` on.
type pageRange struct{ first, count uint64 }

// tablePages is the length of the page table. With pages of 128 MiB, as for buffers of 2 GiB, the
// table is long enough for 8 TiB.
const tablePages = 1 << 16

// add takes pages for the buffers of an arena, and returns the virtual address of the first page.
// All buffers except the last one consist of whole pages. The error is an *OutOfMemoryError if the
// table is full, or an error of the driver.
func (p *pages) add(d *Device, chunks []*chunk) (base uint64, err error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if err := p.open(d); err != nil {
		return 0, err
	}
	size, last := uint64(1)<<p.shift, chunks[len(chunks)-1]
	count := (last.from + last.size + size - 1) / size
	at, first := p.gap(count)
	if first+count > tablePages {
		what := fmt.Sprintf("%s, in pages of %d bytes,", workspace, size)
		return 0, &OutOfMemoryError{What: what, Need: last.from + last.size, Limit: p.free() * size}
	}
	p.ranges = slices.Insert(p.ranges, at, pageRange{first, count})
	base = spirv.VirtualBase + first*size
	for _, c := range chunks {
		for from := uint64(0); from < c.size; from += size {
			p.set((base+c.from+from-spirv.VirtualBase)/size, c.base-(base+c.from))
		}
	}
	return base, nil
}

// open makes the table, unless it exists. All its entries are 0. The caller must hold p.lock.
func (p *pages) open(d *Device) (err error) {
	if p.ranges != nil {
		return nil
	}
	p.shift = uint32(bits.Len64(d.info.page()) - 1)
	p.ranges = []pageRange{{0, 1}} // page 0 stands for all addresses that are not virtual
	if d.dry {
		return nil
	}
	if p.buffer, err = d.newControl(8 * tablePages); err != nil {
		p.ranges = nil
		return wrap("allocating the page table", "", "", err)
	}
	clear(p.buffer.Host)
	return nil
}

// gap finds the first `count` free pages in a row. It returns the first of these pages, and the
// place of the new range in p.ranges. If there are too few, first+count is more than tablePages.
func (p *pages) gap(count uint64) (at int, first uint64) {
	for i, r := range p.ranges {
		first = r.first + r.count
		if i+1 == len(p.ranges) || first+count <= p.ranges[i+1].first {
			return i + 1, first
		}
	}
	panic("unreachable: page 0 is always in use")
}

func (p *pages) free() (most uint64) {
	for i, r := range p.ranges {
		end := uint64(tablePages)
		if i+1 < len(p.ranges) {
			end = p.ranges[i+1].first
		}
		most = max(most, end-r.first-r.count)
	}
	return most
}

// drop frees the pages of the arena whose virtual address is `base`. A `base` of 0 has no pages.
func (p *pages) drop(base uint64) {
	if base == 0 {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	first := (base - spirv.VirtualBase) >> p.shift
	i := slices.IndexFunc(p.ranges, func(r pageRange) bool { return r.first == first })
	for page := range p.ranges[i].count {
		p.set(first+page, 0)
	}
	p.ranges = slices.Delete(p.ranges, i, i+1)
}

func (p *pages) set(page, distance uint64) {
	if p.buffer != nil {
		binary.LittleEndian.PutUint64(p.buffer.Host[8*page:], distance)
	}
}

// table says where a kernel with a push block of pushSize bytes finds the table. It also returns
// the size of the push block of the translated kernel. The push block contains the address of the
// table if the device's push blocks are large enough. Then the code of the kernel is the same in
// each process, so that the driver finds it in its cache.
func (p *pages) table(pushSize, mostPush int) (t spirv.PageTable, translatedSize int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	t.Shift, t.Push = p.shift, (pushSize+7)&^7
	if t.Push+8 > mostPush {
		t.Address = p.address()
		return t, pushSize
	}
	return t, t.Push + 8
}

// extend returns the bytes of a push block of the translated kernel: those of the kernel, and after
// them the address of the table if there is room for it.
func (p *pages) extend(push []byte, size int) []byte {
	if size == len(push) {
		return push
	}
	long := make([]byte, size)
	copy(long, push)
	binary.LittleEndian.PutUint64(long[size-8:], p.address())
	return long
}

// address is the device address of the table. A device from OpenCompiler has no table. There
// `address` returns a number other than 0 in its place, because 0 means that a kernel reads the
// table's address from its push block.
func (p *pages) address() uint64 {
	if p.buffer == nil {
		return alignment
	}
	return p.buffer.Address
}
