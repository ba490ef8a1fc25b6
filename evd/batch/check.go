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

func (p *solver[T, R]) check(ctx context.Context, a matrices[T, R], s []Spectrum[T]) ([]evd.Ratios, error) {
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
	return all, tridiag.ParallelUntil(len(s), func(k int) {
		if all[k] = (evd.Ratios{Residual: math.Inf(1), Orthogonality: math.Inf(1)}); s[k].Err == nil {
			all[k] = a.ratios(k, s[k])
		}
	}, ctx.Err)
}

// ratios measures the spectrum of the matrix `full`.
func ratios[T Number](s Spectrum[T], full []T) evd.Ratios {
	if precision.IsComplex[T]() {
		return measured[T](s, full, complexes)
	}
	return measured(s, full, reals)
}

// reals returns real numbers in double precision.
func reals[T Number](v []T) []float64 { return spectrum.Scale(v, 1) }

// measured measures the spectrum of the matrix `full`. The function `wide` converts numbers to
// double precision.
func measured[T Number, W ratio.Number](s Spectrum[T], full []T, wide func([]T) []W) evd.Ratios {
	n, m, ld, a, z := s.Vectors.Rows, len(s.Values), s.Vectors.Ld, wide(full), wide(s.Vectors.Data)
	unit := precision.UlpOf[T]() / spectrum.Ulp
	return evd.Ratios{
		Residual:      ratio.Residual(n, m, a, n, s.Values, z, ld) / unit,
		Orthogonality: ratio.Orthogonality(n, m, z, ld) / unit,
	}
}

// complexes returns complex numbers in double precision.
func complexes[T Number](v []T) (wide []complex128) {
	switch v := any(v).(type) {
	case []complex128:
		return v
	case []complex64:
		for _, x := range v {
			wide = append(wide, complex128(x))
		}
	}
	return wide
}
