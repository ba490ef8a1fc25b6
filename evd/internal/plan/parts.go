package plan

import (
	"math"
	"unsafe"

	"github.com/vkevd/vkevd/vk/spirv"
)

// NotFinite returns the real or the imaginary part of x that is not finite, the real part if both are.
func NotFinite[T spirv.Scalar](x T) (value float64) {
	choose := func(re, im float64) {
		if value = re; !math.IsNaN(re) && !math.IsInf(re, 0) {
			value = im
		}
	}
	Parts([]T{x},
		func(parts []float32, each int) { choose(float64(parts[0]), float64(parts[each-1])) },
		func(parts []float64, each int) { choose(parts[0], parts[each-1]) })
	return value
}

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
