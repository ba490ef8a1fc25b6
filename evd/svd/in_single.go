package svd

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/vk"
)

func (p *Plan[T]) prepareInSingle(dev *vk.Device) (err error) {
	if p.single, err = NewPlan[float32](dev, p.m, p.n, p.asked); err != nil {
		return err
	}
	p.tune, p.base = p.single.tune, p.single.base
	return nil
}

// solveInSingle multiplies the matrix by a power of two, rounds it to float32 and solves it by the
// plan for float32. In the end it divides the values by this power of two.
func (p *Plan[T]) solveInSingle(ctx context.Context, a evd.Dense[T]) (*Result[T], error) {
	if err := p.fits(a); err != nil {
		return nil, err
	}
	largest, err := scan(a)
	if err != nil {
		return nil, err
	}
	sigma, more := p.asked.Storage.scaling(largest, func(e int) float64 { return norm(a, e) })
	found, err := p.single.Solve(ctx, inSingle(a, sigma, math.Ldexp(1, more)))
	if err != nil {
		return nil, err
	}
	res := &Result[T]{
		Values: make([]float64, len(found.Values)), First: found.First, Certificate: found.Certificate, Profile: found.Profile,
		Retried: found.Retried, order: found.order, ulp: found.ulp,
		most: math.Ldexp(found.most/sigma, -more), norm: math.Ldexp(found.norm/sigma, -more),
	}
	for i, x := range spectrum.Unscale[float64](spectrum.Scale(found.Values, 1), sigma) {
		res.Values[i] = math.Ldexp(x, -more)
	}
	return res, res.overflow()
}

func inSingle[T evd.Number](a evd.Dense[T], sigma, more float64) evd.Dense[float32] {
	rows, cols := stored(a)
	b := evd.Dense[float32]{Rows: a.Rows, Cols: a.Cols, Ld: max(rows, 1), RowMajor: a.RowMajor, Data: make([]float32, rows*cols)}
	tridiag.Parallel(cols, func(j int) {
		for i, x := range spectrum.Scale(a.Data[j*a.Ld:j*a.Ld+rows], sigma) { // T is real
			b.Data[i+j*rows] = float32(x * more)
		}
	})
	return b
}
