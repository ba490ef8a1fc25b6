package spirv

import "unsafe"

// Addr is a device address of elements of type T: what a GLSL buffer_reference
// to T is in a push block. Zero is no address. An Addr borrows; it keeps
// nothing alive and knows no length.
type Addr[T any] uint64

// Plus returns the address n elements further on; n may be negative.
func (a Addr[T]) Plus(n int) Addr[T] {
	var element T
	return a + Addr[T](int64(n)*int64(unsafe.Sizeof(element)))
}

// Until is the n for which Plus(n) is b. It panics if there is none.
func (a Addr[T]) Until(b Addr[T]) int {
	var element T
	bytes, size := int64(b-a), int64(unsafe.Sizeof(element))
	if bytes%size != 0 {
		panic("spirv: addresses are no whole number of elements apart")
	}
	return int(bytes / size)
}
