package stages

import (
	"fmt"
	"math/bits"

	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Refused is the error about a device that has less of a feature, such as shared memory, than a
// kernel needs.
func Refused(info vk.Info, feature string, need, have int) error {
	return &vk.UnsupportedError{Device: info.Name, Feature: feature, Need: fmt.Sprint(need), Have: fmt.Sprint(have)}
}

// InPortions divides `count` items into portions of at most `most` items, and calls `dispatch` for
// each portion, in ascending order.
func InPortions(count, most int, dispatch func(first, count int)) {
	for first := 0; first < count; first += most {
		dispatch(first, min(most, count-first))
	}
}

// Evenly divides `count` items into as few portions of at most `most` items as possible, all of
// about the same size. It returns the size of the largest portion, which is at least 1.
func Evenly(count, most int) int {
	portions := max(1, (count+most-1)/most)
	return max(1, (count+portions-1)/portions)
}

func GeneralBandLen(n, b int) int { return 3 * b * (n + b) }

// Holds panics if the slice s, whose name is `what`, has fewer than n elements. Kernels do not
// check lengths and would access memory past the end of s. A slice that is too short is a mistake
// in the caller's program, so Holds panics and returns no error.
func Holds[T any](what string, s vk.Slice[T], n int) {
	if s.Len() < n {
		panic(fmt.Sprintf("stages: %s has %d elements of %d", what, s.Len(), n))
	}
}

// InRegisters returns how many numbers of type T fit into the registers that hold `count` real
// numbers. The sizes in a tuning count real numbers. A complex number has two parts, so half as
// many fit, rounded up.
func InRegisters[T spirv.Stored](count uint32) uint32 {
	if spirv.KindOf[T]().IsComplex() {
		return (count + 1) / 2
	}
	return count
}

func PowerOfTwo(n int) uint32 { return 1 << bits.Len(uint(max(n, 1)-1)) }
