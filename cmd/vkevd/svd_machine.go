package main

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

// A singularSolver is a plan for singular values of matrices of T.
type singularSolver[T evd.Float] interface {
	planned
	Solve(context.Context, evd.Dense[T]) (*svd.Result[T], error)
	Check(context.Context, evd.Dense[T], *svd.Result[T]) (svd.Ratios, error)
}

// A singularShape is the form and the size of a matrix of rows×cols.
type singularShape struct {
	rows, cols int
	form       singularForm
	above      int         // number of superdiagonals, only of a band
	storage    svd.Storage // of the numbers on the device
}

// singularForm says how a matrix lies in memory.
type singularForm int

const (
	wholeMatrix      singularForm = iota // all elements
	bandMatrix                           // the diagonals of an upper band
	bidiagonalMatrix                     // two diagonals
)

// singularPlan makes a plan of the library for a matrix of any form.
func singularPlan[T evd.Float](dev *vk.Device, of singularShape, opt svd.Options) (planned, error) {
	switch of.form {
	case bidiagonalMatrix:
		p, err := svd.NewBidiagonalPlan[T](dev, of.cols, opt)
		return made(bidiagonalPlan[T]{p}, err)
	case bandMatrix:
		p, err := svd.NewBandPlan[T](dev, of.cols, of.above, svd.BandOptions{
			Largest: opt.Largest, Select: opt.Select, Certify: opt.Certify, Progress: opt.Progress, Tuning: opt.Tuning, Storage: opt.Storage,
		})
		return made(bandPlan[T]{p}, err)
	}
	return made(svd.NewPlan[T](dev, of.rows, of.cols, opt))
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
