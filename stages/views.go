package stages

import (
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Tridiagonal is a symmetric tridiagonal matrix of order n: D is the diagonal with n elements, and
// E is the off-diagonal with n−1 elements.
type Tridiagonal[T spirv.Scalar] struct{ D, E vk.Slice[T] }
