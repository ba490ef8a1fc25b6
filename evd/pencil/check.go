package pencil

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/refine"
)

// Check measures the errors of the result `res` for the pair, on the device:
//
//	Residual        the largest ‖A·x − λ·B·x‖₁ / ((‖A‖₁ + |λ|·‖B‖₁)·‖x‖₁·n·ulp)          AxLBx
//	                the largest ‖A·B·x − λ·x‖₁ / ((‖A‖₁·‖B‖₁ + |λ|)·‖x‖₁·n·ulp)          ABxLx
//	                the same for B·A·x                                                   BAxLx
//	Orthogonality   the largest Σᵢ |xᵢᴴ·B·x − δ| / (‖xᵢ‖₂·‖x‖₂·‖B‖₁·n·ulp), with B⁻¹ for BAxLx
//
// Here x and xᵢ are vectors of the result, and δ is 1 if they are the same, and otherwise 0. For
// BAxLx, an estimate of ‖B⁻¹‖₂ takes the place of ‖B‖₁. Residual is the backward error of the pairs
// of a value and a vector. It does not depend on the scales of A and B, nor on the length of a
// vector. Orthogonality is small for every condition number of B, with the exception below. The
// Residual of some x grows with the condition number of B, in LAPACK as here, unless A = L·M·Lᴴ for
// a matrix M whose elements have similar magnitudes, or unless Options.Refine is set. For the other
// problems it does not grow.
//
// The exception: the factor of B is applied by inverses of its diagonal blocks, and substitution, as
// in LAPACK, is more accurate if one pivot of a block is far smaller than the others. For L with
// ones and one 10⁻⁶ on its diagonal, in double precision, Orthogonality was 4600, and Residual 1400
// for A = L·M·Lᴴ and 5·10⁶ for A = B. Options.Verify finds such results.
//
// With canonical orthogonalisation, the residual is that in the space of the directions that were
// kept, and the norms are those of D·A·D and D·B·D (see Overlap). With y = D⁻¹·x:
//
//	Residual        the largest ‖Vᴴ·(D·A·D·y − λ·D·B·D·y)‖₁ / ((‖D·A·D‖₁ + |λ|·‖D·B·D‖₁)·‖y‖₁·n·ulp)
//	                and ‖y − V·Vᴴ·y‖₁ / (‖y‖₁·n·ulp), which shows that x is in this space
//	Orthogonality   as above, for D·B·D and y
//
// The errors are *evd.OptionError without vectors, *MatrixError, *evd.ShapeError if `res` does not
// fit the plan, ErrNoFactor, evd.ErrClosed, ctx.Err(), and those of the device. For BAxLx and with
// canonical orthogonalisation, Check needs the factor of B that the last Factor or SolvePair has
// computed, and returns ErrNoFactor if there is none. In other cases Check does not need the factor.
func (p *Plan[T]) Check(ctx context.Context, a, b evd.Sym[T], res *Result[T]) (evd.Ratios, error) {
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.accepts(a, "A"); err != nil {
		return evd.Ratios{}, err
	}
	if err := p.accepts(b, "B"); err != nil {
		return evd.Ratios{}, err
	}
	if !p.opt.Vectors || res.Vectors == nil {
		return evd.Ratios{}, plan.BadOption("Vectors", "a check needs them, in the plan and in the result")
	}
	if z, n := res.Vectors, p.base.N; z.Rows != n || z.Cols > p.opt.config().Capacity(n) || len(res.Values) != z.Cols {
		return evd.Ratios{}, &evd.ShapeError{N: z.Rows, Ld: z.Ld, Len: len(z.Data), Plan: n}
	} else if !plan.Dense[T](*z).Fits() {
		return evd.Ratios{}, &evd.ShapeError{N: z.Rows, Ld: z.Ld, Len: len(z.Data)}
	}
	if (p.opt.Type == BAxLx || p.opt.Overlap.Canonical) && p.factored == nil {
		return evd.Ratios{}, ErrNoFactor
	}
	if p.canonical != nil {
		return p.canonical.check(newCall(ctx, stepBack, allSteps, nil), a, b, res)
	}
	if p.base.N <= 1 {
		return checkOne(p, a, b, res)
	}
	s := dense.Solve[T]{Stages: p.stages.Now, Call: p.base.Begin(ctx, nil)}
	r, _, err := p.measure(&s, a, &b, res)
	return r, err
}

