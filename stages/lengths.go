package stages

import (
	"fmt"
	"math/bits"

	"github.com/vkevd/vkevd/vk"
)

// Refused returns the error for a device that has less of a feature, such as shared memory, than
// the sizes of a kernel need.
func Refused(info vk.Info, feature string, need, have int) error {
	return &vk.UnsupportedError{Device: info.Name, Feature: feature, Need: fmt.Sprint(need), Have: fmt.Sprint(have)}
}

// InPortions divides `count` items into portions of at most `most` items and calls the function
// `dispatch` for each portion, in ascending order. Portions are needed because one dimension of a
// grid is limited.
func InPortions(count, most int, dispatch func(first, count int)) {
	for first := 0; first < count; first += most {
		dispatch(first, min(most, count-first))
	}
}

// Evenly returns the size of portions into which `count` items are divided. A portion has at most
// `most` items, the number of portions is as small as possible, and the portions have about the
// same size.
func Evenly(count, most int) int {
	portions := max(1, (count+most-1)/most)
	return max(1, (count+portions-1)/portions)
}

// GeneralBandLen returns the number of elements of a general compact band of order n with b
// superdiagonals.
func GeneralBandLen(n, b int) int { return 3 * b * (n + b) }

// Holds panics if the slice s has fewer than n elements. The check is needed because kernels do not
// check lengths and would access memory past the end of the slice. It is a panic and not an error,
// because a slice that is too short is a mistake in the caller's program. The argument `what` is
// the name of the slice.
func Holds[T any](what string, s vk.Slice[T], n int) {
	if s.Len() < n {
		panic(fmt.Sprintf("stages: %s has %d elements of %d", what, s.Len(), n))
	}
}

// PowerOfTwo returns the smallest power of two that is at least n, for n ≥ 1.
func PowerOfTwo(n int) uint32 { return 1 << bits.Len(uint(max(n, 1)-1)) }
