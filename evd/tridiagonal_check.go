package evd

import (
	"context"

	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
)

// Check measures the errors of the result `res`, values Λ and vectors Z, for the matrix `t`, as
// Plan.Check does:
//
//	‖T·Z − Z·Λ‖₁ / (‖T‖₁·n·ulp),  ‖ZᵀZ − I‖₁ / (n·ulp)      (dstt22)
//
// The returned error is one of those of Plan.Check.
func (p *TridiagonalPlan[T]) Check(ctx context.Context, t Tridiagonal[T], res *Result[T]) (Ratios, error) {
	p.base.Lock()
	defer p.base.Unlock()
	if !p.opt.Vectors || res.Vectors == nil {
		return Ratios{}, errNoVectors
	}
	if err := p.fits(t, res); err != nil {
		return Ratios{}, err
	}
	z, m, n := res.Vectors, len(res.Values), p.base.N
	if z.Rows != n || z.Cols != m {
		return Ratios{}, &ShapeError{N: z.Rows, Ld: z.Ld, Len: len(z.Data), Plan: n}
	}
	if err := res.Vectors.check(); err != nil {
		return Ratios{}, err
	}
	if m == 0 {
		return Ratios{}, nil
	}
	c := p.base.Begin(ctx, nil)
	scaled, err := p.uploadScaled(c, t, res)
	if err != nil {
		return Ratios{}, err
	}
	sums, err := p.sums.of(p, c, z, scaled)
	return newRatios[T](sums, scaled.norm, n), err
}

// Certify proves by Sturm counts how far each value of the result is from the eigenvalue with the
// same index. It returns a distance w, in units of n·ulp·‖T‖₁. For all k,
//
//	at most First+k eigenvalues are below Values[k] − w,  at least First+k+1 below Values[k] + w.
//
// w is at most twice the smallest distance with this property, and at least 4·ulp·‖T‖₁, because the
// counts have rounding errors, too. Certify needs no vectors. A NaN gives +Inf. The errors are a
// *ShapeError if t or res does not fit the plan, and those of Plan.Check.
//
// Source: LAPACK's dstech. dstech compares counts of whole clusters, and Certify those of each
// value.
func (p *TridiagonalPlan[T]) Certify(ctx context.Context, t Tridiagonal[T], res *Result[T]) (float64, error) {
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.fits(t, res); err != nil {
		return 0, err
	}
	if len(res.Values) == 0 {
		return 0, nil
	}
	c := p.base.Begin(ctx, nil)
	scaled, err := p.uploadScaled(c, t, res)
	if err != nil {
		return 0, err
	}
	return p.spectrum.Certify(c, scaled.values, res.First, scaled.norm, precision.UlpOf[T]())
}

// fits returns an error if the plan does not accept t, or if res cannot be a result of this plan.
func (p *TridiagonalPlan[T]) fits(t Tridiagonal[T], res *Result[T]) error {
	if err := p.accepts(t); err != nil {
		return err
	}
	if m, n := len(res.Values), p.base.N; m > p.opt.config().Capacity(n) || res.First < 0 || res.First+m > n {
		return &ShapeError{N: m, Len: len(t.E), Tridiagonal: true, Plan: n}
	}
	return nil
}

// scaled holds the data of the scaled tridiagonal matrix σ·T that a check needs on the host.
type scaled struct {
	// values are the eigenvalues of the result, multiplied by σ.
	values []float64

	// t is σ·T.
	t spectrum.Tridiagonal

	// norm is ‖σ·T‖₁ of the tridiagonal matrix T, but at least σ times the safe minimum.
	norm float64
}

// uploadScaled uploads the tridiagonal matrix σ·T to the device, and returns the data of σ·T that a
// check needs. σ is the factor that the function dense.Scaling returns. The error is a
// *NonFiniteError, or an error of package vk.
func (p *TridiagonalPlan[T]) uploadScaled(c *plan.Call, t Tridiagonal[T], res *Result[T]) (scaled, error) {
	top, err := t.scan()
	if err != nil {
		return scaled{}, err
	}
	sigma := dense.Scaling[float64](top)
	s := t.times(sigma)
	return scaled{spectrum.Scale(res.Values, sigma), s, max(s.Norm1(), precision.SafeMinOf[T]()*sigma)}, p.upload(c, s)
}
