// Package memory allocates what readers of files need, and asks the system before. The size that a
// file declares may be wrong.
package memory

import (
	"math"
	"math/bits"
	"runtime/debug"
	"unsafe"
)

// These constants limit the memory. The documentation of package matio explains them in the
// sections Limits and Memory.
const (
	WordBytes = 8 // bytes of a float64

	// MostElements is the largest number of elements of one matrix: 8 TiB if int has 64 bits. With
	// more elements, make would panic, and the product 10·count in number.Count would overflow.
	MostElements = min(1<<40, math.MaxInt/(2*WordBytes))

	// FirstElements is the largest number of elements of the first allocation, if the size of the
	// file's data is unknown. A header may declare more elements, but the header may be wrong. So
	// memory for more elements is allocated only after the first elements have been read.
	FirstElements = 1 << 16

	// fewElements is the number of elements of the first allocation for a list of numbers, which is
	// usually short.
	fewElements = 1 << 8

	// AskBytes is the smallest allocation for which a reader first asks for the memory. If the
	// system refuses memory to Go's allocator, the process ends.
	AskBytes = 1 << 22

	// SpareBytes is the memory that a reader leaves to the rest of the process.
	SpareBytes = 1 << 24
)

// Elements returns rows·cols. The second result is false if it is larger than `most`.
func Elements(rows, cols, most int) (int, bool) {
	hi, lo := bits.Mul64(uint64(rows), uint64(cols))
	return int(lo), hi == 0 && lo <= uint64(most)
}

var Left = memoryLeft

// Available reports whether the system has memory for n doubles now. All readers ask this function
// before they allocate memory that depends on the file, most of them by Allocate, Grow or Push. For
// less than AskBytes it always returns true. Another process may take the memory before the
// allocation. Then the process ends, and this package cannot prevent it.
func Available(n int) bool {
	bytes := int64(n) * WordBytes
	if bytes < AskBytes {
		return true
	}
	if !systemHas(bytes) {
		return false
	}
	if bytes <= Left()-SpareBytes {
		return true
	}
	// The memory in use may be garbage, such as the smaller copies of a slice that grew.
	debug.FreeOSMemory()
	return bytes <= Left()-SpareBytes
}

// Allocate returns n zeros. The second result is false if the system does not have the memory.
func Allocate[T any](n int) ([]T, bool) {
	size := int(unsafe.Sizeof(*new(T)))
	if !Available((n*size + WordBytes - 1) / WordBytes) {
		return nil, false
	}
	return make([]T, n), true
}

// Grow returns a copy of `data` with twice the capacity, but at least `first` and at most `want`
// elements, or false if the system does not have the memory.
func Grow[T any](data []T, first, want int) ([]T, bool) {
	more, ok := Allocate[T](min(want, max(first, 2*cap(data))))
	if !ok {
		return nil, false
	}
	return more[:copy(more, data)], true
}

// Push appends x. It returns false if the list has MostElements elements already, or if the system
// does not have the memory.
func Push(data []float64, x float64) ([]float64, bool) {
	if len(data) == cap(data) {
		if len(data) >= MostElements {
			return nil, false
		}
		var ok bool
		if data, ok = Grow(data, fewElements, MostElements); !ok {
			return nil, false
		}
	}
	return append(data, x), true
}
