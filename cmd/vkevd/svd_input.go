package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
)

// A singularInput says what the file of vkevd svd contains: a whole matrix, the diagonals of a band
// matrix, or the diagonals of a bidiagonal matrix.
type singularInput struct {
	matrixInput
	banded, bidiagonal bool
}

func (m *singularInput) flags(cmd *cobra.Command) {
	m.fileFlags(cmd)
	f := cmd.Flags()
	f.BoolVar(&m.banded, "banded", false, "FILE has the diagonals of an upper band, as LAPACK's dgbbrd stores it:\n"+
		"the last row is the main diagonal; for values alone")
	f.BoolVar(&m.bidiagonal, "bidiagonal", false, "FILE has the diagonal d and the superdiagonal e, in a format that\n"+
		"solve --tridiagonal reads")
}

// checkKind returns an error for flags that cannot be combined with --banded or --bidiagonal.
// `vectors` tells whether the user wants vectors.
func (m *singularInput) checkKind(cmd *cobra.Command, vectors bool) error {
	changed := cmd.Flags().Changed
	switch {
	case m.banded && m.bidiagonal:
		return usage(cmd, "--banded cannot be combined with --bidiagonal")
	case m.banded && vectors:
		return usage(cmd, "--banded finds values alone, without --out-u and --out-v")
	case (m.banded || m.bidiagonal) && (changed("band") || changed("block")):
		return usage(cmd, "--band and --block are for matrices that are reduced to a band first")
	}
	return nil
}

// stored is a rows×cols matrix as it lies in memory. Dense has either all elements of the matrix,
// or only its diagonals.
type stored struct {
	evd.Dense[float64]
	rows, cols int
}

// read reads the matrix of the command svd from its file. If the file contains only diagonals,
// column j of the result is column j of LAPACK's band storage, as in dgbbrd: the elements above the
// main diagonal from top to bottom, and then the element on the main diagonal. Elements outside the
// matrix are set to zero.
func (m *singularInput) read(ctx context.Context, file string, stdin io.Reader) (stored, error) {
	if m.bidiagonal {
		return unlessDone(ctx, func() (stored, error) {
			t, err := readTridiagonal(file, stdin, m.options())
			if err != nil {
				return stored{}, m.hint(err)
			}
			n := len(t.D)
			a := evd.Dense[float64]{Rows: 2, Cols: n, Ld: 2, Data: make([]float64, 2*n)}
			for j := range n {
				if a.Data[2*j+1] = t.D[j]; j > 0 {
					a.Data[2*j] = t.E[j-1]
				}
			}
			return stored{a, n, n}, nil
		})
	}
	a, err := m.readAnyShape(ctx, file, stdin)
	if err != nil || !m.banded {
		return stored{a, a.Rows, a.Cols}, err
	}
	for j := range min(a.Cols, a.Rows-1) {
		clear(a.Data[j*a.Ld : j*a.Ld+a.Rows-1-j])
	}
	return stored{a, a.Cols, a.Cols}, nil
}

// plan makes a plan for the matrix.
func (m *singularInput) plan(dev device, a stored, opt svd.Options) (singularSolver, error) {
	switch {
	case m.bidiagonal:
		return dev.bidiagonal(a.cols, opt)
	case m.banded:
		return dev.banded(a.cols, max(a.Rows-1, 0), svd.BandOptions{
			Largest: opt.Largest, Certify: opt.Certify, Progress: opt.Progress, Tuning: opt.Tuning,
		})
	}
	return dev.svd(a.rows, a.cols, opt)
}

// bandPlan is a *svd.BandPlan with another method Solve, which takes the band as a matrix whose
// rows are the diagonals.
type bandPlan struct{ *svd.BandPlan[float64] }

func (p bandPlan) Solve(ctx context.Context, a evd.Dense[float64]) (*svd.Result[float64], error) {
	return p.BandPlan.Solve(ctx, svd.Band[float64]{N: a.Cols, B: max(a.Rows-1, 0), Ld: max(a.Ld, 1), Data: a.Data})
}

// Check is never called, because a band matrix has no vectors.
func (p bandPlan) Check(context.Context, evd.Dense[float64], *svd.Result[float64]) (svd.Ratios, error) {
	return svd.Ratios{}, nil
}

func (d opened) banded(n, b int, opt svd.BandOptions) (singularSolver, error) {
	p, err := svd.NewBandPlan[float64](d.Device, n, b, opt)
	if err != nil {
		return nil, err
	}
	return bandPlan{p}, nil
}

// bidiagonalPlan is a *svd.BidiagonalPlan with another method Solve, which takes a matrix whose two
// rows are the diagonals.
type bidiagonalPlan struct{ *svd.BidiagonalPlan[float64] }

// diagonalsOf returns the bidiagonal matrix whose diagonals are the two rows of the matrix `a`. The
// first row is the diagonal above the main diagonal.
func diagonalsOf(a evd.Dense[float64]) svd.Bidiagonal[float64] {
	c := svd.Bidiagonal[float64]{}
	for j := range a.Cols {
		if c.D = append(c.D, a.Data[2*j+1]); j > 0 {
			c.E = append(c.E, a.Data[2*j])
		}
	}
	return c
}

func (p bidiagonalPlan) Solve(ctx context.Context, a evd.Dense[float64]) (*svd.Result[float64], error) {
	return p.BidiagonalPlan.Solve(ctx, diagonalsOf(a))
}

func (p bidiagonalPlan) Check(ctx context.Context, a evd.Dense[float64], res *svd.Result[float64]) (svd.Ratios, error) {
	return p.BidiagonalPlan.Check(ctx, diagonalsOf(a), res)
}

func (d opened) bidiagonal(n int, opt svd.Options) (singularSolver, error) {
	p, err := svd.NewBidiagonalPlan[float64](d.Device, n, opt)
	if err != nil {
		return nil, err
	}
	return bidiagonalPlan{p}, nil
}
