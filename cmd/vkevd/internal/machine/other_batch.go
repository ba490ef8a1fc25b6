package machine

import (
	"context"
	"unsafe"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	batchs "github.com/vkevd/vkevd/stages/batch"
)

// otherBatch solves a batch of matrices of T. The matrices have numbers in double precision, real
// or complex ones, W, which T holds, as those of files are. The vectors of results are doubles;
// those of complex matrices are pairs of numbers, as those of oneByOne.
type otherBatch[T evd.Number, W float64 | complex128] struct{ *batch.Plan[T] }

func (p otherBatch[T, W]) Solve(ctx context.Context, a []evd.Sym[W]) (*batch.Result[float64], error) {
	res, err := p.Plan.Solve(ctx, otherMatrices[T](a))
	if err != nil {
		return nil, err
	}
	all := &batch.Result[float64]{First: res.First, Profile: res.Profile}
	for _, s := range res.Spectra {
		x := batch.Spectrum[float64]{Values: s.Values, Err: s.Err}
		if z := s.Vectors; z != nil {
			parts := partsIn[W]()
			x.Vectors = &evd.Dense[float64]{Rows: parts * z.Rows, Cols: z.Cols, Ld: parts * z.Ld, Data: partsOf(numbersIn[W](z.Data))}
		}
		all.Spectra = append(all.Spectra, x)
	}
	return all, nil
}

func (p otherBatch[T, W]) Check(ctx context.Context, a []evd.Sym[W], s []batch.Spectrum[float64]) ([]evd.Ratios, error) {
	all := make([]batch.Spectrum[T], len(s))
	for k, x := range s {
		all[k] = batch.Spectrum[T]{Values: x.Values, Err: x.Err}
		if z := x.Vectors; z != nil {
			parts := partsIn[W]()
			all[k].Vectors = &evd.Dense[T]{Rows: z.Rows / parts, Cols: z.Cols, Ld: z.Ld / parts, Data: numbersIn[T](numbersOf[W](z.Data))}
		}
	}
	return p.Plan.Check(ctx, otherMatrices[T](a), all)
}

func otherMatrices[T, W evd.Number](a []evd.Sym[W]) []evd.Sym[T] {
	all := make([]evd.Sym[T], len(a))
	for k, m := range a {
		all[k] = evd.Sym[T]{N: m.N, Ld: m.Ld, Data: numbersIn[T](m.Data), Uplo: m.Uplo, RowMajor: m.RowMajor}
	}
	return all
}

// partsIn returns the number of real numbers in a number of type W.
func partsIn[W float64 | complex128]() int { return int(unsafe.Sizeof(*new(W)) / 8) }

// numbersIn returns the numbers x in another precision. Numbers that have the type To are not
// copied.
func numbersIn[To, From evd.Number](x []From) []To {
	if same, ok := any(x).([]To); ok {
		return same
	}
	y := make([]To, len(x))
	switch y := any(y).(type) {
	case []float32:
		for i, v := range any(x).([]float64) {
			y[i] = float32(v)
		}
	case []float64:
		for i, v := range any(x).([]float32) {
			y[i] = float64(v)
		}
	case []complex64:
		for i, v := range any(x).([]complex128) {
			y[i] = complex64(v)
		}
	case []complex128:
		for i, v := range any(x).([]complex64) {
			y[i] = complex128(v)
		}
	}
	return y
}

// hermitianBatch makes a plan for a batch of complex matrices. Matrices that are too large for it
// are solved one by one, in double precision.
func hermitianBatch[T complex64 | complex128](d opened, t Task) (Planned, error) {
	if t.N > batch.MaxOrderOf[T](d.Device, t.Batch) {
		return NewOneByOne[complex128](d, t)
	}
	p, err := batch.NewPlan[T](d.Device, t.N, AtOnce(t.Count, t.N, true), t.Batch)
	return Made(batchOf[HermitianMatrix]{otherBatch[T, complex128]{p}, float64(t.Count) * batchs.BatchFlops[T](t.N, t.Batch.Vectors)}, err)
}
