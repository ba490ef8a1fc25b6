package stemr

import (
	"errors"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/stages/tridiag/mrrr"
	"github.com/vkevd/vkevd/vk"
)

// SolveAll solves all of T by divide and conquer on the device. It returns nil if the stage has no
// fallback or if xt is not packed. If m = n and xt has n² elements, the memory for this is part of
// Work and of xt. Otherwise SolveAll allocates it.
func (r *mrrrRun) SolveAll(d, e []float64, from, to int) ([]float64, error) {
	s, m := r.stage, r.xt.Rows
	if s.fallback == nil || r.xt.Ld != m {
		return nil, nil
	}
	if s.inPlace() && r.xt.At.Len() >= s.n*s.n {
		return r.divide(r.ws, d, e, from, to, r.xt)
	}
	// Divide and conquer also uses the memory of its n×n result as workspace. The matrix xt is too
	// small for this.
	x := vk.Reserve[float64]("MRRR fallback's vectors", s.n*s.n)
	ws, err := s.dev.NewArena(vk.Together(x, s.fallback.Work(), s.fallback.Vectors.Ops.Work()))
	if full := (*vk.OutOfMemoryError)(nil); errors.As(err, &full) {
		full.What = "divide and conquer, which has to help out MRRR,"
	}
	if err != nil {
		return nil, err
	}
	defer ws.Close()
	found := stages.NewMatrix(x.In(ws), m, s.n, m)
	values, err := r.divide(ws, d, e, from, to, found)
	if err != nil {
		return nil, err
	}
	return values, r.run(func(rec *vk.Recorder) { vk.Copy(rec, r.xt.At.Sub(0, m*s.n), found.At) })
}

// divide returns the eigenvalues with the indices from, …, to−1, and writes their vectors to xt.
// The arena must contain the workspaces of divide and conquer and of its products.
func (r *mrrrRun) divide(ws *vk.Arena, d, e []float64, from, to int, xt stages.Matrix) ([]float64, error) {
	values, profile, err := r.stage.fallback.SolveRange(r.ctx, ws, d, e, from, to, xt)
	r.profile.Merge(profile)
	if err != nil {
		return nil, err
	}
	return values[from:to], nil
}

// Solve solves the block v on the host. It stores the vectors in the memory of the clusters'
// representations, which are not needed any more.
func (r *mrrrRun) Solve(v mrrr.Block, d, e []float64, from, to int) ([]float64, error) {
	values, z, err := dc.Solve(d, e, dc.Options{From: from, To: to})
	if err != nil {
		return nil, err
	}
	s, w := r.stage, &r.stage.memory
	return values[from:to], r.run(func(rec *vk.Recorder) {
		rec.Concurrently(func() {
			send(r, rec, w.clusters, z)
			send(r, rec, w.column, v.Columns)
		})
		s.place.Dispatch(rec, vk.Folded(vk.Tiles(s.n*len(v.Columns), s.tune.Threads)), shaders.StemrPlacePush{
			Z: addr(r, w.clusters, 0), Column: wordsAt(r, w.column, 0), X: r.xt.Addr(),
			Lo: uint32(v.Lo), Rows: uint32(v.Hi - v.Lo), N: uint32(s.n), Count: uint32(len(v.Columns)), Ldx: uint32(r.xt.Ld),
		})
	})
}
