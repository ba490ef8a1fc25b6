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

// hermitianBatch solves complex matrices one by one, because the kernels for batches are real. The
// vectors in its results are pairs of numbers, real and imaginary part: 2·n rows for order n.
type hermitianBatch struct {
	DenseSolver[complex128] // for the order n
	n                       int
	dev                     Device
	opt                     batch.Options
}

// NewHermitianBatch makes a BatchPlan for Hermitian matrices of order t.N or less.
func NewHermitianBatch(dev Device, t Task) (Planned, error) {
	p := &hermitianBatch{dev: dev, opt: t.Batch}
	if err := p.prepare(t.N); err != nil {
		return nil, err
	}
	return p, nil
}

// prepare makes a plan for matrices of order n, unless the last plan was for this order.
func (p *hermitianBatch) prepare(n int) error {
	if p.DenseSolver != nil {
		if n == p.n {
			return nil
		}
		p.Close() // before the next one needs memory
	}
	plan, err := PlanOf[DenseSolver[complex128]](p.dev, Task{Kind: KindComplex, N: n, Evd: evd.Options{
		Vectors: p.opt.Vectors, Select: p.opt.Select, Progress: func(evd.Progress) {},
	}})
	if err == nil {
		p.DenseSolver, p.n = plan, n
	}
	return err
}

func (p *hermitianBatch) Solve(ctx context.Context, a []HermitianMatrix) (*batch.Result, error) {
	all, at := &batch.Result{Profile: vk.NewProfile()}, evd.Progress{Stage: stages.PhaseBatch}
	for _, m := range a {
		if err := p.prepare(m.N); err != nil {
			return nil, err
		}
		s, err := p.solve(ctx, m, all.Profile)
		if err != nil {
			return nil, err
		}
		all.Spectra = append(all.Spectra, s)
		at.Done += batchs.BatchFlops(m.N, p.opt.Vectors)
		p.opt.Progress(at)
	}
	return all, nil
}

// solve returns only errors that are not about the matrix alone: the next matrix would fail, too.
func (p *hermitianBatch) solve(ctx context.Context, a HermitianMatrix, profile *vk.Profile) (batch.Spectrum, error) {
	res, err := p.DenseSolver.Solve(ctx, a)
	factor := 1.0
	if errors.As(err, new(*evd.NonFiniteError)) || errors.As(err, new(*evd.NoConvergenceError)) {
		zeros, failed := p.DenseSolver.Solve(ctx, evd.NewSym(a.N, make([]complex128, a.N*a.N), evd.Lower))
		if failed != nil {
			return batch.Spectrum{}, failed
		}
		res, factor = zeros, math.NaN() // as many values as the other matrices have
	} else if err != nil && !errors.As(err, new(*evd.OverflowError)) {
		return batch.Spectrum{}, err
	}
	profile.Merge(res.Profile)
	s := batch.Spectrum{Values: res.Values, Err: err}
	for k := range s.Values {
		s.Values[k] *= factor
	}
	if z := res.Vectors; z != nil {
		s.Vectors = &evd.Dense[float64]{Rows: 2 * z.Rows, Cols: z.Cols, Ld: 2 * z.Ld, Data: make([]float64, 0, 2*len(z.Data))}
		for _, x := range z.Data {
			s.Vectors.Data = append(s.Vectors.Data, factor*real(x), factor*imag(x))
		}
	}
	return s, nil
}

func (p *hermitianBatch) Check(ctx context.Context, a []HermitianMatrix, s []batch.Spectrum) ([]evd.Ratios, error) {
	all := make([]evd.Ratios, len(a))
	for k, m := range a {
		if s[k].Err != nil {
			continue
		}
		err := p.prepare(m.N)
		if err == nil {
			z := &evd.Dense[complex128]{Rows: m.N, Cols: len(s[k].Values), Ld: max(m.N, 1), Data: Pairs[complex128](s[k].Vectors.Data)}
			all[k], err = p.DenseSolver.Check(ctx, m, &evd.Result[complex128]{Values: s[k].Values, Vectors: z})
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Pairs returns complex numbers, of which the list has the parts.
func Pairs[T complex64 | complex128](parts []float64) []T {
	z := make([]T, len(parts)/2)
	for i := range z {
		z[i] = T(complex(parts[2*i], parts[2*i+1]))
	}
	return z
}
