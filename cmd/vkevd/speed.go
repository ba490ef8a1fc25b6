package main

import (
	"context"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/probe"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// A speed predicts the time of a stage on one kind of device. For matrices of order n the stage
// takes
//
//	row·n + flops/(share·rate)
//
// seconds. rate is the device's rate of multiply-adds in registers, in flops per second. row is the
// time for each row, and share is the part of the rate that the stage reaches.
type speed struct {
	row   float64 // seconds for each row, however fast the arithmetic is
	share float64 // part of the rate that the operations reach

	products float64 // part of the operations that are large products, which may be emulated
	double   bool    // the stage works in double precision, even if the matrix is in single
}

var (
	// gpuSpeeds were fitted to an H200 for n = 1024 to 32768 (docs/benchmarks.md, "Stage by stage"
	// and "Singular values").
	gpuSpeeds = map[string]speed{
		stages.PhaseQR:                 {share: 0.1},
		stages.PhaseTridiagonalisation: {row: 1.6e-6, share: 0.055},
		stages.PhaseBandReduction:      {row: 5.5e-6, share: 0.47, products: 0.5},
		stages.PhaseBulgeChasing:       {row: 4.8e-6, share: 0.2},
		stages.PhaseBandNarrowing:      {row: 5e-6, share: 0.06},
		stages.PhaseTridiagonal:        {row: 1.5e-6, share: 0.78, products: 0.75, double: true},
		stages.PhaseBidiagonal:         {row: 2e-6, share: 0.65, products: 0.75, double: true},
		stages.PhaseBisection:          {row: 0.6e-6, share: 0.04, double: true},
		stages.PhaseDqds:               {share: 0.1, double: true},
		stages.PhaseApplyQ2:            {row: 0.2e-6, share: 0.46},
		stages.PhaseApplyP2:            {row: 0.2e-6, share: 0.46},
		stages.PhaseApplyQ1:            {row: 0.4e-6, share: 0.58, products: 1},
		stages.PhaseApplyP1:            {row: 0.4e-6, share: 0.58, products: 1},
		stages.PhaseRefineProducts:     {row: 0.5e-6, share: 0.58, products: 1, double: true},
		stages.PhaseBatch:              {row: 50e-6, share: 0.04, double: true},
	}
	// cpuSpeeds are rough. They were fitted to the CPU driver lavapipe, on two cores that other
	// programs also used, for n = 500 and 1000. Such load slows some stages more than others.
	cpuSpeeds = map[string]speed{
		stages.PhaseQR:                 {share: 0.1},
		stages.PhaseTridiagonalisation: {share: 0.1},
		stages.PhaseBandReduction:      {share: 0.2, products: 0.5},
		stages.PhaseBulgeChasing:       {share: 0.05},
		stages.PhaseBandNarrowing:      {share: 0.05},
		stages.PhaseTridiagonal:        {share: 0.5, products: 0.75, double: true},
		stages.PhaseBidiagonal:         {share: 0.2, products: 0.75, double: true},
		stages.PhaseBisection:          {share: 0.03, double: true},
		stages.PhaseDqds:               {share: 0.1, double: true}, // one processor, 30·n² nanoseconds
		stages.PhaseApplyQ2:            {share: 0.05},
		stages.PhaseApplyP2:            {share: 0.05},
		stages.PhaseApplyQ1:            {share: 0.25, products: 1},
		stages.PhaseApplyP1:            {share: 0.25, products: 1},
		stages.PhaseRefineProducts:     {share: 0.25, products: 1, double: true},
		stages.PhaseBatch:              {share: 0.04, double: true},
	}
	// otherStage is the speed for a stage that is not in the tables gpuSpeeds and cpuSpeeds.
	otherStage = speed{share: 0.3}

	// These are the rates of the devices on which gpuSpeeds and cpuSpeeds were measured. They are
	// used for a device whose own rates are not known.
	gpuRates = probe.Rates{FP64: 32e12, FP32: 61e12}
	cpuRates = probe.Rates{FP64: 40e9, FP32: 80e9}
)

// speeds predicts the times of the stages of a plan on one device.
type speeds struct {
	of     map[string]speed
	rates  probe.Rates
	known  bool    // the rates were measured on the device
	single bool    // the matrix is in single precision
	both   bool    // the reduction has panels of columns and of rows, as for singular values
	gain   float64 // of emulated products over native ones
}

// speedsOn returns the predictions for a device with the given rates. A rate that is not known is
// replaced by that of a typical device.
func speedsOn(info vk.Info, rates probe.Rates, of kind) speeds {
	s := speeds{of: gpuSpeeds, rates: gpuRates, single: of == kindSingle || of == kindMixed, gain: 1}
	if info.Type == "cpu" {
		s.of, s.rates = cpuSpeeds, cpuRates
	}
	if !info.Float64() { // the host does what needs double precision
		rates.FP64 = cpuRates.FP64
	}
	if rates.FP64 > 0 && rates.FP32 > 0 {
		s.rates, s.known = rates, true
	}
	return s
}

// deviceSpeeds returns the predictions for an open device, for the progress of a solve. It uses
// stored rates and runs nothing on the device.
func deviceSpeeds(ctx context.Context, dev device, precision string) speeds {
	rates, _ := dev.rates(ctx, false) // a typical device's serve as well
	of := kindDense
	switch precision {
	case precisionName[float32]():
		of = kindSingle
	case precisionMixed:
		of = kindMixed
	}
	return speedsOn(dev.Info(), rates, of)
}

// singular returns the predictions for singular values instead of eigenvalues.
func (s speeds) singular() speeds {
	s.both = true
	return s
}

// emulated returns the predictions for a solve with emulated products. It returns s unchanged if the
// rates of products were not measured.
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
	v, known := s.of[c.Stage]
	if !known {
		v = otherStage
	}
	if s.both && c.Stage == stages.PhaseBandReduction {
		v.row *= 2
	}
	rate, gain := s.rates.FP64, s.gain
	if s.single && !v.double {
		rate, gain = s.rates.FP32, 1 // emulated products replace double precision
	}
	if c.Native {
		gain = 1
	}
	if c.Products > 0 { // large products, as in back transformation 1
		v = s.of[stages.PhaseApplyQ1]
		v.products = c.Products / c.Flops
	}
	flops := c.Flops * (1 - v.products + v.products/gain)
	return v.row*float64(n) + flops/(v.share*rate)
}

// all forecasts the times of all stages.
func (s speeds) all(costs []evd.StageCost, n int) []float64 {
	seconds := make([]float64, len(costs))
	for i, c := range costs {
		seconds[i] = s.seconds(c, n)
	}
	return seconds
}
