package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/vk"
)

// holds panics if the slice s has fewer than n elements. The check is needed because kernels do not
// check lengths and would access memory past the end of the slice. It is a panic and not an error,
// because a slice that is too short is a mistake in the caller's program. The argument `what` is
// the name of the slice.
func holds[T any](what string, s vk.Slice[T], n int) {
	if s.Len() < n {
		panic(fmt.Sprintf("stages: %s has %d elements of %d", what, s.Len(), n))
	}
}
