package stages

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Matrix is a matrix of doubles. The tridiagonal stages use it for vectors, because they compute in
// float64 only.
type Matrix = product.Matrix[float64]

// NewMatrix is product.NewMatrix for doubles. It panics if the slice is too short.
func NewMatrix(at vk.Slice[float64], rows, cols, ld int) Matrix {
	return product.NewMatrix(at, rows, cols, ld)
}
