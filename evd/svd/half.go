package svd

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// halfChase reduces the band B of a dense matrix to the bidiagonal matrix C, both in half
// precision, without vectors.
type halfChase[T evd.Number] struct {
	round func(rec *vk.Recorder, x vk.Slice[T], y vk.Slice[spirv.Float16])

	band *storedBand[spirv.Float16]
	wide vk.Region[spirv.Float16] // B in half precision, as reduce.GeneralBandReduction stores it
}

// newHalfChase makes the stages. `length` is the number of elements of the band, as
// reduce.GeneralBandReduction stores it.
func newHalfChase[T evd.Number](
	dev *vk.Device, length int, size chase.NarrowSize, wait stages.Waiting, t tuning.Tuning,
) (h *halfChase[T], err error) {
	h = &halfChase[T]{wide: vk.Reserve[spirv.Float16]("band, half", length)}
	round, err := move.NewHalfRounding(dev)
	if err != nil {
		return nil, err
	}
	h.round = any(round.Record).(func(*vk.Recorder, vk.Slice[T], vk.Slice[spirv.Float16])) // T is float32: a plan for float64 solves in single
	h.band, err = newStoredBand[spirv.Float16](dev, size, wait, t)
	return h, err
}

func (h *halfChase[T]) memory() *vk.Layout { return vk.Together(h.wide, h.band.memory()) }

func (h *halfChase[T]) costs() []evd.StageCost {
	return slices.DeleteFunc(h.band.costs(), func(c evd.StageCost) bool {
		return c.Stage == stages.PhaseBandNarrowing && c.Flops == 0
	})
}

// record records the rounding and the reduction of B, which is not changed. Its results are those
// of bandReduction.record.
func (h *halfChase[T]) record(rec *vk.Recorder, c *plan.Call, b vk.Slice[T], gk *spectrum.Stage) func() spectrum.Tridiagonal {
	wide := h.wide.In(c.Arena)
	h.round(rec, b.Sub(0, wide.Len()), wide)
	return h.band.recordGeneral(rec, c, wide, gk)
}

// scale returns the power of two σ by which the plan multiplies A. `largest` is max|a_ij|.
func (p *problem[T]) scale(a evd.Dense[T], largest float64) float64 {
	if p.opt.Storage != Half {
		return scaling[T](largest)
	}
	sigma, _ := Half.scaling(largest, func(e int) float64 { return norm(a, e) }) // the second result is 0, because T is float32
	return sigma
}

// sumOfSquares returns Σ|first·second·x|² for the elements x of v.
func sumOfSquares[T evd.Number](v []T, first, second float64) (sum float64) {
	plan.Parts(v,
		func(parts []float32, _ int) { sum = squaresOf(parts, first, second) },
		func(parts []float64, _ int) { sum = squaresOf(parts, first, second) })
	return sum
}

func squaresOf[T evd.Float](parts []T, first, second float64) (sum float64) {
	for _, x := range parts {
		y := float64(x) * first * second
		sum += y * y
	}
	return sum
}

// norm returns the Frobenius norm of 2^e·A, on all CPU cores.
func norm[T evd.Number](a evd.Dense[T], e int) float64 {
	rows, cols := stored(a)
	squares := make([]float64, cols)
	first, second := math.Ldexp(1, e/2), math.Ldexp(1, e-e/2) // 2^e may be out of range
	tridiag.Parallel(cols, func(j int) {
		squares[j] = sumOfSquares(a.Data[j*a.Ld:j*a.Ld+rows], first, second)
	})
	sum := 0.0
	for _, x := range squares {
		sum += x
	}
	return math.Sqrt(sum)
}
