package evd

import (
	"context"
	"slices"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// solve is one Solve under way.
type solve[T Float] struct {
	*Plan[T]
	*call
}

func (p *Plan[T]) begin(ctx context.Context) *solve[T] {
	g := newProgress(p.Costs(), p.opt.Progress)
	return &solve[T]{p, &call{ctx: ctx, dev: p.dev, ws: p.arena, profile: vk.NewProfile(), progress: g.at}}
}

// scale checks A and returns the power of two by which it is to be multiplied on the device.
func scale[T Float](a Sym[T]) (sigma float64, err error) {
	largest, err := scan(a)
	return scaling(largest), err
}

// upload brings A to the device.
func (p *Plan[T]) upload(ctx context.Context, a Sym[T]) error {
	host := vk.Columns[float64]{Rows: a.N, Cols: a.N, Ld: a.Ld, Data: doubles(a.Data)}
	return during(stages.PhaseLoad, vk.Upload(ctx, p.dev, p.regions.a.In(p.arena), host))
}

// recordLoad makes σ·A of what was uploaded, both triangles of it.
func (p *Plan[T]) recordLoad(rec *vk.Recorder, uplo Uplo, sigma float64) {
	rec.Phase(stages.PhaseLoad, 0, 1)
	p.steps.load.Record(rec, p.matrixA(), bool(uplo), sigma)
}

// fetch downloads vectors that lie on the device as they are to lie in z.
func fetch[T Float](c *call, z *Dense[T], from stages.Matrix) (*Dense[T], error) {
	return z, during(stages.PhaseTranspose, vk.Download(c.ctx, c.dev, z.stored(), from.At))
}

// makeRoom has m vectors come to the input's memory, or to fresh memory.
func (s *solve[T]) makeRoom(r *room[T], a Sym[T], m int) {
	if s.opt.Overwrite {
		r.z = &Dense[T]{Rows: s.n, Cols: m, Ld: a.Ld, Data: a.Data, RowMajor: s.opt.RowMajor}
		return
	}
	r.begin(s.n, m, s.opt.RowMajor)
}

// unscale divides by σ, a power of two: exact but for underflow.
func unscale[T Float](values []float64, sigma float64) []T {
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = T(v / sigma)
	}
	return out
}

// rescale multiplies by σ.
func rescale[T Float](values []T, sigma float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v) * sigma
	}
	return out
}

// doubles is the elements as what they are.
func doubles[T Float](v []T) []float64 { return any(v).([]float64) }

// trivial is the spectrum of a matrix of order 0 or 1, exactly.
func (s *solve[T]) trivial(a Sym[T]) (*Result[T], error) {
	if _, err := scan(a); err != nil {
		return nil, err
	}
	res := trivial(s.opt, a.Data[:s.n])
	res.Profile = s.profile
	if s.opt.Overwrite {
		copy(a.Data, res.Vectors.Data)
		res.Vectors.Ld, res.Vectors.Data = max(a.Ld, 1), a.Data
	}
	return res, nil
}

// trivial is the selected part of a spectrum of at most one value.
func trivial[T Float](opt Options, values []T) *Result[T] {
	from, to := opt.Select.trivial(doubles(values))
	res := &Result[T]{First: from, Values: slices.Clone(values[from:to])}
	if opt.Vectors {
		res.Vectors = packed[T](len(values), to-from, opt.RowMajor)
		for i := range res.Vectors.Data { // one at most
			res.Vectors.Data[i] = 1
		}
	}
	return res
}