// measure measures the errors of the result `res`. If b is nil, B is the one that the plan keeps on
// the device. `noise` says up to which magnitude a refinement of the scaled pair takes numbers for
// rounding errors.
func (p *Plan[T]) measure(s *dense.Solve[T], a evd.Sym[T], b *evd.Sym[T], res *Result[T]) (r evd.Ratios, noise refine.Noise[T], err error) {
	m := len(res.Values)
	if m == 0 {
		return r, noise, nil
	}
	sigma := [2]float64{0, 1}
	if sigma[0], err = s.Scale(triangle(a)); err != nil {
		return r, noise, cause("A", err)
	}
	var given *dense.Triangle[T]
	if b == nil {
		sigma[1] = p.factored.Sigma
	} else {
		t := triangle(*b)
		given = &t
		if sigma[1], err = s.Scale(t); err != nil {
			return r, noise, cause("B", err)
		}
	}
	values, least, vectors := p.scaledPairs(sigma, res)
	one, two := vectors.Norms()
	weights := make([]float64, m)
	for i := range weights {
		weights[i] = 1 / two[i]
	}
	sums, columns, err := s.PairSums(triangle(a), given, sigma, values, vectors, weights)
	if err != nil {
		return r, noise, plan.During(stages.PhaseCheck, err)
	}
	ulp, normA, normB := precision.UlpOf[T](), plan.Largest(columns[0]), plan.Largest(columns[1])
	noise = refine.Noise[T]{A: noiseUlps * ulp * normA, B: noiseUlps * ulp * normB, Lengths: spectrum.Unscale[T](two, 1)}
	unit := float64(p.base.N) * ulp
	for j := range m {
		value := max(math.Abs(values[j]), least)
		within := normA*normB + value
		across := normB
		switch p.opt.Type {
		case AxLBx:
			within = normA + value*normB
		case BAxLx:
			across = p.factored.Condition / normB
		}
		r.Residual = max(r.Residual, plan.Ratio(sums[0][j:j+1], within*one[j], unit))
		r.Orthogonality = max(r.Orthogonality, plan.Ratio(sums[1][j:j+1], across*two[j], unit))
	}
	return r, noise, nil
}

// scaledPairs returns the values and vectors of the scaled pair. `least` is the smallest double
// with full precision, multiplied by the same factors as the values. Values below `least` have
// fewer correct digits. The vectors are in the memory of the result, unless B is scaled.
func (p *Plan[T]) scaledPairs(sigma [2]float64, res *Result[T]) (values []float64, least float64, vectors dense.Stored[T]) {
	z, columns := res.Vectors, plan.Dense[T](*res.Vectors).Columns()
	second, shrink := sigma[1], math.Sqrt(sigma[1])
	switch p.opt.Type {
	case AxLBx:
		second, shrink = 1/second, 1/shrink
	case ABxLx:
		shrink = 1 / shrink
	}
	if shrink != 1 {
		data := make([]T, len(z.Data))
		copy(data, z.Data)
		dense.Multiply(data, shrink)
		columns.Data = data
	}
	scaled := func(v []float64) []float64 { return spectrum.Scale(spectrum.Scale(v, sigma[0]), second) } // the product of both may overflow
	least = min(scaled([]float64{spectrum.SafeMin})[0], math.MaxFloat64)
	return scaled(res.Values), least, dense.Stored[T]{Columns: columns, Transposed: z.RowMajor}
}

// checkOne does the same as Check for the orders 0 and 1.
func checkOne[T evd.Number](p *Plan[T], a, b evd.Sym[T], res *Result[T]) (r evd.Ratios, err error) {
	if len(res.Values) == 0 {
		return r, nil
	}
	entries := [2]float64{}
	for i, m := range []evd.Sym[T]{a, b} {
		if _, err := triangle(m).Largest(); err != nil {
			return r, cause([]string{"A", "B"}[i], err)
		}
		entries[i] = triangle(m).Diagonal(0)
	}
	x, value, unit := math.Abs(spectrum.Scale(res.Vectors.Data[:1], 1)[0]), res.Values[0], precision.UlpOf[T]()
	right, norm := entries[0]*entries[1], entries[1]
	within := math.Abs(right) + math.Abs(value)
	switch p.opt.Type {
	case AxLBx:
		right, value = entries[0], value*entries[1]
		within = math.Abs(right) + math.Abs(value)
	case BAxLx:
		norm = 1 / norm
	}
	r.Residual = plan.Ratio([]float64{math.Abs(right - value)}, within, unit)
	r.Orthogonality = plan.Ratio([]float64{math.Abs(norm*x*x - 1)}, norm*x*x, unit)
	return r, nil
}
