package evd

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Check measures a result with vectors against the matrix that it belongs to, on the device and
// independently of how it was found:
//
//	‖A·Z − Z·Λ‖₁ / (‖A‖₁·n·ulp),  ‖ZᵀZ − I‖₁ / (n·ulp)      (dsyt22)
//
// a must be as it was given to Solve. (After a Solve with Options.Overwrite it is not.) Errors:
// *OptionError without vectors, *ShapeError if a or res does not fit the plan, *NonFiniteError,
// ErrClosed, ctx.Err(), and those of the device.
func (p *Plan[T]) Check(ctx context.Context, a Sym[T], res *Result[T]) (Ratios, error) {
	a = a.withLd()
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.accepts(a); err != nil {
		return Ratios{}, err
	}
	n := p.base.N
	if !p.opt.Vectors || res.Vectors == nil {
		return Ratios{}, errNoVectors
	}
	if z := res.Vectors; z.Rows != n || z.Cols > p.opt.capacity(n) || len(res.Values) != z.Cols {
		return Ratios{}, &ShapeError{N: z.Rows, Ld: z.Ld, Len: len(z.Data), Plan: n}
	}
	if err := res.Vectors.check(); err != nil {
		return Ratios{}, err
	}
	s := &solve[T]{p.path, p.base.Begin(ctx, nil)}
	return s.check(a, res)
}

// errNoVectors is the error of checks without vectors.
var errNoVectors = spectrum.BadOption("Vectors", "a check needs them, in the plan and in the result")

// check is Check for a result that fits the plan. If the result has no values, its ratios are 0.
func (s *solve[T]) check(a Sym[T], res *Result[T]) (Ratios, error) {
	if s.n == 0 || len(res.Values) == 0 {
		return Ratios{}, nil
	}
	sums, sigma, err := s.columnSums(a, res)
	if err != nil {
		return Ratios{}, spectrum.During(stages.PhaseCheck, err)
	}
	return newRatios(sums, max(norm1(a, sigma), spectrum.SafeMin*sigma), s.n), nil
}

// columnSums returns the column sums of |σ·A·Z − Z·σ·Λ| and |ZᵀZ − I|, one for each vector. σ is
// the factor that the function scale returns. The ratio of the residual does not depend on σ, but
// without σ the sums of tiny or huge matrices would overflow or underflow.
//
// Z is uploaded to the place of Sᵀ, and A to its own. The plan's memory holds nothing else that a
// later call needs.
func (s *solve[T]) columnSums(a Sym[T], res *Result[T]) (sums [2][]float64, sigma float64, err error) {
	if sigma, err = s.scale(a); err != nil {
		return sums, 0, err
	}
	m, t, ws := res.Vectors.Cols, s.steps.spectrum, s.Arena
	z := s.doubles.vectors(product.NewMatrix(t.X(ws), s.n, m, s.n))
	// The vectors are uploaded first, because row-major ones are uploaded to A's place.
	if err := s.steps.orient.restore(s.Ctx, s.Dev, res.Vectors, s.regions.a.In(ws), z); err != nil {
		return sums, sigma, err
	}
	if err := s.upload(s.Ctx, s.Dev, ws, a); err != nil {
		return sums, sigma, err
	}
	lambda := spectrum.Scale(res.Values, sigma)
	rec := vk.NewRecorder(s.Dev)
	rec.Phase(stages.PhaseCheck, 0, s.steps.residuals.Flops())
	vk.SendFirst(rec, t.Lambda(ws), lambda)
	s.recordLoad(rec, ws, a.Uplo, sigma)
	out := [2]vk.Slice[T]{s.regions.residual.In(ws), s.regions.orthogonality.In(ws)}
	s.steps.residuals.Record(rec, ws, s.matrixA(ws), z,
		stages.Sums[T]{Lambda: s.doubles.values(t.Lambda(ws)), Residual: out[0], Orthogonality: out[1]})
	var found [2][]T
	for i := range found {
		found[i] = make([]T, m)
		vk.ReceiveLast(rec, found[i], out[i])
	}
	_, err = s.Dev.Run(s.Ctx, rec, nil)
	for i := range sums {
		sums[i] = spectrum.Scale(found[i], 1)
	}
	return sums, sigma, err
}

// norm1 is ‖σ·A‖₁, the largest column sum of magnitudes. It reads one triangle, so an entry off the
// diagonal counts in two columns. NaN entries give NaN.
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
