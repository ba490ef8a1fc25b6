package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/vk"
)

// holds panics if a slice has fewer than n elements. Kernels do not check lengths: they would
// access memory past the end of the slice. A caller of Record that passes a short slice has made a
// mistake in its program, so that an error value would not help.
func holds[T any](what string, s vk.Slice[T], n int) {
	if s.Len() < n {
		panic(fmt.Sprintf("stages: %s has %d elements of %d", what, s.Len(), n))
	}
}
