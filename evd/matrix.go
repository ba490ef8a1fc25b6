package evd

import (
	"errors"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
)

// Number is the constraint for number types of matrices. For every type, the tridiagonal problem
// within a solve is real, and is solved in double precision.
type Number interface {
	float32 | float64 | complex64 | complex128
}

// Float is the constraint for plans that have real matrices only, such as TridiagonalPlan.
type Float interface{ float32 | float64 }

// Double is the constraint for plans with results in double precision: RefinePlan and MixedPlan.
type Double interface{ float64 | complex128 }

// Uplo says which triangle of a symmetric or Hermitian matrix is read, including the diagonal. The
// other triangle may have any contents, including NaN.
type Uplo bool

const (
	Lower Uplo = false // entries (i, j) with i ≥ j; the zero value
	Upper Uplo = true  // entries (i, j) with i ≤ j
)

// Sym is a symmetric matrix of order N, or a Hermitian one if T is complex: A(i, j) is the
// conjugate of A(j, i). In column-major storage, entry (i, j) of the triangle Uplo is Data[i +
// j·Ld], and in row-major storage Data[i·Ld + j], Ld ≥ N. Ld = 0 means N. The imaginary parts of
// the diagonal are not read, and may have any contents.
//
// A complex matrix in row-major storage needs RowMajor. If its memory were read as the other
// triangle of a column-major matrix, this matrix would be the conjugate of A, which has the same
// eigenvalues, but not the same vectors.
type Sym[T Number] struct {
	// N is the order of the matrix, and Ld is its leading dimension.
	N, Ld int

	// Data has the entries. It has at least (N−1)·Ld + N elements.
	Data []T

	// Uplo names the triangle that is read.
	Uplo Uplo

	// RowMajor says that the storage is row-major. Otherwise it is column-major.
	RowMajor bool
}

// Herm is the name of Sym for Hermitian matrices.
type Herm[T interface{ complex64 | complex128 }] = Sym[T]

// NewSym returns the matrix of order n whose triangle `uplo` is in the slice `data`, column-major
// with Ld = n. The result shares the memory of `data`.
func NewSym[T Number](n int, data []T, uplo Uplo) Sym[T] {
	return Sym[T]{N: n, Ld: n, Data: data, Uplo: uplo}
}

// withLd returns the matrix `a`. If a.Ld is 0, the result has Ld = N.
func (a Sym[T]) withLd() Sym[T] {
	if a.Ld == 0 {
		a.Ld = a.N
	}
	return a
}

// Validate returns a *ShapeError if Data is too short for N and Ld. It reads no entry.
func (a Sym[T]) Validate() error {
	a = a.withLd()
	if a.N < 0 || a.N > 0 && !plan.Holds(len(a.Data), a.N, a.N, a.Ld) {
		return &ShapeError{N: a.N, Ld: a.Ld, Len: len(a.Data)}
	}
	return nil
}

// fits returns a *ShapeError if the matrix `a` does not fit a plan of order n.
func (a Sym[T]) fits(n int) error {
	if err := a.Validate(); err != nil || a.N == n {
		return err
	}
	return &ShapeError{N: a.N, Ld: a.Ld, Len: len(a.Data), Plan: n}
}

func (a Sym[T]) triangle() dense.Triangle[T] {
	return dense.NewTriangle(a.N, a.Ld, a.Data, a.Uplo == Upper, a.RowMajor)
}

// cause turns an error about an element of the triangle into a *NonFiniteError. It returns other
// errors unchanged.
func cause(err error) error {
	if bad := new(dense.NonFiniteError); errors.As(err, &bad) {
		return (*NonFiniteError)(bad)
	}
	return err
}

// largest returns max|a_ij|, or a *NonFiniteError for the first entry that is not finite, in the
// order of the memory.
func (a Sym[T]) largest() (float64, error) {
	largest, err := a.triangle().Largest()
	return largest, cause(err)
}

// FromGonum returns a gonum matrix as a Sym. The result shares the memory of m if the type of m
// gives access to it (mat.RawSymmetricer). Other matrices are copied.
func FromGonum(m mat.Symmetric) Sym[float64] {
	if raw, ok := m.(mat.RawSymmetricer); ok {
		s := raw.RawSymmetric()
		return Sym[float64]{N: s.N, Ld: max(s.Stride, 1), Data: s.Data, Uplo: s.Uplo == blas.Upper, RowMajor: true}
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
