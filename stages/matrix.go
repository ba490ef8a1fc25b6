package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Matrix is a column-major block of device memory: element (i, j) lies at
// At[i + j·Ld]. The kernels count in 32 bits inside a tile (shaders/glsl/common/index.glsl), so
// that Ld must be less than 2²⁴ unless there is one column.
type Matrix struct {
	Rows, Cols, Ld int
	At             vk.Slice[float64]
}

// MostLd is what a leading dimension must be less than.
const MostLd = 1 << 24

// NewMatrix views a slice as rows×cols with the given leading dimension. It
// panics if the slice is too short, ld < rows, or ld is too large for Matrix.
func NewMatrix(at vk.Slice[float64], rows, cols, ld int) Matrix {
	if rows < 0 || cols < 0 || ld < max(rows, 1) || ld >= MostLd && cols > 1 || rows > 0 && cols > 0 && (cols-1)*ld+rows > at.Len() {
		panic(fmt.Sprintf("stages: %d×%d, Ld %d, in %d elements", rows, cols, ld, at.Len()))
	}
	return Matrix{rows, cols, ld, at}
}

// Block is rows [i, i+rows) and columns [j, j+cols) of m, sharing its memory.
func (m Matrix) Block(i, j, rows, cols int) Matrix {
	if i < 0 || j < 0 || rows < 0 || cols < 0 || i+rows > m.Rows || j+cols > m.Cols {
		panic(fmt.Sprintf("stages: block (%d, %d) of %d×%d in %d×%d", i, j, rows, cols, m.Rows, m.Cols))
	}
	if rows == 0 || cols == 0 {
		return Matrix{rows, cols, m.Ld, m.At.Sub(0, 0)}
	}
	return Matrix{rows, cols, m.Ld, m.At.Sub(i+j*m.Ld, (cols-1)*m.Ld+rows)}
}

// Addr is the address of element (0, 0).
func (m Matrix) Addr() spirv.Addr[float64] { return m.At.Addr() }

// holds panics if a slice has fewer than n elements: kernels would go on behind its end.
func holds[T any](what string, s vk.Slice[T], n int) {
	if s.Len() < n {
		panic(fmt.Sprintf("stages: %s has %d elements of %d", what, s.Len(), n))
	}
}
