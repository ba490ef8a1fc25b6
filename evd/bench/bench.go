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
	// Stages are the names of the stages to measure, at least one, in any order. The function
	// Stages returns all names.
	Stages []string

	// Orders are the orders n of the matrices to measure.
	Orders []int

	// Bands are the half-bandwidths b to measure. If Bands is empty, b is that of the tuning table.
	Bands []int

	// Blocks are the ranks k of updates to measure. If Blocks is empty, k is that of the tuning
	// table.
	Blocks []int

	// Cols are the numbers m of vectors that the measured stages find or transform. If Cols is
	// empty, m = n.
	Cols []int

	// Counts are the numbers of matrices of a batch. If Counts is empty, the number depends on the
	// order, and is smaller on a device that computes on the CPU.
	Counts []int

	// Repeat is the number of runs of each measurement whose times are used, at least one. The
	// first run comes in addition, and its time is not used.
	Repeat int

	// WarmUp is the time for which the device is kept busy before the first run at each order. 0
	// means that the device is never kept busy, not even between runs.
	WarmUp time.Duration

	// Variants are tunings to compare. Their runs alternate. If Variants is empty, the device's
	// tuning table is measured.
	Variants []Variant

	// Progress is called before each run with the name of the measurement. It may be nil.
	Progress func(what string)
}

// Variant is a tuning with a name. The rows of its measurements have this name.
type Variant struct {
	// Name is the text from which the function Variants made the tuning. It is "" for an unchanged
	// tuning.
	Name string

	// Tuning has the sizes for all stages.
	Tuning tuning.Tuning
}

// Bench measures on one device. Only one goroutine at a time may use it. A Bench holds device
// memory for the measurement of the peak rates. Each run of another measurement allocates its own
// memory.
type Bench struct {
	dev    *vk.Device
	opt    Options
	random *random
	peaks  *peaks

	// heads are the rows of results with the device's peak rates: fused multiply-adds, copying, and
	// further rates if the options ask for "peaks".
	heads []Row

	host hostMemory
}

// Stages lists all names that Options.Stages may have: "peaks", and the stages in the order of a
// solve.
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

// UnknownStageError says that Options.Stages has a name that the function Stages does not list.
type UnknownStageError struct {
	// Stage is the unknown name.
	Stage string
}

// Error returns a text with the unknown name and with the names of all stages.
func (e *UnknownStageError) Error() string {
	return fmt.Sprintf("unknown stage %q; there are %s", e.Stage, strings.Join(Stages(), ", "))
}

// Check returns an error if a list of the options is empty although it must not be, or if a size is
// below one. The error for an unknown stage is an *UnknownStageError.
func (opt Options) Check() error {
	sized := false
	for _, s := range opt.Stages {
		if !slices.Contains(Stages(), s) {
			return &UnknownStageError{s}
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
	if err == nil && slices.Contains(opt.Stages, peaksName) {
		var rates []Row
		rates, err = otherRates(ctx, dev, opt.Repeat)
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

// With returns a Bench with other options. It shares memory and peak rates with b, so the caller
// must close only one of the two.
func (b *Bench) With(opt Options) *Bench {
	other := *b
	other.opt = opt
	return &other
}

// Close frees the device memory for the measurement of peak rates.
func (b *Bench) Close() { b.peaks.arena.Close() }

// Peaks returns the rows of the peak rates: first fused multiply-adds, then copying. If
// Options.Stages contains "peaks", rows of single precision and of products of bytes follow.
func (b *Bench) Peaks() []Row { return b.heads }

// label returns the row r with the names of the device and driver, and with the device's peak
// rates.
func (b *Bench) label(r Row) Row {
	info := b.dev.Info()
	r.Device, r.Driver = info.Name, info.Driver+" "+info.DriverVersion
	r.FMAPeak, r.CopyMax = b.heads[0].GFlops, b.heads[1].GBytes
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

// Detail is the result of one run of a measurement, with the times of its phases.
type Detail struct {
	// Row has the result of one run of the measurement.
	Row Row

	// Profile has the time of each phase in seconds, and that of each kernel if the device times
	// kernels.
	Profile *vk.Profile
}

// Profile runs each measurement of order n twice and returns the details of the second run. It
// returns the same errors as Measure. The profiles have the times of kernels if the device was opened with
// vk.Options.Kernels.
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
