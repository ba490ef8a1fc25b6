package bench

import (
	"context"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/vk"
)

// The peak rates in this file are for arithmetic other than double precision: fused multiply-adds
// in single precision, and products of bytes. They show how fast lower precision and emulated
// products could be on a device.

// rate is one peak rate of the device: a kernel that does nothing except one kind of operation in
// registers.
type rate struct {
	// stage is the name of the rate's row.
	stage string

	// ops is the number of operations of one dispatch, for `rounds` = 1.
	ops float64

	// record records one dispatch that repeats the operations `rounds` times.
	record func(rec *vk.Recorder, rounds uint32)
}

// measureRates returns a row for each rate. Without packed dot products of bytes, or without matrix
// units for bytes, the device has no row for this rate. measureRates frees its device memory before
// it returns.
func measureRates(ctx context.Context, dev *vk.Device, repeat int) ([]Row, error) {
	info := dev.Info()
	threads := uint32(min(peakThreads, info.MaxLocal))
	sums, ints := vk.Reserve[float32]("sums", peakGroups*int(threads)), vk.Reserve[int32]("sums of bytes", peakGroups*int(threads))
	ws, err := dev.NewArena(vk.InTurn(sums, ints))
	if err != nil {
		return nil, err
	}
	defer ws.Close()
	var rates []rate
	for _, build := range []func() (rate, error){
		func() (rate, error) { return singleRate(dev, threads, sums.In(ws)) },
		func() (rate, error) { return dotRate(dev, threads, ints.In(ws)) },
		func() (rate, error) { return matrixRate(dev, threads, ints.In(ws)) },
	} {
		r, err := build()
		if err != nil {
			return nil, err
		}
		if r.record != nil {
			rates = append(rates, r)
		}
	}
	var rows []Row
	for _, r := range rates {
		row, err := r.measure(ctx, dev, repeat)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// measure finds out how many repetitions a dispatch needs: it doubles the number `rounds` until a
// dispatch takes at least half of peakTime. Then it measures `repeat` dispatches.
func (r rate) measure(ctx context.Context, dev *vk.Device, repeat int) (Row, error) {
	rounds := uint32(1)
	run := func() (sample, error) {
		return timed(ctx, dev, func(rec *vk.Recorder) {
			r.record(rec, rounds)
			rec.Costs(r.ops * float64(rounds))
		})
	}
	for {
		s, err := run()
		if err != nil {
			return Row{}, err
		}
		if s.seconds >= peakTime.Seconds()/2 || rounds >= 1<<30 {
			break
		}
		rounds *= 2
	}
	var samples []sample
	for range repeat {
		s, err := run()
		if err != nil {
			return Row{}, err
		}
		samples = append(samples, s)
	}
	return Row{Stage: r.stage}.fill(samples, r.ops*float64(rounds), 0), nil
}

// singleRate returns the rate of fused multiply-adds in single precision. Each of them counts as
// two operations.
func singleRate(dev *vk.Device, threads uint32, sums vk.Slice[float32]) (rate, error) {
	spec := shaders.PeakFmaDefaults()
	spec.LocalSize = threads
	kernel, err := vk.Build(dev, shaders.PeakFma[float32](), spec)
	return rate{"peak fp32", 2 * float64(spec.Chains*spec.Steps*threads) * peakGroups, func(rec *vk.Recorder, rounds uint32) {
		kernel.Dispatch(rec, vk.Grid(peakGroups), shaders.PeakFmaPush[float32]{Sums: sums.Addr(), Rounds: rounds})
	}}, err
}

// dotRate returns the rate of packed dot products of four bytes. Each of them counts as eight
// operations. If the device has no such products, rate.record is nil.
func dotRate(dev *vk.Device, threads uint32, sums vk.Slice[int32]) (rate, error) {
	if !dev.Info().IntegerDotProducts() {
		return rate{}, nil
	}
	spec := shaders.PeakDotDefaults()
	spec.LocalSize = threads
	kernel, err := vk.Build(dev, shaders.PeakDot(), spec)
	return rate{"peak dot8", 8 * float64(spec.Chains*spec.Steps*threads) * peakGroups, func(rec *vk.Recorder, rounds uint32) {
		kernel.Dispatch(rec, vk.Grid(peakGroups), shaders.PeakDotPush{Sums: sums.Addr(), Rounds: rounds})
	}}, err
}

// matrixRate returns the rate of matrix units for bytes, for the shape that emulated products use.
// A product of an M×K and a K×N matrix counts as 2·M·N·K operations. If emulated products use no
// matrix units on the device, rate.record is nil.
func matrixRate(dev *vk.Device, threads uint32, sums vk.Slice[int32]) (rate, error) {
	info := dev.Info()
	units := emulated.Candidates(info)
	best := units[len(units)-1]
	if !info.IntegerDotProducts() || !best.Matrix() {
		return rate{}, nil
	}
	spec := shaders.PeakMatrixDefaults()
	lanes := uint32(info.Subgroup)
	spec.LocalSize = max(threads/lanes, 1) * lanes
	spec.FragM, spec.FragN, spec.FragK = uint32(best.Shape.M), uint32(best.Shape.N), uint32(best.Shape.K)
	kernel, err := vk.Build(dev, shaders.PeakMatrix(), spec)
	products := float64(spec.Chains*spec.Steps*(spec.LocalSize/lanes)) * peakGroups
	return rate{"peak mat8", 2 * products * float64(spec.FragM*spec.FragN*spec.FragK), func(rec *vk.Recorder, rounds uint32) {
		kernel.Dispatch(rec, vk.Grid(peakGroups), shaders.PeakMatrixPush{Sums: sums.Addr(), Rounds: rounds})
	}}, err
}
