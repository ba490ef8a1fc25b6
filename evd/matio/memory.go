package matio

import (
	"math"
	"math/bits"
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

	// askBytes is the smallest allocation for which the reader first asks the system whether it has
	// the memory. If the system refuses memory to Go's allocator, the process ends. In practice
	// systems do not refuse less than askBytes.
	askBytes = 1 << 28
)

// elements returns the number of elements of a matrix, rows·cols. The second result is false if it
// is larger than `most`.
func elements(rows, cols, most int) (int, bool) {
	// The product of two sizes may need 128 bits.
	hi, lo := bits.Mul64(uint64(rows), uint64(cols))
	return int(lo), hi == 0 && lo <= uint64(most)
}

// available reports whether n elements can be allocated now. For less than askBytes it always
// returns true. Another process may take the memory before the allocation. Then the Go runtime ends
// the process, and this package cannot prevent it.
func available(n int) bool {
	return n < askBytes/wordBytes || systemHas(n*wordBytes)
}

// grow returns a copy of the slice `data` with a larger capacity. The new capacity is twice the old
// one, but at least `first` and at most `want` elements. The second result is false if the system
// does not have the memory.
func grow(data []float64, first, want int) ([]float64, bool) {
	room := min(want, max(first, 2*cap(data)))
	if !available(room) {
		return nil, false
	}
	return append(make([]float64, 0, room), data...), true
}
