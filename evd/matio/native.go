package matio

import (
	"encoding/binary"
	"unsafe"
)

// nativeLittle tells whether this machine stores doubles in the same way as <f8 files.
var nativeLittle = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// raw returns the memory of values as bytes, without a copy.
func raw(values []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*wordBytes)
}
