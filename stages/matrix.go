package stages

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Matrix is product.Matrix.
type Matrix = product.Matrix

// NewMatrix is product.NewMatrix.
func NewMatrix(at vk.Slice[float64], rows, cols, ld int) Matrix {
	return product.NewMatrix(at, rows, cols, ld)
}
