package bench

import (
	"slices"

	"github.com/vkevd/vkevd/vk"
)

// Row is the result of one measurement. A size on which the stage does not depend is 0. Times are
// in seconds.
type Row struct {
	// Stage is a name from Stages, or the name of a peak rate: "peak fma" (fused multiply-adds in
	// double precision), "peak copy", "peak fp32" (fused multiply-adds in single precision), "peak
	// dot8" (packed dot products of bytes) or "peak mat8" (matrix units for bytes).
	Stage string `json:"stage"`

	// N is the order of the matrix.
	N int `json:"n"`

	// B is the half-bandwidth, or the number of columns of a panel.
	B int `json:"b"`

	// K is the rank of an update of the trailing matrix.
	K int `json:"k"`

	// M is the number of vectors to find or to transform.
	M int `json:"m"`

	// Count is the number of matrices of a batch, and 0 for a stage that works on one matrix.
	Count int `json:"count,omitempty"`

	// Tuning is the name of the measured variant. It is "" for an unchanged tuning.
	Tuning string `json:"tuning,omitempty"`

	// Repeats is the number of runs whose times are used. Further runs, such as the first one, are
	// not.
	Repeats int `json:"repeats"`

	// Median, Min and Max are the median, the smallest and the largest time of a run. A time is the
	// device's time plus the time of the host's part of the stage.
	Median float64 `json:"seconds_median"`
	Min    float64 `json:"seconds_min"`
	Max    float64 `json:"seconds_max"`

	// Wall is the median of the times by the host's clock, which include transfers.
	Wall float64 `json:"wall_seconds_median"`

	// GFlops and GBytes are the nominal rates at the median time, in 10⁹ operations per second and
	// in 10⁹ bytes per second.
	GFlops float64 `json:"gflops"`
	GBytes float64 `json:"gbytes"`

	// FMAPeak and CopyMax are the peak rates of this device in the same units, measured in the same
	// process. CopyMax counts each copied byte twice, for reading and writing.
	FMAPeak float64 `json:"fma_peak_gflops"`
	CopyMax float64 `json:"copy_peak_gbytes"`

	// Steps is the number of steps on the critical path of bulge chasing. Model is the time that
	// chase.ChaseModel predicts for this path. Both are 0 for other stages.
	Steps int     `json:"steps,omitempty"`
	Model float64 `json:"model_seconds,omitempty"`

	// Device and Driver are the names and versions that the measured device reports.
	Device string `json:"device"`
	Driver string `json:"driver"`
}

// sample is the result of one run of a measurement.
type sample struct {
	// seconds is the time by the device's clock plus the time of the host's part of the stage.
	seconds float64

	// wall is the time of the run by the host's clock, in seconds.
	wall float64

	// profile has the seconds of each phase.
	profile *vk.Profile
}

// fill returns the row r with the median and the extremes of the samples' times. It also sets the
// rates that follow from the given numbers of operations and bytes of one run. There must be at
// least one sample.
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

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	half := len(v) / 2
	if len(v)%2 == 1 {
		return v[half]
	}
	return (v[half-1] + v[half]) / 2
}
