package matio

import (
	"math"
	"math/bits"
)

// These are sizes and limits. The package documentation explains them under Memory.
const (
	wordBytes = 8 // bytes of a float64

	// mostElements is the limit of one matrix: 8 TiB where int has 64 bits. Without such a limit,
	// make would panic instead of failing, and 10·count would overflow.
	mostElements = min(1<<40, math.MaxInt/(2*wordBytes))

	// firstElements is the number of elements for which memory is allocated before any data has
	// been read, because a header declares them.
	firstElements = 1 << 16

	// askBytes is the size from which the system is asked before memory is allocated. If the system
	// refuses memory to Go's allocator, the process ends. Systems do not refuse less than askBytes
	// in practice.
	askBytes = 1 << 28
)

// elements returns rows·cols, and whether that is at most most.
func elements(rows, cols, most int) (int, bool) {
	// The product of two sizes may need 128 bits.
	hi, lo := bits.Mul64(uint64(rows), uint64(cols))
	return int(lo), hi == 0 && lo <= uint64(most)
}

// available tells whether n elements can be allocated now. Another process may take the memory
// afterwards; then the Go runtime ends the process, which cannot be prevented. For less than
// askBytes the answer is always yes.
func available(n int) bool {
	return n < askBytes/wordBytes || systemHas(n*wordBytes)
}

// grow returns a copy of data with capacity for more elements: twice the capacity of data, but at
// least first, and at most want. It returns false if the system has no memory.
func grow(data []float64, first, want int) ([]float64, bool) {
	room := min(want, max(first, 2*cap(data)))
	if !available(room) {
		return nil, false
	}
	return append(make([]float64, 0, room), data...), true
}
