package plan

import (
	"unsafe"

	"github.com/vkevd/vkevd/vk/spirv"
)

// Parts calls `single` or `double` with the elements of v as real numbers in the same memory. There
// are `each` numbers for an element: one for a real v, and the real and the imaginary part for a
// complex v.
func Parts[T spirv.Scalar](v []T, single func(parts []float32, each int), double func(parts []float64, each int)) {
	switch v := any(v).(type) {
	case []float32:
		single(v, 1)
	case []float64:
		double(v, 1)
	case []complex64:
		single(unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(v))), 2*len(v)), 2)
	case []complex128:
		double(unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(v))), 2*len(v)), 2)
	}
}
