package batch

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/tridiag"
)

func (p *solver[T]) check(ctx context.Context, a matrices[T], s []Spectrum[T]) ([]evd.Ratios, error) {
	if !p.opt.Vectors {
		return nil, plan.BadOption("Vectors", "a check needs them, in the plan and in the result")
	}
	if a.count() != len(s) {
		return nil, &evd.ShapeError{N: a.count(), Len: len(s)}
	}
	for k := range s {
		from, to, err := p.wanted(a, k)
		if err == nil {
			err = p.fits(a.order(k), to-from, s[k])
		}
		if err != nil {
			return nil, err
		}
	}
	all := make([]evd.Ratios, len(s))
	return all, tridiag.ParallelUntil(len(s), func(k int) { all[k] = ratios(a, k, s[k]) }, ctx.Err)
}

func ratios[T Number](a matrices[T], k int, s Spectrum[T]) evd.Ratios {
	if s.Err != nil {
		return evd.Ratios{Residual: math.Inf(1), Orthogonality: math.Inf(1)}
	}
	n, m, ld, z := a.order(k), len(s.Values), s.Vectors.Ld, spectrum.Scale(s.Vectors.Data, 1)
	unit := precision.UlpOf[T]() / spectrum.Ulp
	return evd.Ratios{
		Residual:      ratio.Residual(n, m, a.full(k), n, s.Values, z, ld) / unit,
		Orthogonality: ratio.Orthogonality(n, m, z, ld) / unit,
	}
}
