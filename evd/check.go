package evd

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Ratios are LAPACK's measures of a set of eigenpairs. Below 60 LAPACK calls a
// two-stage solver right; a good one stays below 10. A NaN anywhere gives +Inf.
type Ratios struct {
	Residual      float64 `json:"residual"`      // ‖A·Z − Z·Λ‖₁ / (‖A‖₁·n·ulp), as dsyt22
	Orthogonality float64 `json:"orthogonality"` // ‖ZᵀZ − I‖₁ / (n·ulp)
}

// Threshold is where LAPACK's two-stage tests fail.
const Threshold = 60

// Passed says whether both ratios are below the threshold.
func (r Ratios) Passed() bool { return r.Residual < Threshold && r.Orthogonality < Threshold }

const (
	ulp     = 0x1p-52   // LAPACK's eps·base
	safeMin = 0x1p-1022 // the safe minimum, below which numbers lose digits: norms count as at least this, as in dsyt21
)

// Check measures a result against the matrix it belongs to, on the device and
// independently of how it was found. It needs vectors. a is as it was given to Solve.
func (p *Plan[T]) Check(ctx context.Context, a Sym[T], res *Result[T]) (Ratios, error) {
	p.busy.Lock()
	defer p.busy.Unlock()
	if err := p.accepts(a); err != nil {
		return Ratios{}, err
	}
	if !p.opt.Vectors || res.Vectors == nil {
		return Ratios{}, &OptionError{"Vectors", "a check needs them, in the plan and in the result"}
	}
	if z := res.Vectors; z.Rows != p.n || z.Cols > p.opt.Select.capacity(p.n) || len(res.Values) != z.Cols {
		return Ratios{}, &ShapeError{N: z.Rows, Ld: z.Ld, Len: len(z.Data), Plan: p.n}
	}
	if err := res.Vectors.check(); err != nil {
		return Ratios{}, err
	}
	return p.check(ctx, a, res)
}

// check is Check for a result of the plan's.
func (p *Plan[T]) check(ctx context.Context, a Sym[T], res *Result[T]) (Ratios, error) {
	if p.n == 0 || len(res.Values) == 0 {
		return Ratios{}, nil
	}
	sums, sigma, err := p.residuals(ctx, a, res)
	if err != nil {
		return Ratios{}, during(stages.PhaseCheck, err)
	}
	n := float64(p.n)
	return Ratios{
		Residual:      quotient(largest(sums[0]), max(norm1(a, sigma), safeMin*sigma), n*ulp),
		Orthogonality: quotient(largest(sums[1]), 1, n*ulp),
	}, nil
}

// residuals are the column sums of stages.Residual for σ·A, and σ.
func (p *Plan[T]) residuals(ctx context.Context, a Sym[T], res *Result[T]) (sums [2][]float64, sigma float64, err error) {
	if sigma, err = scale(a); err != nil {
		return sums, 0, err
	}
	m, t := res.Vectors.Cols, p.steps.spectral
	z := stages.NewMatrix(t.x.In(p.arena), p.n, m, p.n)
	// The vectors first: they may go by way of A's place.
	if err := restore(ctx, p.dev, p.steps.finish, res.Vectors, p.regions.a.In(p.arena), z); err != nil {
		return sums, sigma, err
	}
	if err := p.upload(ctx, a); err != nil {
		return sums, sigma, err
	}
	lambda := rescale(res.Values, sigma)
	rec := vk.NewRecorder(p.dev)
	rec.Phase(stages.PhaseCheck, 0, p.steps.residuals.Flops())
	vk.SendFirst(rec, t.values.In(p.arena), lambda)
	p.recordLoad(rec, a.Uplo, sigma)
	out := [2]vk.Slice[float64]{p.regions.residual.In(p.arena), p.regions.orthogonality.In(p.arena)}
	p.steps.residuals.Record(rec, p.arena, p.matrixA(), z, t.values.In(p.arena), out[0], out[1])
	for i := range sums {
		sums[i] = make([]float64, m)
		vk.ReceiveLast(rec, sums[i], out[i])
	}
	_, err = p.dev.Run(ctx, rec, nil)
	return sums, sigma, err
}

// largest is the maximum, or NaN if there is one.
func largest(v []float64) float64 {
	top := 0.0
	for _, x := range v {
		if math.IsNaN(x) {
			return x
		}
		top = max(top, x)
	}
	return top
}

// quotient is x/(norm·scale) with LAPACK's care: a zero matrix has ratio 0 if
// the error is 0, and nothing that is not a number passes.
func quotient(x, norm, scale float64) float64 {
	if x == 0 {
		return 0
	}
	// Divide by the norm first: it may be tiny, and the product would underflow.
	r := x / norm / scale
	if math.IsNaN(r) {
		return math.Inf(1)
	}
	return r
}

// norm1 is the largest column sum of σ·A.
func norm1[T Float](a Sym[T], sigma float64) float64 {
	sums := make([]float64, a.N)
	for j := range a.N {
		from, to := a.column(j)
		for i := from; i < to; i++ {
			x := math.Abs(float64(a.Data[i+j*a.Ld]) * sigma)
			sums[i] += x
			if i != j {
				sums[j] += x
			}
		}
	}
	return largest(sums)
}
