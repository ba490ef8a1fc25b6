package bench

import (
	"slices"

	"github.com/vkevd/vkevd/vk"
)

// Row is the result of one measurement. Sizes that the stage does not depend on are 0. Times are in
// seconds.
type Row struct {
	// Stage is a name from Stages, or "peak fma" or "peak copy".
	Stage string `json:"stage"`

	// N is the order of the matrix.
	N int `json:"n"`

	// B is the half-bandwidth, or the number of columns of a panel.
	B int `json:"b"`

	// K is the rank of an update of the trailing matrix.
	K int `json:"k"`

	// M is the number of vectors.
	M int `json:"m"`

	// Tuning is the name of the variant, which is the tuning that was measured.
	Tuning string `json:"tuning,omitempty"`

	// Repeats is the number of counted runs.
	Repeats int `json:"repeats"`

	// Median, Min and Max are times by the device's clock, plus the time of the host's part of the
	// stage.
	Median float64 `json:"seconds_median"`
	Min    float64 `json:"seconds_min"`
	Max    float64 `json:"seconds_max"`

	// Wall is the median of times by the host's clock, including transfers.
	Wall float64 `json:"wall_seconds_median"`

	// GFlops and GBytes are the nominal rates at the median time, in 10⁹ operations and bytes per
	// second.
	GFlops float64 `json:"gflops"`
	GBytes float64 `json:"gbytes"`

	// FMAPeak and CopyMax are the peaks of this device in the same units, measured in the same
	// process. For CopyMax the bytes of a copy count twice, as read and as written.
	FMAPeak float64 `json:"fma_peak_gflops"`
	CopyMax float64 `json:"copy_peak_gbytes"`

	// Steps is the number of steps on the critical path of bulge chasing. Model is the time that
	// stages.ChaseModel predicts for them.
	Steps int     `json:"steps,omitempty"`
	Model float64 `json:"model_seconds,omitempty"`

	// Device and Driver are names and versions as the device reports them.
	Device string `json:"device"`
	Driver string `json:"driver"`
}

// sample is the result of one run of a measurement.
type sample struct {
	// seconds is the time by the device's clock, plus the time of the host's part of the stage.
	seconds float64

	// wall is the time in seconds by the host's clock.
	wall float64

	// profile has the seconds by phase.
	profile *vk.Profile
}

// fill completes a row with rates and with the times of its samples, of which there must be at
// least one.
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

// median is the middle element of the sorted v, or the mean of the two in the middle.
func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	half := len(v) / 2
	if len(v)%2 == 1 {
		return v[half]
	}
	return (v[half-1] + v[half]) / 2
}
