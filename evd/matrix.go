package evd

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd/spectrum"
)

// Float is the constraint for number types of matrices. For float32, too, the tridiagonal problem
// within a solve is solved in double precision.
type Float interface{ float32 | float64 }

// Uplo says which triangle of a symmetric matrix is read, including the diagonal. The other
// triangle may have any contents, including NaN.
type Uplo bool

const (
	Lower Uplo = false // entries (i, j) with i ≥ j; the zero value
	Upper Uplo = true  // entries (i, j) with i ≤ j
)

// Sym is a symmetric matrix of order N in column-major storage. Entry (i, j) of the triangle Uplo is
// Data[i + j·Ld], Ld ≥ N. Ld = 0 means N. For a row-major matrix, set Uplo to the other triangle: a
// row-major lower triangle has the storage of a column-major upper triangle.
type Sym[T Float] struct {
	// N is the order of the matrix, and Ld is its leading dimension.
	N, Ld int

	// Data has the entries. It has at least (N−1)·Ld + N elements.
	Data []T

	// Uplo names the triangle that is read.
	Uplo Uplo
}

// NewSym returns the matrix of order n whose triangle uplo is in the slice `data`, column-major
// with Ld = n. The result shares the memory of `data`.
func NewSym[T Float](n int, data []T, uplo Uplo) Sym[T] {
	return Sym[T]{N: n, Ld: n, Data: data, Uplo: uplo}
}

// withLd returns the matrix `a`. If a.Ld is 0, the result has Ld = N.
func (a Sym[T]) withLd() Sym[T] {
	if a.Ld == 0 {
		a.Ld = a.N
	}
	return a
}

// Check returns a *ShapeError if Data is too short for N and Ld. It reads no entry.
func (a Sym[T]) Check() error {
	a = a.withLd()
	if a.N < 0 || a.N > 0 && !spectrum.Holds(len(a.Data), a.N, a.N, a.Ld) {
		return &ShapeError{N: a.N, Ld: a.Ld, Len: len(a.Data)}
	}
	return nil
}

// column returns the rows of column j that belong to the triangle a.Uplo: from ≤ i < to.
func (a Sym[T]) column(j int) (from, to int) {
	if a.Uplo == Upper {
		return 0, j + 1
	}
	return j, a.N
}

// Gonum returns a gonum matrix as a Sym. The result shares the memory of m if the type of m gives
// access to it (mat.RawSymmetricer): gonum's row-major upper triangle is a column-major lower
// triangle. Other matrices are copied.
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

// fromBlas returns s as a Sym that shares its memory.
func fromBlas(s blas64.Symmetric) Sym[float64] {
	uplo := Lower // gonum is row-major: its upper triangle is our lower one
	if s.Uplo == blas.Lower {
		uplo = Upper
	}
	return Sym[float64]{N: s.N, Ld: max(s.Stride, 1), Data: s.Data, Uplo: uplo}
}
