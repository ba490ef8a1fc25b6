package product

import (
	"fmt"

	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Matrix is a column-major matrix of T in device memory: element (i, j) lies at At[i + j·Ld]. Ld is
// at least max(1, Rows). Kernels compute offsets inside a tile in 32 bits, so Ld must be less than
// MostLd unless there is only one column.
type Matrix[T spirv.Stored] struct {
	Rows, Cols, Ld int
	At             vk.Slice[T]
}

const MostLd = 1 << 24

// NewMatrix returns a slice as a matrix. It panics if the slice is too short or ld is not allowed.
func NewMatrix[T spirv.Stored](at vk.Slice[T], rows, cols, ld int) Matrix[T] {
	if rows < 0 || cols < 0 || ld < max(rows, 1) || ld >= MostLd && cols > 1 ||
		rows > 0 && cols > 0 && (cols-1)*ld+rows > at.Len() {
		panic(fmt.Sprintf("product: %d×%d, Ld %d, in %d elements", rows, cols, ld, at.Len()))
	}
	return Matrix[T]{rows, cols, ld, at}
}

// Block returns rows [i, i+rows) and columns [j, j+cols) of m, in the memory of m.
func (m Matrix[T]) Block(i, j, rows, cols int) Matrix[T] {
	if i < 0 || j < 0 || rows < 0 || cols < 0 || i+rows > m.Rows || j+cols > m.Cols {
		panic(fmt.Sprintf("product: block (%d, %d) of %d×%d in %d×%d", i, j, rows, cols, m.Rows, m.Cols))
	}
	if rows == 0 || cols == 0 {
		return Matrix[T]{rows, cols, m.Ld, m.At.Sub(0, 0)}
	}
	return Matrix[T]{rows, cols, m.Ld, m.At.Sub(i+j*m.Ld, (cols-1)*m.Ld+rows)}
}

func (m Matrix[T]) Addr() spirv.Addr[T] { return m.At.Addr() }
