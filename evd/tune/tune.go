package tune

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/vk"
)

// Options say how to search.
type Options struct {
	N        int                     // order of the matrices, 0 for one that suits the device
	Budget   time.Duration           // about how long: what is begun is ended
	Repeat   int                     // measurements of each, of which the median counts
	Progress func(what string)       // called before each measurement, if not nil
	Row      func(Choice, bench.Row) // called after each
	Note     func(what string)       // called with what is not measured, and why
}

// Order is the order of matrices that suits a device: large enough that its units
// are busy, and small enough for some dozens of measurements in a minute or two.
func Order(info vk.Info) int {
	switch info.Type {
	case "cpu":
		return 512
	case "discrete":
		return 8192
	}
	return 2048
}

// Search measures on a device that should have been opened with vk.Options.Statistics:
// where its driver tells what its compiler made, choices whose kernels spill are refused.
func Search(ctx context.Context, dev *vk.Device, opt Options) (Result, error) {
	began := time.Now()
	if opt.N == 0 {
		opt.N = Order(dev.Info())
	}
	b, err := bench.New(ctx, dev, bench.Options{
		Stages: dependent, Orders: []int{opt.N}, Repeat: opt.Repeat, WarmUp: hardly, Progress: opt.Progress,
	})
	if err != nil {
		return Result{}, err
	}
	defer b.Close()
	table := TableChoice(dev.Info())
	d := &onDevice{dev: dev, bench: b, opt: opt}
	d.usual(table)
	s := &search{target: d, n: opt.N, budget: opt.Budget, clock: time.Now, began: began, row: opt.Row, note: opt.Note}
	return s.run(ctx, table)
}

// hardly is a warm-up: the run of each stage that does not count is load enough, and with none at all
// the device would rest before each measurement.
const hardly = time.Millisecond

// onDevice is the target that is none in a test.
type onDevice struct {
	dev    *vk.Device
	bench  *bench.Bench
	opt    Options
	spills []string // kernels that spill whatever is chosen
}

// kernelsAt is the order of the plans whose kernels are looked at.
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

// usual notes which kernels spill with the table's choice.
func (d *onDevice) usual(table Choice) {
	var spill *bench.RefusedError
	if errors.As(d.refused(table), &spill) {
		for _, k := range spill.Kernels {
			d.spills = append(d.spills, k.String())
		}
	}
}

func (d *onDevice) measure(ctx context.Context, c Choice, stages ...string) ([]bench.Row, error) {
	return d.bench.With(bench.Options{
		Stages: stages, Orders: []int{d.opt.N}, Repeat: d.opt.Repeat, WarmUp: hardly,
		Variants: []bench.Variant{{Tuning: c.on(d.dev.Info())}}, Progress: d.opt.Progress,
	}).Measure(ctx, d.opt.N)
}
