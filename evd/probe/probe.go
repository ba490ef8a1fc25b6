// Package probe, internal to vkevd, finds properties of a device by experiment: how its arithmetic
// in double precision rounds, how fast it is, whether workgroups may wait for each other, and how
// large products are fastest. It gives the facts of stages/machine and stages/product/emulated to
// commands.
package probe

import (
	"context"

	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

type Arithmetic = machine.Arithmetic

// Measure measures how the device computes with doubles, by two small kernels. It measures again
// even if there is a stored result.
func Measure(ctx context.Context, dev *vk.Device) (Arithmetic, error) {
	return machine.MeasureArithmetic(ctx, dev)
}

// MayWait reports whether workgroups may wait for each other on the device. It returns false if an
// experiment has failed, or if a wait failed in a solve. Bulge chasing then uses one dispatch for
// each set of independent steps, so that no workgroup waits.
func MayWait(ctx context.Context, dev *vk.Device) (bool, error) {
	return machine.Of(dev).MayWait(ctx, tuning.On(dev.Info()).Waits.WideFence)
}

// Residency says whether the workgroups of a dispatch run at the same time, so that each may wait
// for all others. Meeting is the largest number of such workgroups of a stage on the device. It is
// 0 if no stage needs this property. Meet is false if a trial with Meeting workgroups failed, or if
// such a wait failed in a solve, or if no workgroup may wait (MayWait). Then each column of a panel
// is a dispatch, and no matrix is reduced in one stage.
type Residency struct {
	Meeting int
	Meet    bool
}

// MeasureResidency returns the residency for the tuned sizes of the device. It runs the trial
// unless its result is stored.
func MeasureResidency(ctx context.Context, dev *vk.Device) (Residency, error) {
	m, t := machine.Of(dev), tuning.On(dev.Info())
	w, err := t.Waiting(ctx, m)
	return Residency{Meeting: t.Meeting(m.Info), Meet: w.Allowed && !w.Crowded}, err
}

// Rates are the rates of fused multiply-adds in registers in double precision (FP64) and in single
// precision (FP32), in flops per second. A rate of 0 means that the rate is not known.
type Rates = machine.PeakRates

// MeasureRates returns the rates in double and in single precision. It measures the rates unless
// they are stored.
func MeasureRates(ctx context.Context, dev *vk.Device) (Rates, error) {
	return machine.Of(dev).PeakRates(ctx)
}

// KnownRates returns the stored rates, and 0 for a rate that is not stored. It runs nothing on the
// device.
func KnownRates(dev *vk.Device) Rates { return machine.Of(dev).KnownPeakRates() }

// WorkRate returns the rate of FP64 arithmetic by which plans for several devices divide their
// work, in flops per second. It is 0 if the rate is not known, as for CPUs.
func WorkRate(ctx context.Context, dev *vk.Device) (float64, error) {
	return machine.Of(dev).Float64Rate(ctx)
}

// KeepWorkRate stores the rate of WorkRate for a vk.Dry device, on which nothing can be measured. A
// rate of 0 is not stored.
func KeepWorkRate(dev *vk.Device, rate float64) {
	if rate > 0 {
		machine.Of(dev).KeepRates(machine.Rates{FP64: rate})
	}
}

type Products = emulated.Choice

// ChooseProducts returns how plans for numbers of type T compute large matrix products on a device,
// if the options of a plan leave the choice open. It measures the rates of the possible products,
// unless they are already stored.
func ChooseProducts[T float64 | complex128](ctx context.Context, dev *vk.Device) (Products, error) {
	return emulated.Choose[T](ctx, dev, tuning.For[T](dev.Info()).Products)
}

// ChosenProducts returns the same as ChooseProducts, but uses only stored rates and runs nothing on
// the device.
func ChosenProducts[T float64 | complex128](dev *vk.Device) Products {
	return emulated.Chosen[T](dev)
}
