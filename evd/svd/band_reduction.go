package svd

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	chases "github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// bandReduction reduces a band to the bidiagonal matrix C, for any type in which the band is
// stored.
type bandReduction interface {
	size() chases.NarrowSize

	costs() []evd.StageCost

	// memory returns the device memory that is in use during the reduction.
	memory() *vk.Layout

	// upload rounds the chase.NarrowSize.BandLen numbers of a compact band and uploads them.
	upload(c *plan.Call, band func(visit func(i int, x float64))) error

	// record records the reduction. The Golub-Kahan form of C goes to the stage gk, which finds the
	// values, and to the host. The returned function gives the host's copy after the recording has
	// been executed.
	record(rec *vk.Recorder, c *plan.Call, gk *spectrum.Stage) func() spectrum.Tridiagonal

	// narrowInfo returns the INFO word of the narrowing, which is empty if no workgroup waits.
	narrowInfo(ws *vk.Arena) vk.Slice[uint32]
}

// storedBand is the bandReduction for bands that are stored as numbers of S.
type storedBand[S spirv.StoredReal] struct {
	narrow        *chases.BandNarrowing[S]
	chase         *chases.BidiagonalChasing[S]
	receiver      receiver[S]
	band, general vk.Region[S] // the uploaded band, and the narrow band
	off           vk.Region[S] // d1, e1, d2, e2, …, dn of C
}

func newBandReduction(
	dev *vk.Device, storage Storage, size chases.NarrowSize, wait stages.Waiting, t tuning.Tuning,
) (bandReduction, error) {
	switch storage {
	case Single:
		return newStoredBand[float32](dev, size, wait, t)
	case Half:
		return newStoredBand[spirv.Float16](dev, size, wait, t)
	}
	return newStoredBand[float64](dev, size, wait, t)
}

func newStoredBand[S spirv.StoredReal](
	dev *vk.Device, size chases.NarrowSize, wait stages.Waiting, t tuning.Tuning,
) (r *storedBand[S], err error) {
	r = &storedBand[S]{}
	if r.narrow, err = chases.NewBandNarrowing[S](dev, size, wait, t.Chase); err != nil {
		return nil, err
	}
	chase := chases.Size{N: size.N, B: size.To}
	if r.chase, err = chases.NewBidiagonalChasing[S](dev, chase, wait, t.Chase); err != nil {
		return nil, err
	}
	r.band = vk.Reserve[S]("band", r.narrow.BandLen())
	r.general = vk.Reserve[S]("narrow band", r.narrow.GeneralLen())
	r.off = vk.Reserve[S]("C", 2*size.N-1)
	r.receiver, err = newReceiver[S](dev)
	return r, err
}

func (r *storedBand[S]) size() chases.NarrowSize { return r.narrow.NarrowSize }

func (r *storedBand[S]) costs() []evd.StageCost {
	return []evd.StageCost{
		{Stage: stages.PhaseBandNarrowing, Flops: r.narrow.Flops()},
		{Stage: stages.PhaseBulgeChasing, Flops: r.chase.Flops()},
	}
}

func (r *storedBand[S]) memory() *vk.Layout {
	return vk.Together(r.band, r.general, r.off, vk.InTurn(r.narrow.Work(), r.chase.Work()))
}

func (r *storedBand[S]) upload(c *plan.Call, band func(visit func(i int, x float64))) error {
	data, round := make([]S, r.band.Len()), rounding[S]()
	band(func(i int, x float64) { data[i] = round(x) })
	host := vk.Columns[S]{Rows: len(data), Cols: 1, Ld: len(data), Data: data}
	return plan.During(stages.PhaseLoad, vk.Upload(c.Ctx, c.Dev, r.band.In(c.Arena), host))
}

func (r *storedBand[S]) record(rec *vk.Recorder, c *plan.Call, gk *spectrum.Stage) func() spectrum.Tridiagonal {
	ws := c.Arena
	r.narrow.Record(rec, ws, r.band.In(ws), r.general.In(ws))
	return r.recordChase(rec, c, gk)
}

// recordGeneral does the same as `record` for a band in general compact storage, as
// reduce.GeneralBandReduction stores it. The band is not changed.
func (r *storedBand[S]) recordGeneral(
	rec *vk.Recorder, c *plan.Call, wide vk.Slice[S], gk *spectrum.Stage,
) func() spectrum.Tridiagonal {
	ws := c.Arena
	r.narrow.RecordGeneral(rec, ws, wide, r.band.In(ws), r.general.In(ws))
	return r.recordChase(rec, c, gk)
}

// recordChase records what follows the narrowing of the band.
func (r *storedBand[S]) recordChase(rec *vk.Recorder, c *plan.Call, gk *spectrum.Stage) func() spectrum.Tridiagonal {
	ws, none := c.Arena, stages.Reflectors[S]{}
	c.Info(rec, stages.CauseWait, stages.PhaseBandNarrowing, r.narrow.Info(ws))
	rec.Phase(stages.PhaseBulgeChasing, 0, 1)
	r.chase.Record(rec, ws, r.general.In(ws), chases.GolubKahan(r.off.In(ws)), none, none)
	c.Info(rec, stages.CauseWait, stages.PhaseBulgeChasing, r.chase.Info(ws))
	return r.receiver.receive(rec, ws, r.off.In(ws), gk)
}

func (r *storedBand[S]) narrowInfo(ws *vk.Arena) vk.Slice[uint32] { return r.narrow.Info(ws) }
