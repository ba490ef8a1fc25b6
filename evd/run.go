package evd

import (
	"context"
	"slices"

	"github.com/vkevd/vkevd/vk"
)

// solve is one Solve under way.
type solve[T Float] struct {
	*Plan[T]
	ctx      context.Context
	profile  *vk.Profile
	progress progress
}

func (p *Plan[T]) begin(ctx context.Context) *solve[T] {
	return &solve[T]{Plan: p, ctx: ctx, profile: vk.NewProfile(), progress: p.newProgress()}
}

// run executes what is recorded and keeps its times.
func (s *solve[T]) run(record func(rec *vk.Recorder)) error {
	rec := vk.NewRecorder(s.dev)
	record(rec)
	profile, err := s.dev.Run(s.ctx, rec, s.progress.at)
	s.profile.Merge(profile)
	return err
}

// upload checks A and brings it to the device; it returns the power of two
// by which it is to be multiplied there.
func (p *Plan[T]) upload(ctx context.Context, a Sym[T]) (sigma float64, err error) {
	largest, err := scan(a)
	if err != nil {
		return 0, err
	}
	host := vk.Columns[float64]{Rows: a.N, Cols: a.N, Ld: a.Ld, Data: doubles(a.Data)}
	return scaling(largest), vk.Upload(ctx, p.dev, p.regions.a.In(p.arena), host)
}

// recordLoad makes σ·A of what was uploaded, both triangles of it.
func (p *Plan[T]) recordLoad(rec *vk.Recorder, uplo Uplo, sigma float64) {
	rec.Phase(stageLoad, 0, 1)
	p.steps.load.Record(rec, p.matrixA(), bool(uplo), sigma)
}

// download fetches the vectors.
func (s *solve[T]) download(a Sym[T]) (*Dense[T], error) {
	n := s.n
	z := &Dense[T]{Rows: n, Cols: n, Ld: n}
	if s.opt.Overwrite {
		z.Ld, z.Data = a.Ld, a.Data
	} else {
		z.Data = make([]T, n*n)
	}
	host := vk.Columns[float64]{Rows: n, Cols: n, Ld: z.Ld, Data: doubles(z.Data)}
	return z, vk.Download(s.ctx, s.dev, host, s.regions.a.In(s.arena))
}

// unscale divides by σ, a power of two: exact but for underflow.
func unscale[T Float](values []float64, sigma float64) []T {
	out := make([]T, len(values))
	for i, v := range values {
		out[i] = T(v / sigma)
	}
	return out
}

// doubles is the elements as what they are.
func doubles[T Float](v []T) []float64 { return any(v).([]float64) }

// info turns a kernel's INFO word into an error.
func (s *solve[T]) info(stage string, word vk.Slice[uint32]) error {
	if word.Len() == 0 {
		return nil
	}
	var info [1]uint32
	if err := vk.Download(s.ctx, s.dev, vk.Vector(info[:]), word); err != nil {
		return err
	}
	if info[0] != 0 {
		return &StageError{Stage: stage, Info: info[0]}
	}
	return nil
}

// trivial is the spectrum of a matrix of order 0 or 1, exactly.
func (s *solve[T]) trivial(a Sym[T]) (*Result[T], error) {
	if _, err := scan(a); err != nil {
		return nil, err
	}
	n := s.n
	res := &Result[T]{Values: slices.Clone(a.Data[:n]), Profile: s.profile}
	if s.opt.Vectors {
		res.Vectors = &Dense[T]{Rows: n, Cols: n, Ld: max(n, 1), Data: make([]T, n)}
		if s.opt.Overwrite {
			res.Vectors.Ld, res.Vectors.Data = max(a.Ld, 1), a.Data
		}
		for i := range n {
			res.Vectors.Data[i] = 1
		}
	}
	return res, nil
}
