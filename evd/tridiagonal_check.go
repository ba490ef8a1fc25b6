package evd

import (
	"context"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Check is Plan.Check for a tridiagonal: ‖T·Z − Z·Λ‖₁ / (‖T‖₁·n·ulp) and ‖ZᵀZ − I‖₁ / (n·ulp)
// (dstt22). It needs vectors.
func (p *TridiagonalPlan[T]) Check(ctx context.Context, t Tridiagonal[T], res *Result[T]) (Ratios, error) {
	p.busy.Lock()
	defer p.busy.Unlock()
	if !p.opt.Vectors || res.Vectors == nil {
		return Ratios{}, &OptionError{"Vectors", "a check needs them, in the plan and in the result"}
	}
	if err := p.made(t, res); err != nil {
		return Ratios{}, err
	}
	z, m := res.Vectors, len(res.Values)
	if z.Rows != p.n || z.Cols != m {
		return Ratios{}, &ShapeError{N: z.Rows, Ld: z.Ld, Len: len(z.Data), Plan: p.n}
	}
	if err := res.Vectors.check(); err != nil {
		return Ratios{}, err
	}
	if m == 0 {
		return Ratios{}, nil
	}
	c := p.begin(ctx, nil)
	scaled, values, least, err := p.scaled(c, t, res)
	if err != nil {
		return Ratios{}, err
	}
	zs := stages.NewMatrix(p.z.In(c.ws), p.n, m, p.n)
	if err := restore(ctx, p.dev, p.finish, z, p.spectral.x.In(c.ws), zs); err != nil {
		return Ratios{}, err
	}
	residual, orthogonality := make([]float64, m), make([]float64, m)
	err = c.run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseCheck, 0, p.residuals.Flops())
		vk.SendFirst(rec, p.spectral.values.In(c.ws), values)
		p.residuals.Record(rec, c.ws, p.spectral.d.In(c.ws), p.spectral.e.In(c.ws), zs, p.spectral.values.In(c.ws), p.residual.In(c.ws), p.orthogonality.In(c.ws))
		vk.ReceiveLast(rec, residual, p.residual.In(c.ws))
		vk.ReceiveLast(rec, orthogonality, p.orthogonality.In(c.ws))
	})
	if err != nil {
		return Ratios{}, err
	}
	unit := float64(p.n) * ulp
	return Ratios{quotient(largest(residual), max(scaled.norm1(), least), unit), quotient(largest(orthogonality), 1, unit)}, nil
}

// Certify proves by Sturm counts how near each value is to the eigenvalue of the index
// that the result gives it: for the distance w returned, in units of n·ulp·‖T‖₁,
//
//	at most First+k eigenvalues are below Values[k] − w,  at least First+k+1 below Values[k] + w
//
// for all k. w is at most twice as large as need be, and never below 4·ulp·‖T‖₁, which is
// what the counts themselves may err. It needs no vectors. A NaN gives +Inf.
//
// Source: LAPACK's dstech, which compares clusters; here each value has to stand for itself.
func (p *TridiagonalPlan[T]) Certify(ctx context.Context, t Tridiagonal[T], res *Result[T]) (float64, error) {
	p.busy.Lock()
	defer p.busy.Unlock()
	if err := p.made(t, res); err != nil {
		return 0, err
	}
	if len(res.Values) == 0 {
		return 0, nil
	}
	c := p.begin(ctx, nil)
	scaled, values, least, err := p.scaled(c, t, res)
	if err != nil {
		return 0, err
	}
	return p.spectral.certify(c, values, res.First, max(scaled.norm1(), least))
}

// made says whether the plan can have made the result from t.
func (p *TridiagonalPlan[T]) made(t Tridiagonal[T], res *Result[T]) error {
	if err := p.accepts(t); err != nil {
		return err
	}
	if m := len(res.Values); m > p.opt.Select.capacity(p.n) || res.First < 0 || res.First+m > p.n {
		return &ShapeError{N: m, Len: len(t.E), Tridiagonal: true, Plan: p.n}
	}
	return nil
}

// scaled brings σ·T to the device, and returns it and σ·λ; least is the least norm
// that counts as one, times σ.
func (p *TridiagonalPlan[T]) scaled(c *call, t Tridiagonal[T], res *Result[T]) (s Tridiagonal[float64], values []float64, least float64, err error) {
	top, err := t.scan()
	if err != nil {
		return s, nil, 0, err
	}
	sigma := scaling(top)
	s = t.times(sigma)
	return s, rescale(res.Values, sigma), safeMin * sigma, p.upload(c, s)
}
