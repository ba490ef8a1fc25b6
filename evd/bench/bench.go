package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Options say what to measure: each of the stages, for each order, and for each of those
// half-bandwidths, ranks and numbers of vectors on which the stage depends.
type Options struct {
	Stages []string // to measure, at least one, in any order; the function Stages returns all names
	Orders []int    // orders n of the matrices
	Bands  []int    // half-bandwidths b; empty means that of the tuning table
	Blocks []int    // ranks k of updates; empty means that of the tuning table
	Cols   []int    // numbers m of vectors that are found or transformed; empty means m = n

	// Counts are the numbers of matrices of a batch. If Counts is empty, the number depends on the
	// order, and is smaller on a device that computes on the CPU.
	Counts []int

	// Repeat is the number of runs of each measurement whose times are used, at least one. One run
	// comes before them.
	Repeat int

	// WarmUp is the time for which the device is kept busy before the first run at each order. With
	// 0 it is never kept busy, not even between runs.
	WarmUp time.Duration

	// Variants are tunings to compare, whose runs alternate. If it is empty, the device's tuning
	// table is measured.
	Variants []tuning.Variant

	// Complex means matrices in complex128, which are Hermitian except for singular values. Besides
	// "peaks", only the stages "values", "vectors", "sygv" and "sygv-vectors", also with "emulated-"
	// before their names, "svd" and "svd-vectors", and batches have them.
	Complex bool

	// Single means matrices in float32, or with Complex in complex64. Only batches are measured with
	// them.
	Single bool

	Progress func(what string) // is called before each run with the name of the measurement; may be nil
}

// Bench measures on one device. Only one goroutine at a time may use it. It holds device memory for
// the peak rates; each other measurement allocates its own memory.
type Bench struct {
	dev    *vk.Device
	opt    Options
	random *random
	peaks  *peaks

	// heads are the rows of results with the device's peak rates: fused multiply-adds, copying, and
	// further rates if the options ask for "peaks" or for Single matrices.
	heads []Row

	host hostMemory
}

// Stages lists all names of Options.Stages: "peaks", and the stages in the order of a solve.
func Stages() []string {
	names := []string{peaksName}
	for _, s := range table {
		names = append(names, s.name)
	}
	return names
}

// SingleStages lists the names of all stages that can be measured, except those that solve batches
// of small matrices.
func SingleStages() []string {
	return slices.DeleteFunc(Stages(), func(name string) bool { return slices.Contains(batchStages, name) })
}

// peaksName is the name for the device's peak rates. The first two peak rates are also measured if
// the options ask for a stage.
const peaksName = "peaks"

// singlePeak is the name of the peak rate of single precision. It is also measured if matrices are
// Single.
const singlePeak = "peak fp32"

// complexStages are the names for which Options.Complex is possible.
var complexStages = []string{peaksName, "values", "vectors", "emulated-values", "emulated-vectors", "sygv", "sygv-vectors", "emulated-sygv", "emulated-sygv-vectors", "svd", "svd-vectors", "batch", "batch-values"}

type UnknownStageError struct{ Stage string }

func (e *UnknownStageError) Error() string {
	return fmt.Sprintf("unknown stage %q; there are %s", e.Stage, strings.Join(Stages(), ", "))
}

// Check returns an error if a list of the options is empty although it must not be, if a size is
// below one, or if a stage cannot measure matrices that are Complex or Single. The error for an
// unknown stage is an *UnknownStageError.
func (opt Options) Check() error {
	sized := false
	for _, s := range opt.Stages {
		if !slices.Contains(Stages(), s) {
			return &UnknownStageError{s}
		}
		if opt.Complex && !slices.Contains(complexStages, s) {
			return fmt.Errorf("complex matrices are measured by the stages %s, not by %s", strings.Join(complexStages, ", "), s)
		}
		if opt.Single && s != peaksName && !slices.Contains(batchStages, s) {
			return fmt.Errorf("matrices in single precision are measured by the stages %s, not by %s", strings.Join(batchStages, ", "), s)
		}
		sized = sized || s != peaksName
	}
	switch {
	case len(opt.Stages) == 0:
		return fmt.Errorf("no stage to measure; there are %s", strings.Join(Stages(), ", "))
	case sized && len(opt.Orders) == 0:
		return errors.New("no order of matrices to measure with")
	case slices.Min(append(slices.Concat(opt.Orders, opt.Bands, opt.Blocks, opt.Cols, opt.Counts), opt.Repeat)) < 1:
		return errors.New("orders, bands, blocks, columns, counts and repeats must be positive")
	}
	return nil
}

