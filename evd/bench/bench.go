package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Options say what to measure: every stage at every order, and with every band,
// block and number of columns that it depends on.
type Options struct {
	Stages []string // of Stages
	Orders []int
	Bands  []int // half-bandwidths; none takes the tuning's
	Blocks []int // ranks of updates; none takes the tuning's
	Cols   []int // vectors to transform back; none takes all n

	Repeat   int           // measurements of each, at least one
	WarmUp   time.Duration // of load before the first one at each order; with none there is no load before each either
	Variants []Variant     // to be measured in turns; none takes the table for the device

	Progress func(what string) // called before each measurement, if not nil
}

// Variant is a tuning with a name, which its rows have, "" for none.
type Variant struct {
	Name   string
	Tuning stages.Tuning
}

// Bench measures on one device.
type Bench struct {
	dev    *vk.Device
	opt    Options
	random *random
	peaks  *peaks
	heads  [2]Row           // what the peaks gave
	matrix evd.Sym[float64] // of the order under way: what a Solve is given is on the host
}

// Stages lists the names of what can be measured.
func Stages() []string {
	names := []string{peaksName}
	for _, s := range table {
		names = append(names, s.name)
	}
	return names
}

const peaksName = "peaks"

// UnknownStageError says that a stage is none of Stages.
type UnknownStageError struct{ Stage string }

func (e *UnknownStageError) Error() string {
	return fmt.Sprintf("unknown stage %q; there are %s", e.Stage, strings.Join(Stages(), ", "))
}

// Check says whether the options make sense.
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

// New warms the device up and measures its peaks.
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

// With is the same bench, peaks and all, with other options. Only one of them is to be closed.
func (b *Bench) With(opt Options) *Bench {
	other := *b
	other.opt = opt
	return &other
}

// Close releases device memory.
func (b *Bench) Close() { b.peaks.close() }

// Peaks are the rows of the two peaks.
func (b *Bench) Peaks() []Row { return b.heads[:] }

// label says on what a row was measured.
func (b *Bench) label(r Row) Row {
	info := b.dev.Info()
	r.Device, r.Driver = info.Name, info.Driver+" "+info.DriverVersion
	r.FMAPeak, r.CopyMax = b.heads[0].GFlops, b.heads[1].GBytes
	return r
}

// Measure takes all measurements of one order, after a run of each that does not count: some
// drivers compile at a kernel's first run. The error joins those of the stages that could not
// be measured; rows are of the others.
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

// Detail is where the time of one run went.
type Detail struct {
	Row     Row
	Profile *vk.Profile
}

// Profile runs each measurement of one order once and again, and details the
// second; the error is as Measure's. On a device opened with vk.Options.Kernels the
// kernels' times are in it.
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
