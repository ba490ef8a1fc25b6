package tune

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

type Options struct {
	N        int                     // order of the matrices to measure with; 0 means that of the function Order
	Budget   time.Duration           // a measurement that begins within this time may end later
	Repeat   int                     // runs of each measurement, at least one, whose medians are compared
	Progress func(what string)       // is called before each run with the name of the measurement; may be nil
	Row      func(Choice, bench.Row) // is called after each measurement
	Note     func(what string)       // is called for sizes that are not measured, with their name and the reason
}

// Order returns an order of matrices for a search on the device. It is large enough to keep the
// device busy, and small enough for some dozens of measurements in one or two minutes.
func Order(info vk.Info) int {
	switch info.Type {
	case "cpu":
		return 512
	case "discrete":
		return 8192
	}
	return 2048
}

// Search measures choices of sizes on a device and returns the fastest choice. The device should
// have been opened with vk.Options.Statistics. If the driver then reports statistics, Search
// refuses choices whose kernels spill registers. Search returns an error if the choice of the table
// itself cannot be measured, if ctx ends, or if the device fails.
func Search(ctx context.Context, dev *vk.Device, opt Options) (Result, error) {
	began := time.Now()
	if opt.N == 0 {
		opt.N = Order(dev.Info())
	}
	b, err := bench.New(ctx, dev, bench.Options{
		Stages: dependent, Orders: []int{opt.N}, Repeat: opt.Repeat, WarmUp: briefWarmUp, Progress: opt.Progress,
	})
	if err != nil {
		return Result{}, err
	}
	defer b.Close()
	table := TableChoice(dev.Info())
	table.Block = tuning.On(dev.Info()).For(opt.N, opt.N).Block // the table may have another one for small orders
	d := &onDevice{dev: dev, bench: b, opt: opt}
	d.noteSpills(table)
	s := &search{target: d, n: opt.N, budget: opt.Budget, clock: time.Now, began: began, row: opt.Row, note: opt.Note}
	return s.run(ctx, table)
}

// briefWarmUp is the value for bench.Options.WarmUp. It may be short because the first run of each
// stage, which does not count, keeps the device busy long enough. It must not be 0, because 0 also
// means that the device is idle between runs.
const briefWarmUp = time.Millisecond

type onDevice struct {
	dev   *vk.Device
	bench *bench.Bench // measures the device's peak rates only once for the whole search
	opt   Options

	// spills lists the kernels that spill registers with the sizes of the device's tuning table. No
	// other sizes are refused because of them.
	spills []string
}

const kernelsAt = 256

func (d *onDevice) refused(c Choice) error {
	err := bench.Refused(d.dev, kernelsAt, c.on(d.dev.Info()), evd.Options{Vectors: true})
	var spill *bench.RefusedError
	if !errors.As(err, &spill) {
		return err
	}
	worse := &bench.RefusedError{}
	for _, k := range spill.Kernels {
		if !slices.Contains(d.spills, k.String()) {
			worse.Kernels = append(worse.Kernels, k)
		}
	}
	if len(worse.Kernels) == 0 {
		return nil
	}
	return worse
}

// noteSpills stores the kernels that spill registers with the sizes of the tuning table.
func (d *onDevice) noteSpills(table Choice) {
	var spill *bench.RefusedError
	if errors.As(d.refused(table), &spill) {
		for _, k := range spill.Kernels {
			d.spills = append(d.spills, k.String())
		}
	}
}

func (d *onDevice) table() tuning.Tuning { return tuning.On(d.dev.Info()) }

func (d *onDevice) measure(ctx context.Context, n int, c Choice, stages ...string) ([]bench.Row, error) {
	return d.bench.With(bench.Options{
		Stages: stages, Orders: []int{n}, Repeat: d.opt.Repeat, WarmUp: briefWarmUp,
		Variants: []bench.Variant{{Name: strings.TrimPrefix(c.Crossovers.String(), ", "), Tuning: c.on(d.dev.Info())}},
		Progress: d.opt.Progress,
	}).Measure(ctx, n)
}
