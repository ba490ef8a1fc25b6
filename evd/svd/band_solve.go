package svd

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Band is an upper band matrix of order N with B superdiagonals. The storage is that of LAPACK's
// dgbbrd: entry (i, j) is at Data[B + i − j + j·Ld] for max(0, j−B) ≤ i ≤ j, with Ld ≥ B+1. The
// other elements of Data are not read.
type Band[T evd.Float] struct {
	N, B, Ld int
	Data     []T
}

// fits reports whether N, B and Ld are possible sizes, and whether Data is long enough for them.
func (b Band[T]) fits() bool {
	return b.N >= 0 && b.B >= 0 && fits(evd.Dense[T]{Rows: b.B + 1, Cols: b.N, Ld: b.Ld, Data: b.Data})
}

// column returns the entries of column j of the band, without those outside of the matrix, and the
// row of the first of these entries.
func (b Band[T]) column(j int) (first int, entries []T) {
	first = max(0, j-b.B)
	return first, b.Data[b.B+first-j+j*b.Ld:][:j-first+1]
}

// scan returns max|b_ij|. If an entry is NaN or infinite, `scan` returns an *evd.NonFiniteError for
// the first such entry, column by column.
func (b Band[T]) scan() (largest float64, err error) {
	for j := range b.N {
		first, entries := b.column(j)
		var bad int
		if largest, bad = spectrum.ScanColumn(entries, largest); bad >= 0 {
			return 0, &evd.NonFiniteError{Row: first + bad, Col: j, Value: float64(entries[bad])}
		}
	}
	return largest, nil
}

// compact returns σ·B in the storage of stages.NarrowSize, and the Frobenius norm of σ·B. The
// factor `sigma` = σ is a power of two.
func (b Band[T]) compact(sigma float64, size stages.NarrowSize) (data []float64, norm float64) {
	data = make([]float64, size.BandLen())
	squares := 0.0
	for j := range b.N {
		first, entries := b.column(j)
		column := 0.0
		for k, x := range entries {
			y := float64(x) * sigma
			data[first+k+j*(size.From+2*size.Tile)+size.From+size.Tile] = y
			column += y * y
		}
		squares += column
	}
	return data, math.Sqrt(squares)
}

// Solve computes the singular values of b. It does not write to b. Its errors are those of Plan.Solve.
func (p *BandPlan[T]) Solve(ctx context.Context, b Band[T]) (*Result[T], error) {
	p.base.Lock()
	defer p.base.Unlock()
	if b.N != p.base.N || b.B != p.b || !b.fits() {
		return nil, &ShapeError{Rows: b.B + 1, Cols: b.N, Ld: b.Ld, Len: len(b.Data), PlanRows: p.b + 1, PlanCols: p.base.N}
	}
	if err := p.base.Open(); err != nil {
		return nil, err
	}
	report := spectrum.Rising(p.opt.Progress)
	return spectrum.Survive(
		func() *spectrum.Call { return p.base.Begin(ctx, spectrum.ProgressOf(p.Costs(), report)) },
		func(c *spectrum.Call) (*Result[T], error) { return p.solve(c, b) },
		p.avoidWaiting)
}

// solve computes the singular values of a band that fits the plan. It uses the stages that the plan
// has at this moment.
func (p *BandPlan[T]) solve(c *spectrum.Call, b Band[T]) (*Result[T], error) {
	if p.base.N == 0 {
		return withoutValues[T](c, p.opt.Certify), nil
	}
	largest, err := b.scan()
	if err != nil {
		return nil, err
	}
	sigma, path := scaling(largest), p.path
	data, norm := b.compact(sigma, path.narrow.NarrowSize)
	host := vk.Columns[float64]{Rows: len(data), Cols: 1, Ld: len(data), Data: data}
	if err := spectrum.During(stages.PhaseLoad, vk.Upload(c.Ctx, c.Dev, path.band.In(c.Arena), host)); err != nil {
		return nil, err
	}
	var t spectrum.Tridiagonal
	if err := c.Run(func(rec *vk.Recorder) { t = path.record(rec, c) }); err != nil {
		return nil, err
	}
	tail := spectrum.Tail[float64]{Stage: path.values, Sigma: sigma}
	return finish[T](c, tail, t, Options{Certify: p.opt.Certify}, p.base.N, func(part spectrum.Part) (*Certificate, error) {
		return certifyGolubKahan(c, path.values, sigma, norm, p.base.N, t, part)
	})
}

// record records the reduction of the band to the bidiagonal matrix C. The Golub-Kahan form of C
// stays on the device. `record` returns the host's copy of this form, which is filled when the
// recording has been executed.
func (p *bandPath) record(rec *vk.Recorder, c *spectrum.Call) spectrum.Tridiagonal {
	ws, none := c.Arena, stages.Reflectors[float64]{}
	p.narrow.Record(rec, ws, p.band.In(ws), p.general.In(ws))
	c.Info(rec, stages.PhaseBandNarrowing, p.narrow.Info(ws))
	rec.Phase(stages.PhaseBulgeChasing, 0, 1)
	vk.Fill(rec, p.values.D(ws), 0)
	p.chase.Record(rec, ws, p.general.In(ws), stages.GolubKahan(p.values.E(ws).Sub(0, 2*p.chase.N-1)), none, none)
	c.Info(rec, stages.PhaseBulgeChasing, p.chase.Info(ws))
	return p.values.Receive(rec, ws)
}
