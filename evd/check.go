package evd

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/residual"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/vk"
)

// Check measures the errors of the result `res`, values Λ and vectors Z, for the matrix `a`. The
// device computes the measures, and uses no intermediate results of the solve:
//
//	‖A·Z − Z·Λ‖₁ / (‖A‖₁·n·ulp),  ‖ZᵀZ − I‖₁ / (n·ulp)      (dsyt22)
//
// The argument `a` must be the matrix that was solved. (After a Solve with Options.Overwrite, the
// memory of this matrix holds the vectors instead.) The errors are *OptionError without vectors,
// *ShapeError if `a` or `res` does not fit the plan, *NonFiniteError, ErrClosed, ctx.Err(), and
// those of the device.
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
	g := p.together(&solve[T]{p.path.Now, p.base.Begin(ctx, nil)})
	defer g.end()
	ratios, err := g.check(a, res)
	return ratios, p.onFirst(err)
}

// errNoVectors is the error of Check if the plan does not compute vectors, or if the result has
// none.
var errNoVectors = plan.BadOption("Vectors", "a check needs them, in the plan and in the result")

// check measures the errors of the result `res` for the matrix `a`, on the first device, or on all if
// the matrix is distributed. Both must fit the plan. If the result has no values, its ratios are 0.
func (g *together[T]) check(a Sym[T], res *Result[T]) (Ratios, error) {
	if a.N == 0 || len(res.Values) == 0 {
		return Ratios{}, nil
	}
	measure := g.all[0].columnSums
	if g.plan.opt.Distribute {
		measure = g.columnSums
	}
	sums, sigma, err := measure(a, res)
	if err != nil {
		return Ratios{}, plan.During(stages.PhaseCheck, err)
	}
	return newRatios[T](sums, max(norm1(a, sigma), spectrum.SafeMinOf[T]()*sigma), a.N), nil
}

// columnSums measures the result `res`. Z has the vectors of `res` as columns, and Λ is the
// diagonal matrix of its values. The results are the column sums of |σ·A·Z − Z·σ·Λ|, those of |ZᵀZ
// − I|, and σ. σ is the factor that the function `scale` returns. Without σ, the sums of very large
// or very small matrices would overflow or underflow. The ratio of the residual does not depend on
// σ.
//
// columnSums uploads Z and A to device memory that a solve uses for vectors and for A. No later
// call needs the data that were in this memory.
func (s *solve[T]) columnSums(a Sym[T], res *Result[T]) (sums [2][]float64, sigma float64, err error) {
	if sigma, err = s.scale(a); err != nil {
		return sums, 0, err
	}
	m, t, ws := res.Vectors.Cols, s.steps.spectrum, s.Arena
	z := s.doubles.vectors(ws, t.Matrix(ws, s.n, m, s.n))
	// The vectors are uploaded before A, because row-major vectors need the memory of A as
	// workspace.
	if err := s.steps.orient.restore(s.Ctx, s.Dev, res.Vectors, s.regions.a.In(ws), z); err != nil {
		return sums, sigma, err
	}
	if err := s.upload(s.Ctx, s.Dev, ws, a); err != nil {
		return sums, sigma, err
	}
	if err := s.uploadTiny(s.Ctx, s.Dev, ws, a, sigma); err != nil {
		return sums, sigma, err
	}
	lambda := spectrum.Scale(res.Values, sigma)
	rec := vk.NewRecorder(s.Dev)
	rec.Phase(stages.PhaseCheck, 0, s.steps.residuals.Flops())
	at := s.doubles.Values(rec, ws, t.Lambda(ws), lambda)
	s.recordLoad(rec, ws, a.upper(), sigma)
	out := [2]vk.Slice[T]{s.regions.residual.In(ws), s.regions.orthogonality.In(ws)}
	s.steps.residuals.Record(rec, ws, s.matrixA(ws), z,
		residual.Sums[T]{Lambda: at, Residual: out[0], Orthogonality: out[1]})
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

// norm1 returns the 1-norm of σ·A, the largest column sum of magnitudes. It reads only one triangle
// of the symmetric matrix A, so each off-diagonal entry adds to the sums of two columns. If an
// entry is NaN, the result is NaN. The result does not depend on the number of CPU cores.
func norm1[T Float](a Sym[T], sigma float64) float64 {
	parts := min(32, 1+a.N/256)
	sums := make([][]float64, parts) // sums[p] is what the columns p, p + parts, … contribute
	tridiag.Parallel(parts, func(p int) {
		s := make([]float64, a.N)
		for j := p; j < a.N; j += parts {
			from, to := a.column(j)
			for i := from; i < to; i++ {
				x := math.Abs(float64(a.Data[i+j*a.Ld]) * sigma)
				s[i] += x
				if i != j {
					s[j] += x
				}
			}
		}
		sums[p] = s
	})
	for _, s := range sums[1:] {
		for i, x := range s {
			sums[0][i] += x
		}
	}
	return plan.Largest(sums[0])
}
