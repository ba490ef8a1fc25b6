package spirv

import "unsafe"

// Addr is a device address of elements of type T. It corresponds to a GLSL buffer_reference in a
// push block. Zero is the null address.
//
// An Addr does not own the memory, does not keep the memory alive, and has no length. An Addr can
// be converted to an Addr of any other element type; the address stays the same.
type Addr[T any] uint64

// Plus returns the address of the element that lies n elements after the address `a`. The number n
// may be negative. Plus does not check that the result lies in a buffer.
func (a Addr[T]) Plus(n int) Addr[T] {
	var element T
	return a + Addr[T](int64(n)*int64(unsafe.Sizeof(element)))
}

// Until returns the n with a.Plus(n) == b. It panics if the distance in bytes is not a multiple of
// the size of T.
func (a Addr[T]) Until(b Addr[T]) int {
	var element T
	bytes, size := int64(b-a), int64(unsafe.Sizeof(element))
	if bytes%size != 0 {
		panic("spirv: addresses are no whole number of elements apart")
	}
	return int(bytes / size)
}
