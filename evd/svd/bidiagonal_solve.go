package svd

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/vk"
)

// Bidiagonal is an upper bidiagonal matrix C: D is its diagonal, E[i] = C(i, i+1). E must have at
// least len(D)−1 elements. Further elements are ignored.
type Bidiagonal[T evd.Float] struct{ D, E []T }

func (b Bidiagonal[T]) off() []T { return b.E[:max(0, len(b.D)-1)] }

// scan returns the largest magnitude of an entry, or an *evd.NonFiniteError.
func (b Bidiagonal[T]) scan() (largest float64, err error) {
	largest, i := plan.ScanColumn(b.D, 0)
	if i >= 0 {
		return 0, &evd.NonFiniteError{Row: i, Col: i, Value: float64(b.D[i])}
	}
	if largest, i = plan.ScanColumn(b.off(), largest); i >= 0 {
		return 0, &evd.NonFiniteError{Row: i, Col: i + 1, Value: float64(b.E[i])}
	}
	return largest, nil
}

func (p *BidiagonalPlan[T]) accepts(c Bidiagonal[T]) error {
	if n := p.base.N; len(c.D) != n || len(c.E) < n-1 {
		return &ShapeError{Rows: len(c.D), Cols: len(c.D), Len: len(c.E), PlanRows: n, PlanCols: n}
	}
	return p.base.Open()
}

// Solve computes the singular values of c, and the vectors that the options ask for. Solve does not
// write to c. The error of each value is at most a few units in its own last place (ulp), or
// 2⁻⁹⁶⁰·‖C‖ if this is larger. Small values keep their digits, because the values come from
// bisection on the Golub-Kahan form of C. If two entries of C that are not 0 have a ratio above
// 2⁴⁵⁰, the host finds the values below 2⁻³⁹⁰ times the largest entry, each in O(n) operations. The
// vectors come from divide and conquer. Solve returns the same errors as Plan.Solve.
func (p *BidiagonalPlan[T]) Solve(ctx context.Context, c Bidiagonal[T]) (*Result[T], error) {
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.accepts(c); err != nil {
		return nil, err
	}
	call := p.base.Begin(ctx, plan.ProgressOf(p.Costs(), plan.Rising(p.opt.Progress)))
	s := &solve[T]{&p.problem, p.path.Now, call}
	if p.n == 0 {
		return s.empty(), nil
	}
	largest, err := c.scan()
	if err != nil {
		return nil, err
	}
	sigma, values := scaling[float64](largest), s.steps.values
	t, norm := c.golubKahan(sigma)
	if err := call.Run(func(rec *vk.Recorder) { values.Send(rec, call.Arena, t) }); err != nil {
		return nil, err
	}
	z := s.singularVectors(t, left, right)
	tail := spectrum.Tail[T]{Stage: values, Sigma: sigma, Vectors: z.downloads(left, right), Found: z.found}
	res, err := finish(call, tail, t, p.opt, p.n, func(part spectrum.Part) (*Certificate, error) {
		return certifyGolubKahan[T](call, values, sigma, norm, p.n, t, part)
	})
	if err != nil {
		return nil, err
	}
	return res, res.overflow()
}

// golubKahan returns the Golub-Kahan form of σ·C, with the off-diagonal D[0], E[0], D[1], E[1] …,
// and the Frobenius norm of σ·C.
func (b Bidiagonal[T]) golubKahan(sigma float64) (t spectrum.Tridiagonal, norm float64) {
	d, e := spectrum.Scale(b.D, sigma), spectrum.Scale(b.off(), sigma)
	t = spectrum.Tridiagonal{D: make([]float64, 2*len(d)), E: make([]float64, 2*len(d)-1)}
	squares := 0.0
	for i, x := range d {
		t.E[2*i] = x
		squares += x * x
	}
	for i, x := range e {
		t.E[2*i+1] = x
		squares += x * x
	}
	return t, math.Sqrt(squares)
}