// New keeps the device busy for Options.WarmUp and measures its peak rates. The caller closes the
// Bench before the device.
func New(ctx context.Context, dev *vk.Device, opt Options) (*Bench, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	if err := dev.Info().NeedFloat64("the measurements are of stages in double precision"); err != nil {
		return nil, err
	}
	fill, err := newRandom(dev)
	if err != nil {
		return nil, err
	}
	b := &Bench{dev: dev, opt: opt, random: fill}
	if b.peaks, err = newPeaks(ctx, dev, fill); err != nil {
		return nil, err
	}
	if err = b.peaks.warm(ctx, opt.WarmUp); err == nil {
		b.heads, err = measureRates(ctx, dev, opt.Repeat, b.peaks.fma, b.peaks.copy)
	}
	if all := slices.Contains(opt.Stages, peaksName); err == nil && (all || opt.Single) {
		var rates []Row
		rates, err = otherRates(ctx, dev, opt.Repeat, all)
		b.heads = append(b.heads, rates...)
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	for i, r := range b.heads {
		b.heads[i] = b.label(r)
	}
	return b, nil
}

// With returns a Bench with other options, which shares memory and peak rates with b: the caller
// must close only one of the two.
func (b *Bench) With(opt Options) *Bench {
	other := *b
	other.opt = opt
	return &other
}

func (b *Bench) Close() { b.peaks.arena.Close() }

// Peaks returns the rows of the peak rates: first fused multiply-adds, then copying. If
// Options.Stages contains "peaks", rows of single precision and of products of bytes follow. With
// Options.Single the row of single precision follows in any case.
func (b *Bench) Peaks() []Row { return b.heads }

func (b *Bench) label(r Row) Row {
	info := b.dev.Info()
	r.Device, r.Driver = info.Name, info.Driver+" "+info.DriverVersion
	r.FMAPeak, r.CopyMax = b.heads[0].GFlops, b.heads[1].GBytes
	for _, peak := range b.heads {
		if r.Single && peak.Stage == singlePeak {
			r.FMAPeak = peak.GFlops
		}
	}
	return r
}

// Measure takes all measurements of order n. The first run of each does not count, because some
// drivers compile a kernel when it first runs. If some measurements fail, the error joins their
// errors, and the rows are those of the other measurements. If ctx ends, Measure returns no rows.
func (b *Bench) Measure(ctx context.Context, n int) ([]Row, error) {
	t := b.newTurns(ctx, n)
	began := time.Now()
	cold := func() bool { return time.Since(began) < b.opt.WarmUp }
	t.round(always, uncounted)
	for cold() && len(t.loads) > 0 && ctx.Err() == nil {
		t.round(cold, uncounted)
	}
	samples := map[*load][]sample{}
	for range b.opt.Repeat {
		t.round(always, func(l *load, s sample) { samples[l] = append(samples[l], s) })
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var rows []Row
	for _, l := range t.loads {
		rows = append(rows, b.label(l.row.fill(samples[l], l.flops, l.bytes())))
	}
	return rows, t.err()
}

type Detail struct {
	Row     Row
	Profile *vk.Profile // the seconds of each phase, and of each kernel if the device times kernels
}

// Profile runs each measurement of order n twice and returns the details of the second run. It
// returns the same errors as Measure. The profiles have the times of kernels if the device was
// opened with vk.Options.Kernels.
func (b *Bench) Profile(ctx context.Context, n int) ([]Detail, error) {
	t := b.newTurns(ctx, n)
	t.round(always, uncounted)
	var details []Detail
	t.round(always, func(l *load, s sample) {
		details = append(details, Detail{b.label(l.row.fill([]sample{s}, l.flops, l.bytes())), s.profile})
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return details, t.err()
}

// Row is one measurement. A size on which the stage does not depend is 0. Times are in seconds.
type Row struct {
	// Stage is a name from Stages, or the name of a peak rate: "peak fma" (fused multiply-adds in
	// double precision), "peak copy", "peak fp32" (fused multiply-adds in single precision), "peak
	// dot8" (packed dot products of bytes) or "peak mat8" (matrix units for bytes).
	Stage string `json:"stage"`

	N       int    `json:"n"` // order of the matrix
	B       int    `json:"b"` // half-bandwidth, number of superdiagonals, or number of columns of a panel
	K       int    `json:"k"` // rank of an update of the trailing matrix
	M       int    `json:"m"` // number of vectors to find or to transform
	Complex bool   `json:"complex,omitempty"`
	Single  bool   `json:"single,omitempty"` // whether the matrices are in float32
	Count   int    `json:"count,omitempty"`  // number of matrices of a batch
	Tuning  string `json:"tuning,omitempty"` // name of the measured variant

	// Products says how a complex solve computed large products: native or emulated.
	Products string `json:"products,omitempty"`

	Repeats int `json:"repeats"` // runs whose times are used, unlike the first one

	// Median, Min and Max are the median, the smallest and the largest time of a run. A time is the
	// device's time plus the time of the host's part of the stage.
	Median float64 `json:"seconds_median"`
	Min    float64 `json:"seconds_min"`
	Max    float64 `json:"seconds_max"`
	Wall   float64 `json:"wall_seconds_median"` // by the host's clock, with transfers

	// GFlops and GBytes are the nominal rates at the median time, in 10⁹ operations and 10⁹ bytes
	// per second. FMAPeak and CopyMax are the peak rates of this device in the same units, measured
	// in the same process. FMAPeak is the rate of single precision if Single is set, and otherwise
	// that of double precision. CopyMax counts each copied byte twice, for reading and writing.
	GFlops  float64 `json:"gflops"`
	GBytes  float64 `json:"gbytes"`
	FMAPeak float64 `json:"fma_peak_gflops"`
	CopyMax float64 `json:"copy_peak_gbytes"`

	// Steps is the number of steps on the critical path of bulge chasing. Model is the time that
	// chase.ChaseModel predicts for this path. Both are 0 for other stages.
	Steps int     `json:"steps,omitempty"`
	Model float64 `json:"model_seconds,omitempty"`

	Device string `json:"device"` // name and driver with its version, as the device reports them
	Driver string `json:"driver"`
}

type sample struct {
	seconds float64 // by the device's clock, plus the time of the host's part of the stage
	wall    float64 // seconds by the host's clock
	profile *vk.Profile
}

// fill adds medians, extremes and rates of at least one sample.
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
