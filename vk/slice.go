package vk

import (
	"fmt"
	"unsafe"

	"github.com/vkevd/vkevd/vk/spirv"
)

// Slice is a range of device memory holding n elements of T.
type Slice[T any] struct {
	arena *Arena
	off   uint64 // bytes from the arena's start
	n     int
}

// In resolves a region in the arena that was laid out with it. It panics if
// the region is not part of that arena's layout.
func (r Region[T]) In(a *Arena) Slice[T] {
	off, ok := a.offsets[r.leaf]
	if !ok {
		panic(fmt.Sprintf("vk: region %q is not part of this arena", r.leaf.name))
	}
	return Slice[T]{a, off, r.n}
}

// Len is the number of elements.
func (s Slice[T]) Len() int { return s.n }

// Addr is the device address of the first element, for push constants.
func (s Slice[T]) Addr() spirv.Addr[T] { return spirv.Addr[T](s.arena.base + s.off) }

// From is s[i:].
func (s Slice[T]) From(i int) Slice[T] { return s.Sub(i, s.n-i) }

// Sub is s[i : i+n]. It panics if that leaves s.
func (s Slice[T]) Sub(i, n int) Slice[T] {
	if i < 0 || n < 0 || n > s.n-i {
		panic(fmt.Sprintf("vk: slice [%d:%d] of %d elements", i, i+n, s.n))
	}
	return Slice[T]{s.arena, s.off + uint64(i)*s.elem(), n}
}

// bytes is the same memory.
func (s Slice[T]) bytes() Slice[byte] { return Slice[byte]{s.arena, s.off, s.n * int(s.elem())} }

func (s Slice[T]) elem() uint64 {
	var zero T
	return uint64(unsafe.Sizeof(zero))
}

// span is the byte range of the slice as device addresses.
func (s Slice[T]) span() span {
	from := s.arena.base + s.off
	return span{from, from + uint64(s.n)*s.elem()}
}

// span is a half-open range of device addresses.
type span struct{ from, to uint64 }

func (a span) touches(b span) bool { return a.from < b.to && b.from < a.to }
