package machine

import (
	"context"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
)

// singleBatch solves a batch in single precision. Matrices and results are stored as doubles, as
// those of files are. The numbers of results are those of float32, so the conversion to doubles is
// exact.
type singleBatch struct{ *batch.Plan[float32] }

func (p singleBatch) Solve(ctx context.Context, a []DenseMatrix) (*batch.Result[float64], error) {
	res, err := p.Plan.Solve(ctx, singlesOf(a))
	if err != nil {
		return nil, err
	}
	all := &batch.Result[float64]{First: res.First, Profile: res.Profile}
	for _, s := range res.Spectra {
		all.Spectra = append(all.Spectra, batch.Spectrum[float64]{Values: s.Values, Vectors: vectorsIn[float64](s.Vectors), Err: s.Err})
	}
	return all, nil
}

func (p singleBatch) Check(ctx context.Context, a []DenseMatrix, s []batch.Spectrum[float64]) ([]evd.Ratios, error) {
	all := make([]batch.Spectrum[float32], len(s))
	for k := range s {
		all[k] = batch.Spectrum[float32]{Values: s[k].Values, Vectors: vectorsIn[float32](s[k].Vectors), Err: s[k].Err}
	}
	return p.Plan.Check(ctx, singlesOf(a), all)
}

func singlesOf(a []DenseMatrix) []evd.Sym[float32] {
	all := make([]evd.Sym[float32], len(a))
	for k, m := range a {
		all[k] = evd.Sym[float32]{N: m.N, Ld: m.Ld, Data: numbersIn[float32](m.Data), Uplo: m.Uplo, RowMajor: m.RowMajor}
	}
	return all
}

// vectorsIn returns the matrix z in another precision, or nil for nil.
func vectorsIn[To, From evd.Float](z *evd.Dense[From]) *evd.Dense[To] {
	if z == nil {
		return nil
	}
	return &evd.Dense[To]{Rows: z.Rows, Cols: z.Cols, Ld: z.Ld, Data: numbersIn[To](z.Data)}
}

func numbersIn[To, From evd.Float](x []From) []To {
	y := make([]To, len(x))
	for i := range x {
		y[i] = To(x[i])
	}
	return y
}
