package svd

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/vk"
)

// Band is an upper band matrix of order N with B superdiagonals. The storage is that of LAPACK's
// dgbbrd: entry (i, j) is at Data[B + i − j + j·Ld] for max(0, j−B) ≤ i ≤ j, with Ld ≥ B+1. The
// other elements of Data are not read.
type Band[T evd.Float] struct {
	N, B, Ld int
	Data     []T
}

func (b Band[T]) fits() bool {
	return b.N >= 0 && b.B >= 0 && plan.Dense[T]{Rows: b.B + 1, Cols: b.N, Ld: b.Ld, Data: b.Data}.Fits()
}

// column returns the entries of column j that lie in the matrix, and the row of the first of them.
func (b Band[T]) column(j int) (first int, entries []T) {
	first = max(0, j-b.B)
	return first, b.Data[b.B+first-j+j*b.Ld:][:j-first+1]
}

// scan returns max|b_ij|, or an *evd.NonFiniteError for the first entry that is NaN or infinite,
// column by column.
func (b Band[T]) scan() (largest float64, err error) {
	for j := range b.N {
		first, entries := b.column(j)
		var bad int
		if largest, bad = plan.ScanColumn(entries, largest); bad >= 0 {
			return 0, &evd.NonFiniteError{Row: first + bad, Col: j, Value: float64(entries[bad])}
		}
	}
	return largest, nil
}

// compact calls `visit` for each entry of 2^e·B, with its index in the storage of chase.NarrowSize.
func (b Band[T]) compact(e int, size chase.NarrowSize, visit func(i int, x float64)) {
	for j := range b.N {
		first, entries := b.column(j)
		for k, x := range entries {
			visit(first+k+j*(size.From+2*size.Tile)+size.From+size.Tile, math.Ldexp(float64(x), e))
		}
	}
}

func (b Band[T]) norm(e int) float64 {
	squares := 0.0
	for j := range b.N {
		_, entries := b.column(j)
		column := 0.0
		for _, x := range entries {
			y := math.Ldexp(float64(x), e)
			column += y * y
		}
		squares += column
	}
	return math.Sqrt(squares)
}

// Solve computes the singular values of b. It does not write to b. Its errors are those of
// Plan.Solve.
func (p *BandPlan[T]) Solve(ctx context.Context, b Band[T]) (*Result[T], error) {
	p.base.Lock()
	defer p.base.Unlock()
	if b.N != p.base.N || b.B != p.b || !b.fits() {
		return nil, &ShapeError{Rows: b.B + 1, Cols: b.N, Ld: b.Ld, Len: len(b.Data), PlanRows: p.b + 1, PlanCols: p.base.N}
	}
	if err := p.base.Open(); err != nil {
		return nil, err
	}
	report := plan.Rising(p.opt.Progress)
	return plan.Survive(
		func() *plan.Call { return p.base.Begin(ctx, plan.ProgressOf(p.Costs(), report)) },
		func(c *plan.Call) (*Result[T], error) { return p.solve(c, b) },
		p.avoidWaiting)
}

func (p *BandPlan[T]) solve(c *plan.Call, b Band[T]) (*Result[T], error) {
	if p.base.N == 0 {
		return withoutValues[T](c, p.opt.Certify), nil
	}
	largest, err := b.scan()
	if err != nil {
		return nil, err
	}
	path := p.path.Now
	sigma, more := p.opt.Storage.scaling(largest, b.norm)
	e := math.Ilogb(sigma) + more
	if err := path.reduction.upload(c, func(visit func(int, float64)) {
		b.compact(e, path.reduction.size(), visit)
	}); err != nil {
		return nil, err
	}
	var received func() spectrum.Tridiagonal
	if err := c.Run(func(rec *vk.Recorder) { received = path.reduction.record(rec, c, path.values) }); err != nil {
		return nil, err
	}
	t := received()
	tail := spectrum.Tail[T]{Stage: path.values, Sigma: sigma}
	res, err := finish(c, tail, t, Options{Certify: p.opt.Certify}, p.base.N, func(part spectrum.Part) (*Certificate, error) {
		found, err := certifyGolubKahan[T](c, path.values, sigma, b.norm(e), p.base.N, t, part)
		found.Norm *= precision.UlpOf[T]() / p.opt.Storage.Ulp()
		if p.opt.Storage != Double { // measured errors in these formats do not grow with N
			found.Norm *= float64(p.base.N)
		}
		return found, err
	})
	if err != nil {
		return nil, err
	}
	res.ulp = p.opt.Storage.Ulp()
	res.most, res.norm = math.Ldexp(res.most, -more), math.Ldexp(res.norm, -more)
	for i, x := range res.Values {
		res.Values[i] = math.Ldexp(x, -more)
	}
	return res, res.overflow()
}
