package matio

import (
	"math"
	"math/bits"
	"runtime/debug"
	"unsafe"
)

// These constants limit the memory. The package documentation explains them in the section Memory.
const (
	wordBytes = 8 // bytes of a float64

	// mostElements is the largest number of elements of one matrix: 8 TiB if int has 64 bits. With
	// more elements, make would panic, and the product 10·count in the function `count` would
	// overflow.
	mostElements = min(1<<40, math.MaxInt/(2*wordBytes))

	// firstElements is the largest number of elements of the first allocation, if the size of the
	// file's data is unknown. A header may declare more elements, but the header may be wrong. So
	// memory for more elements is allocated only after the first elements have been read.
	firstElements = 1 << 16

	// fewElements is the number of elements of the first allocation for a list of numbers, which is
	// usually short.
	fewElements = 1 << 8

	// askBytes is the smallest allocation for which a reader first asks for the memory. If the
	// system refuses memory to Go's allocator, the process ends.
	askBytes = 1 << 22

	// spareBytes is the memory that a reader leaves to the rest of the process.
	spareBytes = 1 << 24
)

// elements returns the number of elements of a matrix, rows·cols. The second result is false if it
// is larger than `most`.
func elements(rows, cols, most int) (int, bool) {
	// The product of two sizes may need 128 bits.
	hi, lo := bits.Mul64(uint64(rows), uint64(cols))
	return int(lo), hi == 0 && lo <= uint64(most)
}

// available reports whether the system has memory for n doubles now. All readers ask this function
// before they allocate memory that depends on the file, most of them by `allocate`, `grow` or
// `push`. For less than askBytes it always returns true. Another process may take the memory before
// the allocation. Then the process ends, and this package cannot prevent it.
func available(n int) bool {
	bytes := int64(n) * wordBytes
	if bytes < askBytes {
		return true
	}
	if !systemHas(bytes) {
		return false
	}
	if bytes <= memoryLeft()-spareBytes {
		return true
	}
	// The memory that this process uses may be garbage, such as the smaller copies of a slice that
	// grew.
	debug.FreeOSMemory()
	return bytes <= memoryLeft()-spareBytes
}

// allocate returns n zeros. The second result is false if the system does not have the memory.
func allocate[T any](n int) ([]T, bool) {
	size := int(unsafe.Sizeof(*new(T)))
	if !available((n*size + wordBytes - 1) / wordBytes) {
		return nil, false
	}
	return make([]T, n), true
}

// grow returns a copy of the slice `data` with a larger capacity. The new capacity is twice the old
// one, but at least `first` and at most `want` elements. The second result is false if the system
// does not have the memory.
func grow[T any](data []T, first, want int) ([]T, bool) {
	more, ok := allocate[T](min(want, max(first, 2*cap(data))))
	if !ok {
		return nil, false
	}
	return more[:copy(more, data)], true
}

// push appends x to the slice `data`. The second result is false if the system does not have the
// memory for more elements.
func push(data []float64, x float64) ([]float64, bool) {
	if len(data) == cap(data) {
		if len(data) >= mostElements {
			return nil, false
		}
		var ok bool
		if data, ok = grow(data, fewElements, mostElements); !ok {
			return nil, false
		}
	}
	return append(data, x), true
}
