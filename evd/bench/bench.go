package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Options say what to measure: each stage at each order, with each half-bandwidth, rank and number
// of vectors that the stage depends on.
type Options struct {
	// Stages are the names of the stages to measure, from the list that the function Stages
	// returns, in any order. There is at least one.
	Stages []string

	// Orders are the orders n of the matrices.
	Orders []int

	// Bands are the half-bandwidths b. If empty, the tuning's b is measured.
	Bands []int

	// Blocks are the ranks k of updates. If empty, the tuning's k is measured.
	Blocks []int

	// Cols are the numbers m of vectors to transform back, or to find. If empty, m = n.
	Cols []int

	// Repeat is the number of counted runs of each measurement, at least one.
	Repeat int

	// WarmUp is the time for which the device is kept busy before the first run at each order. With
	// 0 it is not kept busy at all, also not between runs.
	WarmUp time.Duration

	// Variants are tunings to compare. They are measured alternately. If empty, the device's table
	// is measured.
	Variants []Variant

	// Progress is called before each run with the measurement's name. It may be nil.
	Progress func(what string)
}

// Variant is a tuning with a name for its rows.
type Variant struct {
	// Name is the text from which the function Variants made the tuning, or "".
	Name string

	// Tuning has the sizes of all stages.
	Tuning tuning.Tuning
}

// Bench measures on one device. One goroutine at a time may use it. It holds the device memory for
// measuring the peaks. Memory for other measurements is allocated for each run.
type Bench struct {
	dev    *vk.Device
	opt    Options
	random *random
	peaks  *peaks

	// heads are the rows of the two peaks: fused multiply-adds, and copying.
	heads [2]Row

	// matrix is the input of whole symmetric solves, on the host. It is kept for the next solve of
	// the same order.
	matrix evd.Sym[float64]

	// dense is the input of whole solves for singular values, kept in the same way. At most one of
	// matrix and dense is not empty.
	dense evd.Dense[float64]
}

// Stages lists the names of everything that can be measured: "peaks", and the stages in the order
// of the solver.
func Stages() []string {
	names := []string{peaksName}
	for _, s := range table {
		names = append(names, s.name)
	}
	return names
}

// peaksName is the name with which a user asks for the device's peak rates and for no stage. The peak
// rates are also measured before all stages.
const peaksName = "peaks"

// UnknownStageError says that Options.Stages has a name that is not in Stages.
type UnknownStageError struct {
	// Stage is the unknown name.
	Stage string
}

// Error names the unknown stage, and lists all stages.
func (e *UnknownStageError) Error() string {
	return fmt.Sprintf("unknown stage %q; there are %s", e.Stage, strings.Join(Stages(), ", "))
}

// Check returns an error, perhaps an *UnknownStageError, if the options ask for nothing or for
// sizes below one.
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
	case slices.Min(append(slices.Concat(opt.Orders, opt.Bands, opt.Blocks, opt.Cols), opt.Repeat)) < 1:
		return errors.New("orders, bands, blocks, columns and repeats must be positive")
	}
	return nil
}

// New warms the device up and measures its peaks. The caller closes the bench before the device.
func New(ctx context.Context, dev *vk.Device, opt Options) (*Bench, error) {
	if err := opt.Check(); err != nil {
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
		b.heads[0], b.heads[1], err = b.peaks.measure(ctx, opt.Repeat)
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

// With returns the same bench with other options. It shares memory and peaks with b, so only one of
// the two must be closed.
func (b *Bench) With(opt Options) *Bench {
	other := *b
	other.opt = opt
	return &other
}

// Close frees the device memory of the peaks.
func (b *Bench) Close() { b.peaks.close() }

// Peaks returns the rows of the two peaks: first that of fused multiply-adds, then that of copying.
func (b *Bench) Peaks() []Row { return b.heads[:] }

// label adds the names of the device and its peaks to a row.
func (b *Bench) label(r Row) Row {
	info := b.dev.Info()
	r.Device, r.Driver = info.Name, info.Driver+" "+info.DriverVersion
	r.FMAPeak, r.CopyMax = b.heads[0].GFlops, b.heads[1].GBytes
	return r
}

// Measure takes all measurements of order n. The first run of each is not counted, because some
// drivers compile a kernel when it first runs. The error joins the errors of measurements that
// failed, and the rows are those of the others. If ctx ends, there are no rows.
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
		rows = append(rows, b.label(l.row.fill(samples[l], l.flops, l.bytes)))
	}
	return rows, t.err()
}

// Detail is the result of one run, with its time phase by phase.
type Detail struct {
	// Row has the result of one run of the measurement.
	Row Row

	// Profile has the seconds by phase, and by kernel if the device times kernels.
	Profile *vk.Profile
}

// Profile runs each measurement of order n twice and returns the details of the second run. Errors
// are those of Measure. Profiles contain the times of kernels if the device was opened with
// vk.Options.Kernels.
func (b *Bench) Profile(ctx context.Context, n int) ([]Detail, error) {
	t := b.newTurns(ctx, n)
	t.round(always, uncounted)
	var details []Detail
	t.round(always, func(l *load, s sample) {
		details = append(details, Detail{b.label(l.row.fill([]sample{s}, l.flops, l.bytes)), s.profile})
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return details, t.err()
}
