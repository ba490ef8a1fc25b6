package batch

import (
	"context"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// TridiagonalPlan holds the pipelines and the memory for tridiagonal matrices up to one order:
//
//	T(k) = S(k)·diag(λ(k))·S(k)ᵀ
//
// The vectors are computed by divide and conquer, for all matrices together. The contracts are
// those of Plan: a NaN in one matrix is an error of this matrix alone, and the bits of a result
// depend only on the matrix and the device. The caller closes the plan before the device.
type TridiagonalPlan[T evd.Float] struct{ *solver[T, T] }

// MaxTridiagonalOrder returns the largest order of matrices for which a TridiagonalPlan can be made
// on the device.
func MaxTridiagonalOrder(dev *vk.Device, opt Options) int {
	return sizes[float64](opt, dev, ofTridiagonals).Order()
}

// NewTridiagonalPlan prepares a plan for tridiagonal matrices of order n or less, at most `count`
// of them on the device at the same time. Arguments and errors are those of NewPlan, with
// MaxTridiagonalOrder instead of MaxOrder.
//
// The device memory is the largest number of matrices of a part (see NewPlan), times the sum of
// these numbers of bytes:
//
//	24·n + 68        always
//	16·n             without vectors
//	20·n² + 250·n    with vectors
//	8·n·m            with vectors, m of each matrix
//
// For float32 it is about half of these numbers.
func NewTridiagonalPlan[T evd.Float](dev *vk.Device, n, count int, opt Options) (*TridiagonalPlan[T], error) {
	s, err := newSolver[T, T](dev, n, count, opt, ofTridiagonals)
	if err != nil {
		return nil, err
	}
	return &TridiagonalPlan[T]{s}, nil
}

// Solve computes the spectra of the matrices in new memory. A matrix that cannot be solved has an
// error in its Spectrum, and the others are solved. Solve does not write to its input.
func (p *TridiagonalPlan[T]) Solve(ctx context.Context, t []evd.Tridiagonal[T]) (*Result[T], error) {
	return p.solve(ctx, tridiagonals[T](t))
}

// SolveInto computes the spectrum of matrix t[k] in the caller's memory out[k]. Shapes, overlaps
// and errors are those of Plan.SolveInto.
func (p *TridiagonalPlan[T]) SolveInto(ctx context.Context, t []evd.Tridiagonal[T], out []Spectrum[T]) (*vk.Profile, error) {
	return p.solveInto(ctx, tridiagonals[T](t), out)
}

// Check measures the errors of computed spectra: s[k] holds the eigenvalues Λ and the vectors Z of
// the matrix t[k]. Measures and errors are those of Plan.Check, and those of LAPACK's dstt22.
func (p *TridiagonalPlan[T]) Check(ctx context.Context, t []evd.Tridiagonal[T], s []Spectrum[T]) ([]evd.Ratios, error) {
	return p.check(ctx, tridiagonals[T](t), s)
}
