package numpy

import (
	"encoding/binary"
	"unsafe"
)

// NativeLittle says whether this machine stores doubles in little-endian order, as .npy files of
// type <f8 do.
var NativeLittle = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// Number is the constraint for elements that are written.
type Number interface {
	float32 | float64 | complex64 | complex128
}

// Raw returns the memory of `values` as bytes, without a copy.
func Raw[T Number](values []T) []byte {
	size := int(unsafe.Sizeof(*new(T)))
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*size)
}
