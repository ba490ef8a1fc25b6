package vk

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"
	"unsafe"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// Arena is one block of device memory laid out by a Layout.
type Arena struct {
	dev     *Device
	buffer  *driver.Buffer // nil on a Dry device
	base    uint64
	size    uint64
	offsets map[*Layout]uint64
	names   []Placed // by offset
	guards  []uint64 // offsets of guard bytes that no region may touch
}

// guardBytes stand behind every region of a guarded arena.
const guardBytes = alignment

// guardWord is half of a quiet NaN, so that reading a guard shows in the result.
const guardWord = 0x7ff8dead

// NewArena allocates a layout. The error is an *OutOfMemoryError if it does not fit.
func (d *Device) NewArena(l *Layout) (*Arena, error) { return d.newArena(l, 0) }

// NewGuardedArena is NewArena with NaN-filled guard bytes between regions, for tests:
// CheckGuards tells whether a kernel wrote past the end of a region.
func (d *Device) NewGuardedArena(l *Layout) (*Arena, error) { return d.newArena(l, guardBytes) }

func (d *Device) newArena(l *Layout, guard uint64) (*Arena, error) {
	a := &Arena{dev: d, offsets: map[*Layout]uint64{}}
	if d.opt.DebugShaders {
		l, guard = l.apart(), debugGap
	}
	a.size = max(alignment, l.place(0, guard, func(leaf *Layout, off uint64, alone bool) {
		if _, twice := a.offsets[leaf]; twice {
			panic(fmt.Sprintf("vk: region %q stands twice in one layout", leaf.name))
		}
		a.offsets[leaf] = off
		a.names = append(a.names, Placed{leaf.name, off, leaf.bytes})
		if guard > 0 && alone {
			a.guards = append(a.guards, alignUp(off+leaf.bytes))
		}
	}))
	sort.SliceStable(a.names, func(i, j int) bool { return a.names[i].Offset < a.names[j].Offset })
	if err := a.allocate(); err != nil {
		return nil, err
	}
	d.arenasLock.Lock()
	defer d.arenasLock.Unlock()
	d.arenas = append(d.arenas, a)
	slices.SortFunc(d.arenas, func(x, y *Arena) int {
		if x.base < y.base {
			return -1
		}
		return 1
	})
	return a, nil
}

func (a *Arena) allocate() error {
	d := a.dev
	if d.dry {
		d.nextDry += 1 << 48 // far apart: no arena reaches into the next
		a.base = d.nextDry
		return nil
	}
	if d.dev == nil {
		return ErrClosed
	}
	const what = "the workspace"
	_, free := d.Memory()
	if a.size > free {
		return &OutOfMemoryError{What: what, Need: a.size, Free: free}
	}
	// The size of a buffer is a limit that Vulkan forbids to try. That of an allocation is one that
	// drivers may go beyond, and NVIDIA's does by far.
	limits := &d.from.props
	if limits.MaxBuffer != 0 && a.size > limits.MaxBuffer {
		return &OutOfMemoryError{What: what, Need: a.size, Free: free, Limit: limits.MaxBuffer}
	}
	var err error
	a.buffer, err = d.dev.NewBuffer(a.size, d.memoryTypes(driver.DeviceLocal, 0), false)
	if outOfMemory(err) {
		oom := &OutOfMemoryError{What: what, Need: a.size, Free: free}
		if a.size > limits.MaxAllocation {
			oom.Limit = limits.MaxAllocation
		}
		return oom
	}
	if err != nil {
		return wrap("allocating the workspace", "", "", err)
	}
	a.base = a.buffer.Address
	return nil
}

// Close releases the memory.
func (a *Arena) Close() {
	d := a.dev
	d.arenasLock.Lock()
	d.arenas = slices.DeleteFunc(d.arenas, func(x *Arena) bool { return x == a })
	d.arenasLock.Unlock()
	if a.buffer != nil {
		d.dev.FreeBuffer(a.buffer)
		a.buffer = nil
	}
}

func (d *Device) openArenas() []*Arena {
	d.arenasLock.Lock()
	defer d.arenasLock.Unlock()
	return slices.Clone(d.arenas)
}

// Bytes is the size of the block.
func (a *Arena) Bytes() uint64 { return a.size }

// all is the whole block as words.
func (a *Arena) all() Slice[uint32] { return Slice[uint32]{a, 0, int(a.size / 4)} }

// Poison fills everything with NaN, guards too: what a kernel does not write stays NaN.
func (a *Arena) Poison(r *Recorder) { Fill(r, a.all(), guardWord) }

// find is the arena that holds an address.
func (d *Device) find(addr uint64) *Arena {
	d.arenasLock.Lock()
	defer d.arenasLock.Unlock()
	i := sort.Search(len(d.arenas), func(i int) bool { return d.arenas[i].base > addr }) - 1
	if i < 0 || addr >= d.arenas[i].base+d.arenas[i].size {
		return nil
	}
	return d.arenas[i]
}

// nameOf prints an address as region+offset.
func (d *Device) nameOf(addr uint64) string {
	if addr == 0 {
		return "–"
	}
	a := d.find(addr)
	if a == nil {
		return "outside"
	}
	off := addr - a.base
	i := sort.Search(len(a.names), func(i int) bool { return a.names[i].Offset > off }) - 1
	if i < 0 {
		return "?"
	}
	if r := a.names[i]; off > r.Offset {
		return fmt.Sprintf("%s+%d", r.Name, off-r.Offset)
	}
	return a.names[i].Name
}

// word views the first bytes of host memory as one word.
func word(b []byte) *uint32 { return (*uint32)(unsafe.Pointer(&b[0])) }

// isGuard says whether the bytes are still what Poison wrote.
func isGuard(b []byte) bool {
	for ; len(b) >= 4; b = b[4:] {
		if binary.LittleEndian.Uint32(b) != guardWord {
			return false
		}
	}
	return true
}

// PoisonValue is what a poisoned float64 reads as: a NaN.
func PoisonValue() float64 { return math.Float64frombits(guardWord<<32 | guardWord) }
