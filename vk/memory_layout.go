package vk

import (
	"fmt"
	"unsafe"
)

// alignment is the alignment of every region, in bytes. It is the largest
// minStorageBufferOffsetAlignment that Vulkan allows, and a multiple of every device's cache line.
const alignment = 256

// A Layout says how much device memory an algorithm needs, and which parts of it may share the same
// bytes. A Layout is a plain value. Device.NewArena allocates memory for it.
type Layout struct {
	name   string // of a region; empty for a combination
	bytes  uint64 // size of a region; 0 for a combination
	parts  []*Layout
	inTurn bool // the parts share their bytes
}

type Space interface{ layout() *Layout }

func (l *Layout) layout() *Layout { return l }

// Region is a named range of n elements of T in a future Arena.
type Region[T any] struct {
	leaf *Layout
	n    int
}

func (r Region[T]) layout() *Layout { return r.leaf }

func (r Region[T]) Len() int { return r.n }

// Reserve makes a region of n elements. It panics if n is negative.
func Reserve[T any](name string, n int) Region[T] {
	if n < 0 {
		panic(fmt.Sprintf("vk: region %q of %d elements", name, n))
	}
	var zero T
	return Region[T]{leaf: &Layout{name: name, bytes: uint64(n) * uint64(unsafe.Sizeof(zero))}, n: n}
}

// Together combines parts that are all in use at the same time. They are placed one after another.
func Together(parts ...Space) *Layout { return combine(false, parts) }

// InTurn combines parts of which no two are in use at the same time. All parts begin at the same
// offset and share bytes.
func InTurn(parts ...Space) *Layout { return combine(true, parts) }

func combine(inTurn bool, parts []Space) *Layout {
	l := &Layout{inTurn: inTurn, parts: make([]*Layout, 0, len(parts))}
	for _, p := range parts {
		if p != nil {
			l.parts = append(l.parts, p.layout())
		}
	}
	return l
}

// Bytes is the memory that the layout needs in one buffer, in bytes, including padding. On a device
// whose largest buffer is smaller, the layout may need more memory: see Device.Bytes.
func (l *Layout) Bytes() uint64 { return l.place(0, 0, false).bytes() }

// Placed is one row of a layout's table.
type Placed struct {
	Name          string
	Offset, Bytes uint64

	// Paged says that the region lies in several buffers. Kernels that use it look up addresses in
	// a page table, and take longer.
	Paged bool
}

// Table lists the regions of the layout with the offsets that they have in one buffer. The order is
// that of the arguments of Together and InTurn.
func (l *Layout) Table() []Placed { return l.place(0, 0, false).table() }

// apart returns a copy of the layout in which every InTurn is replaced by Together, so that no two
// regions share bytes.
func (l *Layout) apart() *Layout {
	if l.parts == nil {
		return l
	}
	c := &Layout{parts: make([]*Layout, len(l.parts))}
	for i, p := range l.parts {
		c.parts[i] = p.apart()
	}
	return c
}

func alignUp(n uint64) uint64 { return (n + alignment - 1) &^ (alignment - 1) }
