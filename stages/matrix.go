package stages

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Matrix is a matrix of doubles, such as the vectors of the tridiagonal stages.
type Matrix = product.Matrix[float64]

func NewMatrix(at vk.Slice[float64], rows, cols, ld int) Matrix {
	return product.NewMatrix(at, rows, cols, ld)
}
