package machine

import (
	"context"
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// A rate is measured with a dispatch of rateGroups workgroups. Each invocation does a number of
// rounds of multiply-adds. This number is increased until the dispatch takes so long that its
// overhead is negligible.
const (
	rateGroups  = 1024
	rateRounds  = 16   // in the first dispatch: 0.3 GFLOP, so that a slow device is not busy for long
	rateGrowth  = 8    // times as many in the next one
	rateSeconds = 2e-3 // long enough
	rateRepeats = 4    // further dispatches of the same length
)

// Float64Rate returns the rate of FP64 fused multiply-adds in registers, in flops per second, where
// each multiply-add counts as two flops. The rate is measured once for a device and driver, in some
// milliseconds, and stored. The device also uses it to predict the time of its batches of commands.
// For a CPU the result is 0, because the rate that package vk assumes for a CPU is low enough.
func (m *Machine) Float64Rate(ctx context.Context) (float64, error) {
	if m.Info.Type == "cpu" {
		return 0, nil
	}
	text, err := m.dev.ProbeOnce(ratesFact, func() (string, error) {
		rate, err := measureRate[float64](ctx, m.dev)
		return Rates{FP64: rate}.String(), err
	})
	if err != nil || text == "" { // nothing is known of a vk.Dry device
		return 0, err
	}
	rates := m.Rates()
	if rates.FP64 == 0 { // only the rate of another type was kept before
		if rates.FP64, err = measureRate[float64](ctx, m.dev); err != nil {
			return 0, err
		}
		m.KeepRates(rates)
	}
	m.dev.SetFloat64Rate(rates.FP64)
	return rates.FP64, nil
}

// Rate returns Float64Rate, or the rate of FP32 for a device without double precision.
func (m *Machine) Rate(ctx context.Context) (float64, error) {
	if m.Info.Float64() {
		return m.Float64Rate(ctx)
	}
	if m.Info.Type == "cpu" || m.dev.IsDry() {
		return 0, nil
	}
	rates := m.Rates()
	if rates.FP32 == 0 {
		var err error
		if rates.FP32, err = measureRate[float32](ctx, m.dev); err != nil {
			return 0, err
		}
		m.KeepRates(rates)
	}
	m.dev.SetFloat64Rate(rates.FP32)
	return rates.FP32, nil
}

// PeakRates are the rates of fused multiply-adds in registers, in flops per second, each
// multiply-add counted as two. A rate is 0 if it is not known. FP64 is also 0 if the device has
// only single precision.
type PeakRates struct{ FP64, FP32 float64 }

const peakFact = "peak operations a second, FP64 FP32"

// PeakRates returns both rates, for forecasts of time. The rates are measured once for a device and
// driver, in some milliseconds, also on a CPU. They are stored apart from Rates, because plans
// divide their work by Rates, which a forecast must not change. For a vk.Dry device both rates are
// 0.
func (m *Machine) PeakRates(ctx context.Context) (PeakRates, error) {
	return m.peakRates(func() (string, error) {
		double := 0.0
		if m.Info.Float64() {
			var err error
			if double, err = measureRate[float64](ctx, m.dev); err != nil {
				return "", err
			}
		}
		single, err := measureRate[float32](ctx, m.dev)
		return fmt.Sprint(double, single), err
	})
}

// KnownPeakRates returns the rates that PeakRates has stored, or 0, and runs nothing on the device.
func (m *Machine) KnownPeakRates() PeakRates {
	r, _ := m.peakRates(func() (string, error) { return "", errUnknown })
	return r
}

func (m *Machine) peakRates(measure func() (string, error)) (r PeakRates, _ error) {
	text, err := m.dev.ProbeOnce(peakFact, measure)
	if err == nil {
		fmt.Sscan(text, &r.FP64, &r.FP32)
	}
	return r, err
}

// measureRate runs the kernel peak_fma in the precision T and returns flops per second. If even the
// longest dispatch takes less than rateSeconds, the result is a lower bound.
func measureRate[T spirv.Real](ctx context.Context, dev *vk.Device) (float64, error) {
	kernel, err := vk.Build(dev, shaders.PeakFma[T](), shaders.PeakFmaDefaults())
	if err != nil {
		return 0, err
	}
	spec := kernel.Spec
	sums := vk.Reserve[T]("sums", rateGroups*int(spec.LocalSize))
	ws, err := dev.NewArena(vk.Together(sums))
	if err != nil {
		return 0, err
	}
	defer ws.Close()
	run := func(rounds uint32) (seconds float64, err error) {
		rec := vk.NewRecorder(dev)
		rec.Phase("rate", 0, 1)
		kernel.Dispatch(rec, vk.Grid(rateGroups), shaders.PeakFmaPush[T]{Sums: sums.In(ws).Addr(), Rounds: rounds})
		profile, err := dev.Run(ctx, rec, nil)
		return profile.Phase("rate"), err
	}
	for rounds := uint32(rateRounds); ; rounds *= rateGrowth {
		seconds, err := run(rounds)
		if err != nil {
			return 0, err
		}
		// Other work on the device can only make a dispatch slower, so the fastest one counts.
		for k := 0; k < rateRepeats && seconds >= rateSeconds; k++ {
			again, err := run(rounds)
			if err != nil {
				return 0, err
			}
			seconds = min(seconds, again)
		}
		if seconds >= rateSeconds || rounds > 1<<24 {
			flops := 2 * float64(spec.Chains) * float64(spec.Steps) * float64(rounds) * float64(spec.LocalSize) * rateGroups
			return flops / max(seconds, rateSeconds), nil
		}
	}
}
