package machine

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

// A SingularSolver is a plan for singular values of matrices of T.
type SingularSolver[T evd.Float] interface {
	Planned
	Solve(context.Context, evd.Dense[T]) (*svd.Result[T], error)
	Check(context.Context, evd.Dense[T], *svd.Result[T]) (svd.Ratios, error)
}

// A SingularShape is the form and the size of a matrix of M×N.
type SingularShape struct {
	M, N    int
	Form    singularForm
	Above   int         // number of superdiagonals, only of a band
	Storage svd.Storage // of the numbers on the device
}

// singularForm says how a matrix lies in memory.
type singularForm int

const (
	WholeMatrix      singularForm = iota // all elements
	BandMatrix                           // the diagonals of an upper band
	BidiagonalMatrix                     // two diagonals
)

// singularPlan makes a plan of the library for a matrix of any form.
func singularPlan[T evd.Float](dev *vk.Device, of SingularShape, opt svd.Options) (Planned, error) {
	switch of.Form {
	case BidiagonalMatrix:
		p, err := svd.NewBidiagonalPlan[T](dev, of.N, opt)
		return Made(bidiagonalPlan[T]{p}, err)
	case BandMatrix:
		p, err := svd.NewBandPlan[T](dev, of.N, of.Above, svd.BandOptions{
			Largest: opt.Largest, Select: opt.Select, Certify: opt.Certify, Progress: opt.Progress, Tuning: opt.Tuning, Storage: opt.Storage,
		})
		return Made(bandPlan[T]{p}, err)
	}
	return Made(svd.NewPlan[T](dev, of.M, of.N, opt))
}

// boundless returns the description of the same device with unlimited free memory, and no limit for a
// buffer. The size of its memory does not change, because it limits the residues of emulated
// products.
func boundless(info vk.Info) vk.Info {
	info.Free, info.MaxBuffer, info.MaxAllocation = math.MaxInt64, 0, 0
	return info
}

// bandPlan is a *svd.BandPlan whose method Solve takes a matrix of diagonals.
type bandPlan[T evd.Float] struct{ *svd.BandPlan[T] }

func (p bandPlan[T]) Solve(ctx context.Context, a evd.Dense[T]) (*svd.Result[T], error) {
	return p.BandPlan.Solve(ctx, svd.Band[T]{N: a.Cols, B: max(a.Rows-1, 0), Ld: max(a.Ld, 1), Data: a.Data})
}

// Check is never called, because a band matrix has no vectors.
func (p bandPlan[T]) Check(context.Context, evd.Dense[T], *svd.Result[T]) (svd.Ratios, error) {
	return svd.Ratios{}, nil
}

// bidiagonalPlan is a *svd.BidiagonalPlan whose method Solve takes a matrix of two diagonals.
type bidiagonalPlan[T evd.Float] struct{ *svd.BidiagonalPlan[T] }

// diagonalsOf returns the bidiagonal matrix whose diagonals are the two rows of the matrix `a`. The
// first row is the diagonal above the main diagonal.
func diagonalsOf[T evd.Float](a evd.Dense[T]) svd.Bidiagonal[T] {
	c := svd.Bidiagonal[T]{}
	for j := range a.Cols {
		if c.D = append(c.D, a.Data[2*j+1]); j > 0 {
			c.E = append(c.E, a.Data[2*j])
		}
	}
	return c
}

func (p bidiagonalPlan[T]) Solve(ctx context.Context, a evd.Dense[T]) (*svd.Result[T], error) {
	return p.BidiagonalPlan.Solve(ctx, diagonalsOf(a))
}

func (p bidiagonalPlan[T]) Check(ctx context.Context, a evd.Dense[T], res *svd.Result[T]) (svd.Ratios, error) {
	return p.BidiagonalPlan.Check(ctx, diagonalsOf(a), res)
}
