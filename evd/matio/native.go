package matio

import (
	"encoding/binary"
	"unsafe"
)

// nativeLittle says whether this machine keeps doubles the way <f8 files do.
var nativeLittle = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// raw is the memory of values as bytes.
func raw(values []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*wordBytes)
}
