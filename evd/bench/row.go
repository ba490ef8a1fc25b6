package bench

import (
	"slices"

	"github.com/vkevd/vkevd/vk"
)

// Row is one measurement. Sizes that the stage does not depend on are 0.
type Row struct {
	Stage string `json:"stage"`
	N     int    `json:"n"`
	B     int    `json:"b"` // half-bandwidth, columns of a panel
	K     int    `json:"k"` // rank of an update
	M     int    `json:"m"` // vectors

	Tuning string `json:"tuning,omitempty"` // the variant's name

	Repeats int     `json:"repeats"`
	Median  float64 `json:"seconds_median"` // by the device's clock, plus the host's part of the stage
	Min     float64 `json:"seconds_min"`
	Max     float64 `json:"seconds_max"`
	Wall    float64 `json:"wall_seconds_median"` // by the host's clock

	GFlops  float64 `json:"gflops"`           // 10⁹ nominal operations a second, at the median
	GBytes  float64 `json:"gbytes"`           // 10⁹ nominal bytes a second, at the median
	FMAPeak float64 `json:"fma_peak_gflops"`  // of this device, measured in this process
	CopyMax float64 `json:"copy_peak_gbytes"` // bytes read and bytes written

	Steps int     `json:"steps,omitempty"`         // of bulge chasing, on its critical path: see stages.ChaseModel
	Model float64 `json:"model_seconds,omitempty"` // seconds that this model forecasts

	Device string `json:"device"`
	Driver string `json:"driver"`
}

// sample is one run of a measurement.
type sample struct {
	seconds float64 // by the device's clock, plus the host's part
	wall    float64 // seconds by the host's clock
	profile *vk.Profile
}

// fill completes a row with the times of its samples, at least one, and with rates.
func (r Row) fill(samples []sample, flops, bytes float64) Row {
	var seconds, wall []float64
	for _, s := range samples {
		seconds, wall = append(seconds, s.seconds), append(wall, s.wall)
	}
	r.Repeats = len(samples)
	r.Median, r.Min, r.Max = median(seconds), slices.Min(seconds), slices.Max(seconds)
	r.Wall = median(wall)
	const giga = 1e9
	r.GFlops, r.GBytes = flops/r.Median/giga, bytes/r.Median/giga
	return r
}

// median is the middle of v, or the mean of the two in the middle.
func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	half := len(v) / 2
	if len(v)%2 == 1 {
		return v[half]
	}
	return (v[half-1] + v[half]) / 2
}
