package svd

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
)

// Check measures the vectors of the result `res` against the matrix `c` that was solved, as
// Plan.Check does. The host computes the residual, in O(n·k) operations for k vectors of each side.
// The device computes the orthogonality.
func (p *BidiagonalPlan[T]) Check(ctx context.Context, c Bidiagonal[T], res *Result[T]) (Ratios, error) {
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.accepts(c); err != nil {
		return Ratios{}, err
	}
	if err := needVectors(p.opt, res); err != nil {
		return Ratios{}, err
	}
	n, both := p.base.N, [2]*evd.Dense[T]{left: res.U, right: res.V}
	for of, z := range both {
		if z != nil && (p.wants[of] == None || z.RowMajor || z.Rows != n || z.Cols != len(res.Values) || z.Cols > p.k || !plan.Dense[T](*z).Fits()) {
			return Ratios{}, &ShapeError{Rows: z.Rows, Cols: z.Cols, Ld: z.Ld, Len: len(z.Data), PlanRows: n, PlanCols: p.k}
		}
	}
	switch {
	case n == 0:
		return Ratios{}, nil
	case len(res.Values) == 0:
		return Ratios{Residual: math.Inf(1)}, nil
	}
	largest, err := c.scan()
	if err != nil {
		return Ratios{}, err
	}
	found := Ratios{}
	if res.U != nil && res.V != nil {
		found.Residual = c.residual(scaling[float64](largest), res)
	}
	if !ratio.Descending(res.Values) {
		found.Residual = math.Inf(1)
	}
	s := &solve[T]{&p.problem, p.path.Now, p.base.Begin(ctx, nil)}
	z, err := s.send(res, left, right)
	if err != nil {
		return Ratios{}, plan.During(stages.PhaseCheck, err)
	}
	sums, err := s.columnSums(z, nil)
	if err != nil {
		return Ratios{}, plan.During(stages.PhaseCheck, err)
	}
	unit := float64(n) * precision.UlpOf[T]()
	found.Left, found.Right = plan.Ratio(sums[left], 1, unit), plan.Ratio(sums[right], 1, unit)
	return found, nil
}

// residual returns ‖σC·V − U·σΣ‖₁ / (‖σC‖₁·n·ε). `sigma` = σ is a power of two that keeps the
// products in the range of doubles.
func (b Bidiagonal[T]) residual(sigma float64, res *Result[T]) float64 {
	n := len(b.D)
	d, e := spectrum.Scale(b.D, sigma), append(spectrum.Scale(b.off(), sigma), 0)
	norm, sums := 0.0, make([]float64, len(res.Values))
	for i := range d {
		column := math.Abs(d[i])
		if i > 0 {
			column += math.Abs(e[i-1])
		}
		norm = max(norm, column)
	}
	for j, value := range res.Values {
		u, v := res.U.Data[j*res.U.Ld:], res.V.Data[j*res.V.Ld:]
		for i := range n {
			x := d[i]*float64(v[i]) - float64(u[i])*(float64(value)*sigma)
			if i+1 < n {
				x += e[i] * float64(v[i+1])
			}
			sums[j] += math.Abs(x)
		}
	}
	return plan.Ratio(sums, max(norm, precision.SafeMinOf[T]()*sigma), float64(n)*precision.UlpOf[T]())
}
