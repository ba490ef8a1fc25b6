package evd

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/vk"
)

// Dense is a Rows×Cols matrix. In column-major storage, entry (i, j) is at Data[i + j·Ld], Ld ≥
// Rows. In row-major storage it is at Data[i·Ld + j], Ld ≥ Cols.
type Dense[T Number] struct {
	// Rows and Cols are the shape. Ld is the leading dimension, the distance between two columns
	// (or rows, if RowMajor) in Data.
	Rows, Cols, Ld int

	// Data holds the entries. Elements of Data that are not entries are not used.
	Data []T

	// RowMajor says that the storage is row-major. Otherwise it is column-major.
	RowMajor bool
}

// packed returns a new n×m matrix of zeros. Its leading dimension Ld is as small as possible.
func packed[T Number](n, m int, rowMajor bool) *Dense[T] {
	d := &Dense[T]{Rows: n, Cols: m, Data: make([]T, n*m), RowMajor: rowMajor}
	d.Ld = max(d.stored().Rows, 1)
	return d
}

// denseOf returns the columns z as a Dense with the same memory. If rowMajor is true, the result is
// row-major, so it is the transpose of z.
func denseOf[T Number](z vk.Columns[T], rowMajor bool) *Dense[T] {
	return (*Dense[T])(plan.DenseOf(z, rowMajor))
}

// stored returns the matrix d as a column-major matrix with the same memory. If d is row-major, the
// result is therefore the transpose of d.
func (d Dense[T]) stored() vk.Columns[T] { return plan.Dense[T](d).Columns() }

// vectors returns the columns of d as a set of vectors with the same memory.
func (d Dense[T]) vectors() dense.Stored[T] {
	return dense.Stored[T]{Columns: d.stored(), Transposed: d.RowMajor}
}

// check returns a *ShapeError if the slice Data is too short for the matrix.
func (d Dense[T]) check() error {
	if !plan.Dense[T](d).Fits() {
		return &ShapeError{N: d.Rows, Ld: d.Ld, Len: len(d.Data)}
	}
	return nil
}

// At returns entry (i, j), counted from 0. If i or j is out of range, At panics or returns another
// element of Data.
func (d Dense[T]) At(i, j int) T {
	if d.RowMajor {
		i, j = j, i
	}
	return d.Data[i+j*d.Ld]
}

// Col returns column j, counted from 0. The result shares the memory of d, except that it is a copy
// if d is row-major.
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

// ToGonum returns d as a gonum matrix: a *mat.Dense if d is row-major, otherwise the transpose of a
// *mat.Dense. The result shares the memory of d if T is float64. A matrix without entries becomes
// gonum's empty matrix, whatever its shape. ToGonum panics for a complex T, because the type
// mat.Matrix is real.
func (d Dense[T]) ToGonum() mat.Matrix {
	if precision.IsComplex[T]() {
		panic("evd: gonum's mat.Matrix cannot hold a complex matrix")
	}
	var m mat.Dense
	if s := d.stored(); s.Rows > 0 && s.Cols > 0 { // gonum's rows are columns of s
		m.SetRawMatrix(blas64.General{Rows: s.Cols, Cols: s.Rows, Stride: s.Ld, Data: asDoubles(s.Data)})
	}
	if d.RowMajor {
		return &m
	}
	return m.T()
}

// asDoubles returns v itself if T is float64, and otherwise a copy in float64.
func asDoubles[T Number](v []T) []float64 {
	switch v := any(v).(type) {
	case []float64:
		return v
	default:
		return spectrum.Scale(v.([]T), 1)
	}
}
