package main

import (
	"context"
	"errors"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

// A singularSolver computes singular values of matrices of T. The program uses a *svd.Plan, and
// tests use a fake.
type singularSolver[T evd.Float] interface {
	forecast
	Solve(context.Context, evd.Dense[T]) (*svd.Result[T], error)
	Check(context.Context, evd.Dense[T], *svd.Result[T]) (svd.Ratios, error)
	Close()
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

func (d opened) svd(of singularShape, opt svd.Options) (singularSolver[float64], error) {
	return singularPlan[float64](d.Device, of, opt)
}

func (d opened) svdSingle(of singularShape, opt svd.Options) (singularSolver[float32], error) {
	return singularPlan[float32](d.Device, of, opt)
}

// singularPlan makes a plan of the library.
func singularPlan[T evd.Float](dev *vk.Device, of singularShape, opt svd.Options) (singularSolver[T], error) {
	switch of.form {
	case bidiagonalMatrix:
		p, err := svd.NewBidiagonalPlan[T](dev, of.cols, opt)
		if err != nil {
			return nil, err // not p: an interface with a nil pointer is not nil
		}
		return bidiagonalPlan[T]{p}, nil
	case bandMatrix:
		p, err := svd.NewBandPlan[T](dev, of.cols, of.above, svd.BandOptions{
			Largest: opt.Largest, Select: opt.Select, Certify: opt.Certify, Progress: opt.Progress, Tuning: opt.Tuning, Storage: opt.Storage,
		})
		if err != nil {
			return nil, err
		}
		return bandPlan[T]{p}, nil
	}
	p, err := svd.NewPlan[T](dev, of.rows, of.cols, opt)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (vulkan) forecastSVD(on absent, of kind, m, n int, opt svd.Options) (
	f forecast, unfit *vk.OutOfMemoryError, err error,
) {
	if f, err = drySVD(on, of, m, n, opt); errors.As(err, &unfit) {
		if opt.Products == evd.ProductsAuto { // native products need the least memory
			opt.Products = evd.ProductsNative
		}
		f, err = drySVD(on.boundless(), of, m, n, opt)
	}
	return f, unfit, err
}

func drySVD(on absent, of kind, m, n int, opt svd.Options) (forecast, error) {
	dry, shape := opened{Device: on.dry()}, singularShape{rows: m, cols: n}
	if of == kindSingle {
		return dry.svdSingle(shape, opt)
	}
	return dry.svd(shape, opt)
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
