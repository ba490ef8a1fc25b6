package machine

import (
	"context"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// A rate is measured with a dispatch of rateGroups workgroups. Its number of rounds grows until the
// dispatch takes so long that its overhead is negligible.
const (
	rateGroups  = 1024
	rateRounds  = 16   // in the first dispatch: 0.3 GFLOP, so that a slow device is not busy for long
	rateGrowth  = 8    // times as many in the next one
	rateSeconds = 2e-3 // long enough
)

// Float64Rate is the rate of FP64 fused multiply-adds in registers, in flops per second. Each
// multiply-add counts as two. The rate is measured once for a device and driver, in some
// milliseconds, and is stored with the other rates. It also becomes the rate by which the device
// predicts the time of its batches. A CPU is not measured, because the rate that vk assumes for it
// is low enough. The result is then 0.
func (m *Machine) Float64Rate(ctx context.Context) (float64, error) {
	if m.Info.Type == "cpu" {
		return 0, nil
	}
	text, err := m.dev.ProbeOnce(ratesFact, func() (string, error) {
		rate, err := measureFloat64Rate(ctx, m.dev)
		return Rates{FP64: rate}.String(), err
	})
	if err != nil || text == "" { // nothing is known of a vk.Dry device
		return 0, err
	}
	rates := m.Rates()
	if rates.FP64 == 0 { // another rate was kept before
		if rates.FP64, err = measureFloat64Rate(ctx, m.dev); err != nil {
			return 0, err
		}
		m.KeepRates(rates)
	}
	m.dev.SetFloat64Rate(rates.FP64)
	return rates.FP64, nil
}

// measureFloat64Rate runs the kernel peak_fma and returns flops per second. The error is that of
// package vk. If even the longest dispatch takes less than rateSeconds, the result is a lower
// bound. The device memory is freed before it returns.
func measureFloat64Rate(ctx context.Context, dev *vk.Device) (float64, error) {
	kernel, err := vk.Build(dev, shaders.PeakFma[float64](), shaders.PeakFmaDefaults())
	if err != nil {
		return 0, err
	}
	spec := kernel.Spec
	sums := vk.Reserve[float64]("sums", rateGroups*int(spec.LocalSize))
	ws, err := dev.NewArena(vk.Together(sums))
	if err != nil {
		return 0, err
	}
	defer ws.Close()
	for rounds := uint32(rateRounds); ; rounds *= rateGrowth {
		rec := vk.NewRecorder(dev)
		rec.Phase("rate", 0, 1)
		kernel.Dispatch(rec, vk.Grid(rateGroups), shaders.PeakFmaPush[float64]{Sums: sums.In(ws).Addr(), Rounds: rounds})
		profile, err := dev.Run(ctx, rec, nil)
		if err != nil {
			return 0, err
		}
		seconds := profile.Phase("rate")
		if seconds >= rateSeconds || rounds > 1<<24 {
			flops := 2 * float64(spec.Chains) * float64(spec.Steps) * float64(rounds) * float64(spec.LocalSize) * rateGroups
			return flops / max(seconds, rateSeconds), nil
		}
	}
}
