package evd

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/vk"
)

// Float is the precisions that are there.
type Float interface{ float64 }

// Uplo says which triangle of a symmetric matrix is read; the other is ignored, whatever it holds.
type Uplo bool

const (
	Lower Uplo = false
	Upper Uplo = true
)

// Sym is a symmetric matrix in column-major storage: element (i, j) lies at
// Data[i + j·Ld]. A row-major matrix is the same with Uplo turned round.
type Sym[T Float] struct {
	N, Ld int
	Data  []T
	Uplo  Uplo
}

// Check says whether the shape makes sense; the error is a *ShapeError.
func (a Sym[T]) Check() error {
	if a.N < 0 || a.N > 0 && !holds(len(a.Data), a.N, a.N, a.Ld) {
		return &ShapeError{N: a.N, Ld: a.Ld, Len: len(a.Data)}
	}
	return nil
}

// holds says whether rows×cols, at least one of each, with leading dimension ld fit in so many elements. Products of a
// caller's numbers may overflow, so there are none.
func holds(elements, rows, cols, ld int) bool {
	return ld >= rows && elements >= rows && (cols == 1 || (elements-rows)/(cols-1) >= ld)
}

// column is the referenced part of column j: rows [from, to).
func (a Sym[T]) column(j int) (from, to int) {
	if a.Uplo == Upper {
		return 0, j + 1
	}
	return j, a.N
}

// Dense is an n×m matrix in column-major storage, element (i, j) at Data[i + j·Ld], or in
// row-major storage, at Data[i·Ld + j].
type Dense[T Float] struct {
	Rows, Cols, Ld int
	Data           []T
	RowMajor       bool
}

// packed is an n×m matrix in fresh memory.
func packed[T Float](n, m int, rowMajor bool) *Dense[T] {
	d := &Dense[T]{Rows: n, Cols: m, Data: make([]T, n*m), RowMajor: rowMajor}
	d.Ld = max(d.stored().Rows, 1)
	return d
}

// stored is what d's memory holds, by columns: d, or its transpose if it is row-major.
func (d Dense[T]) stored() vk.Columns[float64] {
	if d.RowMajor {
		return vk.Columns[float64]{Rows: d.Cols, Cols: d.Rows, Ld: d.Ld, Data: doubles(d.Data)}
	}
	return vk.Columns[float64]{Rows: d.Rows, Cols: d.Cols, Ld: d.Ld, Data: doubles(d.Data)}
}

// check says whether the shape makes sense; the error is a *ShapeError.
func (d Dense[T]) check() error {
	if s := d.stored(); s.Rows > 0 && s.Cols > 0 && !holds(len(s.Data), s.Rows, s.Cols, s.Ld) {
		return &ShapeError{N: d.Rows, Ld: d.Ld, Len: len(d.Data)}
	}
	return nil
}

// At is element (i, j).
func (d Dense[T]) At(i, j int) T {
	if d.RowMajor {
		i, j = j, i
	}
	return d.Data[i+j*d.Ld]
}

// Col is column j, sharing memory, or a copy of it if d is row-major.
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

// Gonum is d as a matrix of gonum's, sharing memory: a *mat.Dense if d is row-major, or else
// the transpose of one. Without elements it is gonum's empty matrix, whatever d's shape.
func (d Dense[T]) Gonum() mat.Matrix {
	var m mat.Dense
	if s := d.stored(); s.Rows > 0 && s.Cols > 0 { // gonum's rows are our columns
		m.SetRawMatrix(blas64.General{Rows: s.Cols, Cols: s.Rows, Stride: s.Ld, Data: s.Data})
	}
	if d.RowMajor {
		return &m
	}
	return m.T()
}

// Gonum views a gonum matrix without copying where it can: row-major upper is
// column-major lower. Other implementations of mat.Symmetric are copied.
func Gonum(m mat.Symmetric) Sym[float64] {
	if raw, ok := m.(mat.RawSymmetricer); ok {
		return fromBlas(raw.RawSymmetric())
	}
	n := m.SymmetricDim()
	a := Sym[float64]{N: n, Ld: max(n, 1), Data: make([]float64, n*n)}
	for j := range n {
		for i := j; i < n; i++ {
			a.Data[i+j*n] = m.At(i, j)
		}
	}
	return a
}

func fromBlas(s blas64.Symmetric) Sym[float64] {
	uplo := Lower // gonum is row-major: its upper triangle is our lower one
	if s.Uplo == blas.Lower {
		uplo = Upper
	}
	return Sym[float64]{N: s.N, Ld: max(s.Stride, 1), Data: s.Data, Uplo: uplo}
}
