package svd

import (
	"fmt"
	"math"
	"slices"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// ShapeError says that the shape of a matrix does not fit its storage, or is not the shape of the
// plan.
type ShapeError struct {
	Rows, Cols, Ld, Len int // shape and storage of the matrix
	PlanRows, PlanCols  int
}

func (e *ShapeError) Error() string {
	if e.Rows != e.PlanRows || e.Cols != e.PlanCols {
		return fmt.Sprintf("matrix of %d×%d given to a plan for %d×%d", e.Rows, e.Cols, e.PlanRows, e.PlanCols)
	}
	return fmt.Sprintf("matrix of %d×%d with leading dimension %d in %d elements", e.Rows, e.Cols, e.Ld, e.Len)
}

func (p *Plan[T]) accepts(a evd.Dense[T]) error {
	if err := p.fits(a); err != nil {
		return err
	}
	return p.base.Open()
}

func (p *Plan[T]) fits(a evd.Dense[T]) error {
	if a.Rows != p.m || a.Cols != p.n || !plan.Dense[T](a).Fits() {
		return &ShapeError{Rows: a.Rows, Cols: a.Cols, Ld: a.Ld, Len: len(a.Data), PlanRows: p.m, PlanCols: p.n}
	}
	return nil
}

// stored returns the shape of the column-major matrix in the memory of a: that of `a`, or of its
// transpose if `a` is row-major. Both have the same singular values.
func stored[T evd.Number](a evd.Dense[T]) (rows, cols int) {
	in := plan.Dense[T](a).Columns()
	return in.Rows, in.Cols
}

// scan returns max|a_ij|, or for complex entries the largest magnitude of a real or imaginary part.
// The error is an *evd.NonFiniteError for the first entry that is NaN or infinite, in storage
// order. scan reads A once, on all CPU cores.
func scan[T evd.Number](a evd.Dense[T]) (largest float64, err error) {
	rows, cols := stored(a)
	largest, i, j := plan.Scan(a.Data, a.Ld, cols, func(int) (from, to int) { return 0, rows })
	if i < 0 {
		return largest, nil
	}
	bad := &evd.NonFiniteError{Row: i, Col: j, Value: plan.NotFinite(a.Data[i+j*a.Ld])}
	if a.RowMajor {
		bad.Row, bad.Col = j, i
	}
	return 0, bad
}

// scaling returns σ, the power of two by which A is multiplied, by the rule of LAPACK's dgesdd and
// sgesdd. `largest` is the result of scan. The squares of the entries of σ·A, and sums of these
// squares, are in the range of the type T. σ is 1 if no scaling is needed.
func scaling[T evd.Number](largest float64) float64 {
	_, e := math.Frexp(largest)
	if precision.IsComplex[T]() { // the largest part; the modulus may be √2 times as large
		e++
	}
	most := mostExponent[T]()
	switch {
	case largest == 0 || -most < e && e < most:
		return 1
	case e < 0:
		return math.Ldexp(1, min(-most-e, 1023)) // the product of a subnormal number stays smaller than 2^−most, which is safe
	}
	return math.Ldexp(1, most-e)
}

// mostExponent bounds the exponent of the largest entry. A square of 2^±mostExponent, times any
// number of rows or times the square of the unit of T, is in the range of normal numbers of T.
func mostExponent[T evd.Number]() int {
	if !precision.IsDouble[T]() {
		return 38
	}
	return 450
}

// upload copies the matrix σ·A to the device in the order in which the host stores it. If the
// stored matrix has fewer rows than columns, recordLoad later transposes the copy. If the matrix on
// the device is the adjoint of the caller's matrix, recordLoad conjugates it.
func (s *solve[T]) upload(a evd.Dense[T], sigma float64) error {
	rows, cols := stored(a)
	to := s.regions.a
	if rows < cols {
		to = s.regions.across
	}
	host := vk.Columns[T]{Rows: rows, Cols: cols, Ld: a.Ld, Data: scaled(a.Data, sigma)}
	return plan.During(stages.PhaseLoad, vk.Upload(s.Ctx, s.Dev, to.In(s.Arena), host))
}

func (s *solve[T]) recordLoad(rec *vk.Recorder, a evd.Dense[T]) {
	if rows, cols := stored(a); rows < cols {
		rec.Phase(stages.PhaseLoad, 0, 1)
		s.steps.transpose.Record(rec, product.NewMatrix(s.regions.across.In(s.Arena), rows, cols, rows), s.matrixA())
	}
	if exchanged(a) {
		rec.Phase(stages.PhaseLoad, 0, 1)
		s.steps.conjugate.Record(rec, s.matrixA())
	}
}

// matrixA returns the matrix on the device, with at least as many rows as columns: the caller's
// matrix or its adjoint.
func (s *solve[T]) matrixA() product.Matrix[T] {
	return product.NewMatrix(s.regions.a.In(s.Arena), s.rows, s.cols, s.rows)
}

// reduced returns the matrix on the device that is reduced to a band: A, or the factor R of A if a
// QR factorisation comes first.
func (s *solve[T]) reduced() product.Matrix[T] {
	if s.tall {
		return product.NewMatrix(s.regions.r.In(s.Arena), s.cols, s.cols, s.cols)
	}
	return s.matrixA()
}

func scaled[T evd.Number](v []T, sigma float64) []T {
	if sigma == 1 {
		return v
	}
	out := slices.Clone(v)
	dense.Multiply(out, sigma)
	return out
}
