package vk

import (
	"fmt"
	"unsafe"

	"github.com/vkevd/vkevd/vk/spirv"
)

// Slice is a range of device memory of n elements of T. The memory belongs to an Arena, as the
// memory of a Go slice belongs to an array. A Slice must not be used after the arena was closed.
type Slice[T any] struct {
	in   *Arena
	addr uint64 // address of the first element, virtual if the region is paged
	n    int
}

// In returns the memory of the region in an arena. The arena must have been made from a layout that
// contains the region; otherwise In panics.
func (r Region[T]) In(a *Arena) Slice[T] {
	at, ok := a.regions[r.leaf]
	if !ok {
		panic(fmt.Sprintf("vk: region %q is not part of this arena", r.leaf.name))
	}
	return Slice[T]{a, at.addr, r.n}
}

func (s Slice[T]) Len() int { return s.n }

// Addr is the first element's address, for push constants. It is virtual if the region is paged.
func (s Slice[T]) Addr() spirv.Addr[T] { return spirv.Addr[T](s.addr) }

// From is the slice of the elements from i on, s[i:].
func (s Slice[T]) From(i int) Slice[T] { return s.Sub(i, s.n-i) }

// Sub is the slice of n elements from i on, s[i:i+n]. It panics if the range [i, i+n) is not inside
// of the slice `s`.
func (s Slice[T]) Sub(i, n int) Slice[T] {
	if i < 0 || n < 0 || n > s.n-i {
		panic(fmt.Sprintf("vk: slice [%d:%d] of %d elements", i, i+n, s.n))
	}
	return Slice[T]{s.in, s.addr + uint64(i)*s.elem(), n}
}

// Cast is the memory of s as numbers of another type, whose size must divide the size of a T: a complex
// number is its real and its imaginary part.
func Cast[P, T any](s Slice[T]) Slice[P] {
	parts := s.elem() / Slice[P]{}.elem()
	if parts*(Slice[P]{}).elem() != s.elem() {
		panic(fmt.Sprintf("vk: elements of %d bytes in elements of %d bytes", Slice[P]{}.elem(), s.elem()))
	}
	return Slice[P]{s.in, s.addr, s.n * int(parts)}
}

func (s Slice[T]) bytes() Slice[byte] { return Slice[byte]{s.in, s.addr, s.n * int(s.elem())} }

func (s Slice[T]) elem() uint64 {
	var zero T
	return uint64(unsafe.Sizeof(zero))
}

func (s Slice[T]) span() span { return span{s.addr, s.addr + uint64(s.n)*s.elem()} }

// span is a half-open range of addresses, which are all virtual or all device addresses.
type span struct{ from, to uint64 }

func (a span) touches(b span) bool { return a.from < b.to && b.from < a.to }
