package evd

import (
	"context"
	"fmt"
	"math"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Solve computes the spectrum of t, or the selected part of it:
//
//	T = S·Λ·Sᵀ
//
// The vectors are columns of S, with signs fixed as for a dense matrix. Solve does not write to t.
// Errors are those of Plan.Solve.
func (p *TridiagonalPlan[T]) Solve(ctx context.Context, t Tridiagonal[T]) (*Result[T], error) {
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.accepts(t); err != nil {
		return nil, err
	}
	if _, err := t.scan(); err != nil {
		return nil, err
	}
	c := p.base.Begin(ctx, spectrum.ProgressOf(p.Costs(), p.opt.Progress))
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
	return newResult(c, r, p.opt.RowMajor), nil
}

// vectors does Sᵀ → S, and fixes signs. It returns the matrix to download, as solve.transformBack
// does.
func (p *TridiagonalPlan[T]) vectors(c *spectrum.Call, x product.Matrix[float64]) (q product.Matrix[T], err error) {
	q = product.NewMatrix(p.z.In(c.Arena), p.base.N, x.Rows, p.base.N)
	if x.Rows == 0 {
		return q, nil
	}
	err = c.Run(func(rec *vk.Recorder) { q = p.orient.record(rec, p.doubles.vectors(x), q) })
	return q, err
}

// CountBelow counts the eigenvalues of t below each x, by the signs of the pivots of T − x·I
// (Sylvester's law of inertia; dstech). An x may be infinite, but not NaN.
//
// The counts are those of a matrix whose entries differ from those of t by a few ulp of ‖T‖. So an
// eigenvalue that near to x may count or not, and one that is equal to x counts as below. Counts
// never decrease as x grows. Errors are those of Solve for t, and *OptionError for a NaN.
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
			return nil, spectrum.BadOption("x", fmt.Sprintf("number %d to count below is NaN", i))
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
