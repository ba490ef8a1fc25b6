package accuracy

import (
	"context"
	"math/rand/v2"

	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// source makes dense matrices of order n with known singular values on the device.
type source struct {
	dev       *vk.Device
	n         int
	ops       product.Ops[float64]
	qr        *panel.TallQR[float64]
	apply     *back.ApplyPanels[float64]
	transpose *move.Transpose[float64]

	// g holds a random matrix and then its reflectors, r the triangle of its QR factorisation, and
	// `factors` the factors T of its panels. x and y hold the matrix that is made.
	g, r, factors, x, y vk.Region[float64]
	arena               *vk.Arena
}

// alone forbids workgroups to wait for each other, so that no stage can fail.
var alone = stages.Waiting{}

// newSource allocates device memory, which the caller frees.
func newSource(dev *vk.Device, n int, t tuning.Tuning) (s *source, err error) {
	b := min(t.Band, n)
	s = &source{dev: dev, n: n}
	if s.ops, err = product.New[float64](dev, t.Products); err != nil {
		return nil, err
	}
	if s.qr, err = panel.NewTallQR(dev, n, n, b, s.ops, alone, t.Panel); err != nil {
		return nil, err
	}
	size := back.PanelsSize{Rows: n, Cols: n, B: b, M: n}
	if s.apply, err = back.NewApplyPanels(dev, stages.PhaseApplyQ0, size, s.ops, t.Panel); err != nil {
		return nil, err
	}
	if s.transpose, err = move.NewTranspose[float64](dev); err != nil {
		return nil, err
	}
	square := func(name string) vk.Region[float64] { return vk.Reserve[float64](name, n*n) }
	s.g, s.r, s.x, s.y = square("G"), square("R"), square("X"), square("Xᵀ")
	s.factors = vk.Reserve[float64]("T", s.qr.Panels()*b*b)
	work := vk.InTurn(s.qr.Work(), s.apply.Work())
	s.arena, err = dev.NewArena(vk.Together(s.g, s.r, s.x, s.y, s.factors, s.ops.Work(), s.qr.Status(), work))
	return s, err
}

func (s *source) free() { s.arena.Close() }

// make makes A = U·diag(sigma)·Vᵀ on the device and returns it. U and V are the orthogonal factors of
// two matrices with normally distributed entries, so they are uniformly distributed.
func (s *source) make(ctx context.Context, sigma []float64, random *rand.Rand) (stages.Matrix, error) {
	n, ws := s.n, s.arena
	packed := func(r vk.Region[float64]) stages.Matrix { return stages.NewMatrix(r.In(ws), n, n, n) }
	diagonal := make([]float64, n*n)
	for i, x := range sigma {
		diagonal[i+i*n] = x
	}
	if err := vk.Upload(ctx, s.dev, s.x.In(ws), square(n, diagonal)); err != nil {
		return stages.Matrix{}, err
	}
	// ApplyPanels keeps its vectors as rows. The first product makes Σ·Uᵀ in place of Σ. The rows of
	// its transpose U·Σ are the vectors of the second product, which makes U·Σ·Vᵀ.
	for _, to := range []stages.Matrix{packed(s.x), packed(s.y)} {
		g := make([]float64, n*n)
		for i := range g {
			g[i] = random.NormFloat64()
		}
		if err := vk.Upload(ctx, s.dev, s.g.In(ws), square(n, g)); err != nil {
			return stages.Matrix{}, err
		}
		rec := vk.NewRecorder(s.dev)
		s.qr.Record(rec, ws, packed(s.g), packed(s.r), s.factors.In(ws))
		s.apply.Record(rec, ws, packed(s.g), s.factors.In(ws), to)
		if to.At == s.x.In(ws) {
			s.transpose.Record(rec, packed(s.x), packed(s.y))
		}
		if _, err := s.dev.Run(ctx, rec, nil); err != nil {
			return stages.Matrix{}, err
		}
	}
	return packed(s.y), nil
}

func square(n int, data []float64) vk.Columns[float64] {
	return vk.Columns[float64]{Rows: n, Cols: n, Ld: n, Data: data}
}

// reducer reduces dense matrices of order n to bands with b superdiagonals.
type reducer struct {
	dev         *vk.Device
	reduction   *reduce.GeneralBandReduction[float64]
	a, band     vk.Region[float64]
	left, right vk.Region[float64]
	arena       *vk.Arena
}

// newReducer allocates device memory, which the caller frees.
func newReducer(dev *vk.Device, n, b int, t tuning.Tuning) (*reducer, error) {
	ops, err := product.New[float64](dev, t.Products)
	if err != nil {
		return nil, err
	}
	b = min(b, n)
	size := reduce.GeneralSize{M: n, N: n, B: b, K: max(1, n/16/b) * b}
	r := &reducer{dev: dev}
	if r.reduction, err = reduce.NewGeneralBandReduction(dev, size, ops, ops, alone, t.Panel); err != nil {
		return nil, err
	}
	r.a, r.band = vk.Reserve[float64]("A", n*n), vk.Reserve[float64]("band", size.BandLen())
	r.left = vk.Reserve[float64]("T of Q1", size.LeftPanels()*b*b)
	r.right = vk.Reserve[float64]("T of P1", size.RightPanels()*b*b)
	r.arena, err = dev.NewArena(vk.Together(
		r.a, r.band, r.left, r.right, ops.Work(), r.reduction.Work(), r.reduction.Status()))
	return r, err
}

func (r *reducer) free() { r.arena.Close() }

// reduce returns the band of the matrix a, which is in device memory and is not changed.
func (r *reducer) reduce(ctx context.Context, a stages.Matrix) (svd.Band[float64], error) {
	ws, n, b := r.arena, r.reduction.N, r.reduction.B
	rec := vk.NewRecorder(r.dev)
	vk.Copy(rec, r.a.In(ws), a.At)
	r.reduction.Record(rec, ws, stages.NewMatrix(r.a.In(ws), n, n, n), r.band.In(ws), r.left.In(ws), r.right.In(ws))
	if _, err := r.dev.Run(ctx, rec, nil); err != nil {
		return svd.Band[float64]{}, err
	}
	data := make([]float64, r.band.Len())
	err := vk.Download(ctx, r.dev, vk.Vector(data), r.band.In(ws))
	// Entry (i, j) lies at i + j·(3b−1) + 2b−1, and in a svd.Band at b + i − j + j·Ld.
	return svd.Band[float64]{N: n, B: b, Ld: 3 * b, Data: data[b-1:]}, err
}
