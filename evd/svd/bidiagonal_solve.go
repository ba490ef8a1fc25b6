package svd

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Bidiagonal is an upper bidiagonal matrix C: D is its diagonal, E[i] = C(i, i+1). E has len(D)−1
// elements. If E is longer, the further elements are ignored.
type Bidiagonal[T evd.Float] struct{ D, E []T }

// off returns the first len(D)−1 elements of E, which are the off-diagonal entries of the
// bidiagonal matrix.
func (b Bidiagonal[T]) off() []T { return b.E[:max(0, len(b.D)-1)] }

// scan returns the largest magnitude of an entry of the bidiagonal matrix. If an entry is NaN or
// infinite, `scan` returns an *evd.NonFiniteError.
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

// accepts returns a *ShapeError if c does not fit the plan, and evd.ErrClosed if the plan is closed.
func (p *BidiagonalPlan[T]) accepts(c Bidiagonal[T]) error {
	if n := p.base.N; len(c.D) != n || len(c.E) < n-1 {
		return &ShapeError{Rows: len(c.D), Cols: len(c.D), Len: len(c.E), PlanRows: n, PlanCols: n}
	}
	return p.base.Open()
}

// Solve computes the singular values of c, and the vectors that the options ask for. Solve does not
// write to c. The error of each value is at most a few units in its own last place (ulp), or
// 2⁻⁹⁶⁰·‖C‖ if this is larger. Small values keep their digits, because the values come from bisection
// on the Golub-Kahan form of C. If the ratio of two entries of C is above 2⁴⁵⁰, the host finds the
// values below 2⁻³⁹⁰·‖C‖, each in O(n) operations. The vectors come from divide and conquer. Solve
// returns the same errors as Plan.Solve.
func (p *BidiagonalPlan[T]) Solve(ctx context.Context, c Bidiagonal[T]) (*Result[T], error) {
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.accepts(c); err != nil {
		return nil, err
	}
	call := p.base.Begin(ctx, plan.ProgressOf(p.Costs(), plan.Rising(p.opt.Progress)))
	if p.base.N == 0 {
		res := withoutValues[T](call, p.opt.Certify)
		if p.opt.U != None {
			res.U = &evd.Dense[T]{Ld: 1}
		}
		if p.opt.V != None {
			res.V = &evd.Dense[T]{Ld: 1}
		}
		return res, nil
	}
	largest, err := c.scan()
	if err != nil {
		return nil, err
	}
	sigma := scaling[float64](largest)
	t, norm := c.golubKahan(sigma)
	if err := call.Run(func(rec *vk.Recorder) { p.values.Send(rec, call.Arena, t) }); err != nil {
		return nil, err
	}
	b := &bidiagonalBases[T]{BidiagonalPlan: p, Call: call, c: c, sigma: sigma}
	tail := spectrum.Tail[T]{Stage: p.values, Sigma: sigma, Vectors: b.downloads(), Found: b.found}
	res, err := finish(call, tail, t, p.opt, p.base.N, func(part spectrum.Part) (*Certificate, error) {
		return certifyGolubKahan[T](call, p.values, sigma, norm, p.base.N, t, part)
	})
	if err != nil {
		return nil, err
	}
	return res, res.overflow()
}

// golubKahan returns the Golub-Kahan form of σ·C, and the Frobenius norm of σ·C. This form is the
// symmetric tridiagonal matrix of order 2n with a zero diagonal and the off-diagonal D[0], E[0],
// D[1], E[1] …
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

// bidiagonalBases computes the singular vectors of one bidiagonal matrix c. The vectors are those of the
// values with the indices from … from+k−1. The largest value has index 0.
type bidiagonalBases[T evd.Float] struct {
	*BidiagonalPlan[T]
	*plan.Call
	c       Bidiagonal[T]
	sigma   float64
	from, k int
	made    bool
}

// found receives the values for which vectors are wanted.
func (b *bidiagonalBases[T]) found(p spectrum.Part) { b.from, b.k = found(p, b.base.N) }

// downloads says how the wanted vectors are copied to the host: first U, then V. The first copy also
// makes the device compute the vectors of both sides.
func (b *bidiagonalBases[T]) downloads() (all []spectrum.Vectors[T]) {
	for of, wanted := range b.wants() {
		if wanted == None {
			continue
		}
		all = append(all, spectrum.Vectors[T]{Rows: b.base.N, Back: func(stages.Matrix) (product.Matrix[T], error) {
			err := b.conquerBoth()
			return b.columnsOf(side(of)), err
		}})
	}
	return all
}

// columnsOf returns the device memory in which the vectors of one side (left or right) are stored,
// as a matrix with a vector in each column.
func (b *bidiagonalBases[T]) columnsOf(of side) product.Matrix[T] {
	return product.NewMatrix(b.columns[of].In(b.Arena), b.base.N, b.k, b.base.N)
}

// conquerBoth computes the singular vectors of the bidiagonal matrix σ·C = S·Σ·Wᵀ by divide and
// conquer, at its first call. The vectors are the columns of S and W, with fixed signs. The singular
// values Σ of divide and conquer are not used: the result has those that bisection found, which are
// the same with and without vectors.
func (b *bidiagonalBases[T]) conquerBoth() error {
	if b.made || b.k == 0 {
		return nil
	}
	b.made = true
	d, e, ws := spectrum.Scale(b.c.D, b.sigma), spectrum.Scale(b.c.off(), b.sigma), b.Arena
	var x [2]stages.Matrix
	for of, wanted := range b.wants() {
		if wanted != None {
			x[of] = b.doubles.conquered(ws, side(of), b.k, b.base.N)
		}
	}
	if err := b.conquer.solve(b.Call, d, e, b.from, b.from+b.k, x); err != nil {
		return plan.During(stages.PhaseBidiagonal, err)
	}
	return b.Run(func(rec *vk.Recorder) {
		decided := false // V decides the signs, if it is wanted
		for _, of := range []side{right, left} {
			if b.wants()[of] == None {
				continue
			}
			b.doubles.Narrow(rec, ws, int(of), x[of])
			rec.Phase(stages.PhaseTranspose, 0, 1)
			found := b.columnsOf(of)
			b.transpose.Record(rec, product.NewMatrix(b.doubles.vectors(ws, of), b.k, b.base.N, b.k), found)
			if flipped := b.flipped.In(ws); decided {
				b.signs.RecordFollowing(rec, found, flipped)
			} else {
				b.signs.RecordDeciding(rec, found, flipped)
			}
			decided = true
		}
	})
}
