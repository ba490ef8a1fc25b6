package machine

import (
	"context"
	"errors"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/stages"
	batchs "github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/vk"
)

type HermitianMatrix = evd.Sym[complex128]

// oneByOne solves the matrices of a batch one by one: complex ones that are too large for the
// kernels for batches, and pairs with one B. The complex vectors in its results are pairs of
// numbers, real and imaginary part: 2·n rows for order n.
type oneByOne[T float64 | complex128] struct {
	oneSolver[T] // for the order n
	n            int
	dev          Device
	task         Task
}

type oneSolver[T evd.Number] interface {
	Planned
	Solve(context.Context, evd.Sym[T]) (*evd.Result[T], error)
	Check(context.Context, evd.Sym[T], *evd.Result[T]) (evd.Ratios, error)
}

// NewOneByOne makes a BatchPlan for matrices of order t.N or less. Pairs must be of order t.N.
func NewOneByOne[T float64 | complex128](dev Device, t Task) (Planned, error) {
	p := &oneByOne[T]{dev: dev, task: t}
	if err := p.prepare(t.N); err != nil {
		return nil, err
	}
	return p, nil
}

// prepare makes a plan for matrices of order n, unless the last plan was for this order.
func (p *oneByOne[T]) prepare(n int) error {
	if p.oneSolver != nil {
		if n == p.n {
			return nil
		}
		p.Close() // before the next one needs memory
	}
	t := p.task
	t.Kind, t.N = KindOf[T](), n
	t.Evd.Vectors, t.Evd.Select, t.Evd.Tuning, t.Evd.Progress = t.Batch.Vectors, t.Batch.Select, t.Batch.Tuning, func(evd.Progress) {}
	plan, err := p.dev.Plan(t)
	if err != nil {
		return err
	}
	p.n = n
	if t.Type > 0 {
		p.oneSolver = &onePair[T]{PairSolver: plan.(PairSolver[T]), b: t.B.(evd.Sym[T])}
	} else {
		p.oneSolver = plan.(oneSolver[T])
	}
	return nil
}

func (p *oneByOne[T]) Solve(ctx context.Context, a []evd.Sym[T]) (*batch.Result[float64], error) {
	all, at := &batch.Result[float64]{Profile: vk.NewProfile()}, evd.Progress{Stage: stages.PhaseBatch}
	for _, m := range a {
		if err := p.prepare(m.N); err != nil {
			return nil, err
		}
		s, err := p.solve(ctx, m, all.Profile)
		if err != nil {
			return nil, err
		}
		all.Spectra = append(all.Spectra, s)
		at.Done += batchs.BatchFlops[T](m.N, p.task.Batch.Vectors)
		p.task.Batch.Progress(at)
	}
	return all, nil
}

// solve returns only errors that are not about the matrix alone: the next matrix would fail, too.
func (p *oneByOne[T]) solve(ctx context.Context, a evd.Sym[T], profile *vk.Profile) (batch.Spectrum[float64], error) {
	res, err := p.oneSolver.Solve(ctx, a)
	factor := 1.0
	if errors.As(err, new(*evd.NonFiniteError)) || errors.As(err, new(*evd.NoConvergenceError)) {
		zeros, failed := p.oneSolver.Solve(ctx, evd.NewSym(a.N, make([]T, a.N*a.N), evd.Lower))
		if failed != nil {
			return batch.Spectrum[float64]{}, failed
		}
		res, factor = zeros, math.NaN() // as many values as the other matrices have
	} else if err != nil && !errors.As(err, new(*evd.OverflowError)) {
		return batch.Spectrum[float64]{}, err
	}
	profile.Merge(res.Profile)
	s := batch.Spectrum[float64]{Values: res.Values, Err: err}
	for k := range s.Values {
		s.Values[k] *= factor
	}
	if z := res.Vectors; z != nil {
		parts := partsIn[T]()
		s.Vectors = &evd.Dense[float64]{Rows: parts * z.Rows, Cols: z.Cols, Ld: parts * z.Ld, Data: partsOf(z.Data)}
		for k := range s.Vectors.Data {
			s.Vectors.Data[k] *= factor
		}
	}
	return s, nil
}

func (p *oneByOne[T]) Check(ctx context.Context, a []evd.Sym[T], s []batch.Spectrum[float64]) ([]evd.Ratios, error) {
	all := make([]evd.Ratios, len(a))
	for k, m := range a {
		if s[k].Err != nil {
			continue
		}
		err := p.prepare(m.N)
		if err == nil {
			z := &evd.Dense[T]{Rows: m.N, Cols: len(s[k].Values), Ld: max(m.N, 1), Data: numbersOf[T](s[k].Vectors.Data)}
			all[k], err = p.oneSolver.Check(ctx, m, &evd.Result[T]{Values: s[k].Values, Vectors: z})
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Condition is the estimated condition number of B. It is 0 if there is no B, or if no pair was
// solved.
func (p *oneByOne[T]) Condition() float64 {
	if pair, of := p.oneSolver.(*onePair[T]); of && pair.factored != nil {
		return pair.factored.Condition
	}
	return 0
}

// partsOf returns real numbers as they are, and complex ones as pairs of numbers.
func partsOf[T float64 | complex128](x []T) []float64 {
	if x, real := any(x).([]float64); real {
		return x
	}
	all := make([]float64, 0, 2*len(x))
	for _, z := range any(x).([]complex128) {
		all = append(all, real(z), imag(z))
	}
	return all
}

// numbersOf is the inverse of partsOf.
func numbersOf[T float64 | complex128](parts []float64) []T {
	if x, real := any(parts).([]T); real {
		return x
	}
	return any(Pairs[complex128](parts)).([]T)
}

// Pairs returns the complex numbers whose real and imaginary parts alternate in the list.
func Pairs[T complex64 | complex128](parts []float64) []T {
	z := make([]T, len(parts)/2)
	for i := range z {
		z[i] = T(complex(parts[2*i], parts[2*i+1]))
	}
	return z
}
