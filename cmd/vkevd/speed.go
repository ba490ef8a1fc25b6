package main

import (
	"context"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/probe"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// speeds predicts the times of the stages of a plan on one device.
type speeds struct {
	of     tuning.Forecast
	rates  probe.Rates
	known  bool    // the rates were measured on the device
	single bool    // the matrix is in single precision
	both   bool    // the reduction has panels of columns and of rows, as for singular values
	gain   float64 // of emulated products over native ones
}

// speedsOn returns the speeds of a device with the given rates. If the rate of double or of single
// precision is not known, it takes both rates of a typical device instead.
func speedsOn(info vk.Info, rates probe.Rates, of machine.Kind) speeds {
	table := tuning.ForecastOn(info)
	s := speeds{of: table, rates: table.Rates, single: of.Single() || of.Mixed(), gain: 1}
	if !info.Float64() { // the host does what needs double precision
		rates.FP64 = tuning.ForecastOn(vk.Info{Family: "cpu"}).Rates.FP64
	}
	if rates.FP64 > 0 && rates.FP32 > 0 {
		s.rates, s.known = rates, true
	}
	return s
}

// deviceSpeeds returns the speeds of an open device. It uses stored rates and runs nothing on the
// device.
func deviceSpeeds(ctx context.Context, dev machine.Device, precision string) speeds {
	rates, _ := dev.Rates(ctx, false) // an error does not matter: speedsOn replaces missing rates
	of := machine.KindDense
	switch precision {
	case precisionName[float32](), precisionName[complex64]():
		of = machine.KindSingle
	case cli.PrecisionMixed:
		of = machine.KindMixed
	}
	return speedsOn(dev.Info(), rates, of)
}

func (s speeds) singular() speeds {
	s.both = true
	return s
}

// emulated returns the speeds with the measured rate of emulated products relative to that of
// native ones. If these rates were not measured, it changes nothing.
func (s speeds) emulated(products probe.Products) speeds {
	if f := products.Facts; f.Native > 0 && f.Emulated > 0 {
		s.gain = f.Gain()
	}
	return s
}

// seconds predicts the time of a stage for order n, in seconds. If the stage has a model of its own
// for the device, the model is used.
func (s speeds) seconds(c evd.StageCost, n int) float64 {
	if m := c.Model; m != nil && m.Seconds > 0 {
		return m.Seconds
	}
	v, known := s.of.Stages[c.Stage]
	if !known {
		v = s.of.Other
	}
	if s.both && c.Stage == stages.PhaseBandReduction {
		v.Row *= 2
	}
	rate, gain := s.rates.FP64, s.gain
	if s.single && !v.Double {
		rate, gain = s.rates.FP32, 1 // emulated products replace double precision
	}
	if c.Native {
		gain = 1
	}
	if c.Products > 0 { // large products, as in back transformation 1
		v = s.of.Stages[stages.PhaseApplyQ1]
		v.Products = c.Products / c.Flops
	}
	flops := c.Flops * (1 - v.Products + v.Products/gain)
	return v.Row*float64(n) + flops/(v.Share*rate)
}

func (s speeds) all(costs []evd.StageCost, n int) []float64 {
	seconds := make([]float64, len(costs))
	for i, c := range costs {
		seconds[i] = s.seconds(c, n)
	}
	return seconds
}
