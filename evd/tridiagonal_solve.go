package evd

import (
	"context"
	"fmt"
	"math"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Solve computes the spectrum of t, or the selected part of it:
//
//	T = S·Λ·Sᵀ
//
// The vectors are the columns of S. Their signs are fixed by the rule for dense matrices. Solve
// does not write to t. The errors are those of Plan.Solve.
func (p *TridiagonalPlan[T]) Solve(ctx context.Context, t Tridiagonal[T]) (*Result[T], error) {
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.accepts(t); err != nil {
		return nil, err
	}
	if _, err := t.scan(); err != nil {
		return nil, err
	}
	c := p.base.Begin(ctx, plan.ProgressOf(p.Costs(), p.opt.Progress))
	if p.base.N <= 1 {
		return exact(c, p.opt, t.D), nil
	}
	host := t.times(1)
	if err := p.upload(c, host); err != nil {
		return nil, err
	}
	tail := spectrum.Tail[T]{Stage: p.spectrum, Sigma: 1}
	if p.opt.Vectors {
		back := func(x product.Matrix[float64]) (product.Matrix[T], error) { return p.vectors(c, x) }
		tail.Vectors = []spectrum.Vectors[T]{{Rows: p.base.N, RowMajor: p.opt.RowMajor, Back: back}}
	}
	r, err := tail.Run(c, host)
	if err != nil {
		return nil, err
	}
	res := newResult(c, r, p.opt.RowMajor)
	return res, res.overflow()
}

// vectors transposes the vectors S of the tridiagonal matrix, from rows to columns, and fixes their
// signs. It returns the matrix to download: S, or Sᵀ for row-major vectors.
func (p *TridiagonalPlan[T]) vectors(c *plan.Call, x product.Matrix[float64]) (q product.Matrix[T], err error) {
	q = product.NewMatrix(p.z.In(c.Arena), p.base.N, x.Rows, p.base.N)
	if x.Rows == 0 {
		return q, nil
	}
	if err := p.doubles.Upload(c, p.spectrum); err != nil {
		return q, err
	}
	err = c.Run(func(rec *vk.Recorder) {
		p.doubles.Narrow(rec, c.Arena, 0, x)
		q = p.orient.Record(rec, p.doubles.Eigenvectors(c.Arena, x), q, nil)
	})
	return q, err
}

// CountBelow returns, for each x, the number of eigenvalues of t below x. This is the number of
// negative pivots of T − x·I (Sylvester's law of inertia, as in LAPACK's dstech). An x may be
// infinite, but not NaN.
//
// The counts are exact for a matrix whose entries differ from those of t by a few ulp of ‖T‖. So an
// eigenvalue this near to x may or may not be counted. A pivot that is 0 counts as negative, so for
// a diagonal matrix an eigenvalue that is equal to x is counted. Counts never decrease as x grows.
// The errors are those of Solve, and an *OptionError for a NaN.
func (p *TridiagonalPlan[T]) CountBelow(ctx context.Context, t Tridiagonal[T], x ...float64) ([]int, error) {
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.accepts(t); err != nil {
		return nil, err
	}
	if _, err := t.scan(); err != nil {
		return nil, err
	}
	for i, v := range x {
		if math.IsNaN(v) {
			return nil, plan.BadOption("x", fmt.Sprintf("number %d to count below is NaN", i))
		}
	}
	if p.base.N == 0 {
		return make([]int, len(x)), nil
	}
	c := p.base.Begin(ctx, nil)
	if err := p.upload(c, t.times(1)); err != nil {
		return nil, err
	}
	return p.spectrum.Count(c, x)
}
