package evd

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/vk"
)

// Dense is a Rows×Cols matrix in column-major storage, entry (i, j) at Data[i + j·Ld], Ld ≥ Rows;
// or with RowMajor in row-major storage, at Data[i·Ld + j], Ld ≥ Cols.
type Dense[T Float] struct {
	// Rows, Cols and Ld are the shape and the leading dimension.
	Rows, Cols, Ld int

	// Data holds the entries. Elements between columns, or between rows, have no meaning.
	Data []T

	// RowMajor says that rows are contiguous in memory, not columns.
	RowMajor bool
}

// packed returns an n×m matrix of zeros in new memory, with the smallest Ld.
func packed[T Float](n, m int, rowMajor bool) *Dense[T] {
	d := &Dense[T]{Rows: n, Cols: m, Data: make([]T, n*m), RowMajor: rowMajor}
	d.Ld = max(d.stored().Rows, 1)
	return d
}

// dense returns the matrix that is stored in z.
func dense[T Float](z vk.Columns[T], rowMajor bool) *Dense[T] {
	if rowMajor {
		return &Dense[T]{Rows: z.Cols, Cols: z.Rows, Ld: z.Ld, Data: z.Data, RowMajor: true}
	}
	return &Dense[T]{Rows: z.Rows, Cols: z.Cols, Ld: z.Ld, Data: z.Data}
}

// stored describes d's memory as a column-major matrix: d, or its transpose if d is row-major.
func (d Dense[T]) stored() vk.Columns[T] {
	if d.RowMajor {
		return vk.Columns[T]{Rows: d.Cols, Cols: d.Rows, Ld: d.Ld, Data: d.Data}
	}
	return vk.Columns[T]{Rows: d.Rows, Cols: d.Cols, Ld: d.Ld, Data: d.Data}
}

// check returns a *ShapeError if the shape and the length of Data do not fit together.
func (d Dense[T]) check() error {
	if s := d.stored(); s.Rows > 0 && s.Cols > 0 && !spectrum.Holds(len(s.Data), s.Rows, s.Cols, s.Ld) {
		return &ShapeError{N: d.Rows, Ld: d.Ld, Len: len(d.Data)}
	}
	return nil
}

// At is entry (i, j), counted from 0. If i or j is out of range, it panics or returns another
// element of Data.
func (d Dense[T]) At(i, j int) T {
	if d.RowMajor {
		i, j = j, i
	}
	return d.Data[i+j*d.Ld]
}

// Col is column j, from 0: a slice of Data, or a copy if d is row-major.
func (d Dense[T]) Col(j int) []T {
	if !d.RowMajor {
		return d.Data[j*d.Ld : j*d.Ld+d.Rows]
	}
	column := make([]T, d.Rows)
	for i := range column {
		column[i] = d.At(i, j)
	}
	return column
}

// Gonum returns d as a matrix of package gonum: a *mat.Dense if d is row-major, else the transpose
// of one. It shares d's memory if T is float64. A matrix without entries becomes gonum's empty
// matrix, whatever its shape.
func (d Dense[T]) Gonum() mat.Matrix {
	var m mat.Dense
	if s := d.stored(); s.Rows > 0 && s.Cols > 0 { // gonum's rows are our columns
		m.SetRawMatrix(blas64.General{Rows: s.Cols, Cols: s.Rows, Stride: s.Ld, Data: asDoubles(s.Data)})
	}
	if d.RowMajor {
		return &m
	}
	return m.T()
}

// asDoubles returns v itself if T is float64, and otherwise a copy in float64.
func asDoubles[T Float](v []T) []float64 {
	switch v := any(v).(type) {
	case []float64:
		return v
	default:
		return spectrum.Scale(v.([]T), 1)
	}
}
