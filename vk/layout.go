package vk

import (
	"fmt"
	"unsafe"
)

// alignment of every region, in bytes: the largest minStorageBufferOffsetAlignment
// that Vulkan allows, and a whole number of cache lines everywhere.
const alignment = 256

// A Layout says how much device memory an algorithm needs and which parts of
// it may share the same bytes. It is a value: nothing is allocated until
// Device.NewArena.
type Layout struct {
	name   string // leaves only
	bytes  uint64 // leaves only
	parts  []*Layout
	inTurn bool
}

// Space is what Together and InTurn combine: a *Layout or a Region.
type Space interface{ layout() *Layout }

func (l *Layout) layout() *Layout { return l }

// Region is a named range of n elements of T in some future Arena.
type Region[T any] struct {
	leaf *Layout
	n    int
}

func (r Region[T]) layout() *Layout { return r.leaf }

// Len is the number of elements.
func (r Region[T]) Len() int { return r.n }

// Reserve makes a region of n elements. It panics if n is negative.
func Reserve[T any](name string, n int) Region[T] {
	if n < 0 {
		panic(fmt.Sprintf("vk: region %q of %d elements", name, n))
	}
	var zero T
	return Region[T]{leaf: &Layout{name: name, bytes: uint64(n) * uint64(unsafe.Sizeof(zero))}, n: n}
}

// Together lays the parts out one after another: they are alive at once.
func Together(parts ...Space) *Layout { return combine(false, parts) }

// InTurn lays the parts out on top of each other: never two are alive at once.
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

// Bytes is the memory the layout needs, padding included.
func (l *Layout) Bytes() uint64 {
	return l.place(0, 0, func(*Layout, uint64, bool) {})
}

// Placed is one row of a layout's table.
type Placed struct {
	Name          string
	Offset, Bytes uint64
}

// Table lists the regions with their offsets, in the order they were reserved.
func (l *Layout) Table() []Placed {
	var rows []Placed
	l.place(0, 0, func(leaf *Layout, off uint64, _ bool) {
		rows = append(rows, Placed{leaf.name, off, leaf.bytes})
	})
	return rows
}

// place visits every leaf with its offset and returns the end of the layout.
// guard bytes are left free after every leaf; alone tells whether the bytes of the leaf
// (and so its guard) belong to no other leaf.
func (l *Layout) place(at, guard uint64, visit func(leaf *Layout, off uint64, alone bool)) uint64 {
	return l.walk(at, guard, true, visit)
}

func (l *Layout) walk(at, guard uint64, alone bool, visit func(*Layout, uint64, bool)) uint64 {
	if l.parts == nil {
		visit(l, at, alone)
		return alignUp(at+l.bytes) + guard
	}
	end := at
	for _, p := range l.parts {
		from := end
		if l.inTurn {
			from = at
		}
		end = max(end, p.walk(from, guard, alone && !l.inTurn, visit))
	}
	return end
}

// apart is the layout with no two leaves on the same bytes.
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
