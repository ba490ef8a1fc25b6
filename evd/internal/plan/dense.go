package plan

import (
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Dense is evd.Dense, which has the same fields, so that one converts to the other.
type Dense[T spirv.Scalar] struct {
	Rows, Cols, Ld int
	Data           []T
	RowMajor       bool
}

// DenseOf returns the columns z as a Dense with the same memory. If rowMajor is true, the result is
// row-major, so it is the transpose of z.
func DenseOf[T spirv.Scalar](z vk.Columns[T], rowMajor bool) *Dense[T] {
	if rowMajor {
		z.Rows, z.Cols = z.Cols, z.Rows
	}
	return &Dense[T]{Rows: z.Rows, Cols: z.Cols, Ld: z.Ld, Data: z.Data, RowMajor: rowMajor}
}

// Columns returns the matrix d as a column-major matrix with the same memory. If d is row-major,
// the result is therefore the transpose of d.
func (d Dense[T]) Columns() vk.Columns[T] {
	if d.RowMajor {
		d.Rows, d.Cols = d.Cols, d.Rows
	}
	return vk.Columns[T]{Rows: d.Rows, Cols: d.Cols, Ld: d.Ld, Data: d.Data}
}

// Fits reports whether Rows, Cols and Ld are possible, and Data is long enough for them.
func (d Dense[T]) Fits() bool {
	s := d.Columns()
	if s.Rows <= 0 || s.Cols <= 0 {
		return s.Rows >= 0 && s.Cols >= 0
	}
	return Holds(len(s.Data), s.Rows, s.Cols, s.Ld)
}
