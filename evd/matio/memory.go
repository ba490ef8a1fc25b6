package matio

import (
	"math"
	"math/bits"
)

const (
	wordBytes = 8 // of a float64

	// mostElements bounds one matrix, at 8 TiB where int has 64 bits. Beyond some such
	// bound make panics instead of failing, and counts times ten overflow.
	mostElements = min(1<<40, math.MaxInt/(2*wordBytes))

	// firstElements is what is believed of a claim that nothing supports yet.
	firstElements = 1 << 16

	// askBytes is the size from which the system is asked before Go is: Go's allocator,
	// refused by the system, ends the process, and a refusal of less is unheard of.
	askBytes = 1 << 28
)

// elements is rows·cols, and false when that is more than most.
func elements(rows, cols, most int) (int, bool) {
	hi, lo := bits.Mul64(uint64(rows), uint64(cols))
	return int(lo), hi == 0 && lo <= uint64(most)
}

// available says whether n elements can be allocated now.
func available(n int) bool {
	return n < askBytes/wordBytes || systemHas(n*wordBytes)
}

// grow returns data with room for more elements: twice what it had, at least first, and
// never more than want in all. False means that the system refused.
func grow(data []float64, first, want int) ([]float64, bool) {
	room := min(want, max(first, 2*cap(data)))
	if !available(room) {
		return nil, false
	}
	return append(make([]float64, 0, room), data...), true
}
