package evd

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
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

// holds says whether rows×cols, at least one of each, with leading dimension ld fit len elements. Products of a
// caller's numbers may overflow, so there are none.
func holds(len, rows, cols, ld int) bool {
	return ld >= rows && len >= rows && (cols == 1 || (len-rows)/(cols-1) >= ld)
}

// column is the referenced part of column j: rows [from, to).
func (a Sym[T]) column(j int) (from, to int) {
	if a.Uplo == Upper {
		return 0, j + 1
	}
	return j, a.N
}

// Dense is an n×m matrix in column-major storage.
type Dense[T Float] struct {
	Rows, Cols, Ld int
	Data           []T
}

// check says whether the shape makes sense; the error is a *ShapeError.
func (d Dense[T]) check() error {
	if d.Rows > 0 && d.Cols > 0 && !holds(len(d.Data), d.Rows, d.Cols, d.Ld) {
		return &ShapeError{N: d.Rows, Ld: d.Ld, Len: len(d.Data)}
	}
	return nil
}

// Col is column j, sharing memory.
func (d Dense[T]) Col(j int) []T { return d.Data[j*d.Ld : j*d.Ld+d.Rows] }

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
