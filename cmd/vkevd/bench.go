package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/vk"
)

// warmUp is the time for which the program keeps a device busy before it measures, so that the
// clock frequency of the device is stable.
const warmUp = time.Second

// A benchJob is one call of vkevd bench.
type benchJob struct {
	*session
	device  func() string
	config  *config
	options bench.Options
	tunings []string // JSON, changes of the tuning that are compared
	rows    string   // path of the rows in JSON, "" for none
	kernels bool
	share   *jsonOutput // the file of --share

	// usualOrders is true if the user gave no orders of matrices, so that the default orders of
	// --share are used.
	usualOrders bool
}

// A benchmark measures the times of the solver's stages. It is a *bench.Bench, or a fake in tests.
type benchmark interface {
	Peaks() []bench.Row
	Measure(ctx context.Context, n int) ([]bench.Row, error)
	Profile(ctx context.Context, n int) ([]bench.Detail, error)
	Kernels() ([]bench.Kernel, error)
	Close()
}

func benchCommand(s *session) *cobra.Command {
	j := &benchJob{session: s}
	cmd := &cobra.Command{
		Use:               "bench --n N,… [flags] STAGE…",
		Args:              j.check,
		ValidArgsFunction: words(bench.Stages()),
		RunE:              func(cmd *cobra.Command, _ []string) error { return j.run(cmd.Context()) },
	}
	j.device = deviceFlag(cmd, s)
	j.config = configFlag(cmd, s)
	j.options.WarmUp = warmUp
	f := cmd.Flags()
	f.IntSliceVarP(&j.options.Orders, "n", "n", nil, "orders `N` of the matrices")
	f.IntSliceVar(&j.options.Bands, "band", nil, "half-bandwidths `B` (default: the device's tuning)")
	f.IntSliceVar(&j.options.Blocks, "block", nil, "ranks `K` of updates (default: the device's tuning)")
	f.IntSliceVar(&j.options.Cols, "cols", nil, "numbers `M` of vectors to transform back (default: N)")
	f.IntSliceVar(&j.options.Counts, "count", nil, "numbers `C` of matrices of a batch (default: by the order)")
	f.IntVar(&j.options.Repeat, "repeat", 5, "measure everything `R` times")
	f.StringArrayVar(&j.tunings, "tuning", nil,
		"change the device's tuning: fields of tuning.Tuning in `JSON`; given\n"+
			"several times, the tunings are measured alternately")
	rowsFlag(cmd, &j.rows, "every measurement")
	j.share = &jsonOutput{cmd: cmd}
	f.StringVar(&j.share.path, "share", "", "write everything about this device to `FILE` as JSON, to send to\nthe authors of vkevd; - prints it")
	f.BoolVar(&j.kernels, "kernels", false,
		"run every stage once more and time its kernels; also their\n"+
			"registers, spills and shared bytes, if the driver tells them")
	return cmd
}

func (j *benchJob) check(cmd *cobra.Command, args []string) error {
	j.options.Stages = args
	j.sharing()
	_, err := bench.Variants(vk.Info{}, nil, j.tunings)
	if err := errors.Join(j.options.Check(), err); err != nil {
		if len(j.options.Orders) == 0 && j.needsOrders() {
			return usage(cmd, "bench needs --n N,…, the orders of the matrices")
		}
		return usage(cmd, "%w", err)
	}
	if err := checkOrders(j.options.Orders...); err != nil {
		return usage(cmd, "%w", err)
	}
	return nil
}

// needsOrders tells whether vkevd bench needs orders of matrices. It does if all stages that the
// user has named exist, and at least one of them works on a matrix of a given order.
func (j *benchJob) needsOrders() bool {
	opt := j.options
	opt.Orders = []int{1}
	return opt.Check() == nil && len(j.tunings) == 0
}

func (j *benchJob) run(ctx context.Context) error {
	all := func(keep func(bench.Row)) error {
		return measuring(ctx, j.session, verbosity{}, j.rows, func(rows *rowFile, show *progress) error {
			rows.keep = keep
			return j.measure(ctx, rows, show)
		})
	}
	if j.share.path != "" {
		return j.writeShared(ctx, all)
	}
	return all(nil)
}

func (j *benchJob) measure(ctx context.Context, rows *rowFile, show *progress) error {
	if j.terminal { // if the output is a file, each measurement would print a line of progress
		j.options.Progress = show.stage
	}
	table := rows.table(j.session)
	if j.share.instead() {
		table = j.atTerminal()
	}
	report := &benchReport{table, rows, show}
	err := j.on(ctx, false, func(b benchmark) error {
		return errors.Join(report.peaks(b.Peaks()), j.each(ctx, func(n int) error {
			measured, err := b.Measure(ctx, n)
			return errors.Join(err, report.rows(measured))
		}))
	})
	if !j.kernels || ctx.Err() != nil {
		return err
	}
	// A second pass measures the times of the kernels. It needs a timestamp after every kernel,
	// which takes time, so the device is opened again for this pass.
	again := j.on(ctx, true, func(b benchmark) error {
		failed := j.each(ctx, func(n int) error {
			details, err := b.Profile(ctx, n)
			return errors.Join(err, report.details(details))
		})
		if ctx.Err() != nil {
			return failed
		}
		kernels, err := b.Kernels()
		return errors.Join(failed, err, report.kernels(kernels))
	})
	if err != nil { // the second pass fails in the same way: report only one error
		return err
	}
	return again
}

// each calls the function `do` for every order of matrices. If `do` fails for one order, for
// example for lack of memory, `each` continues with the next order.
func (j *benchJob) each(ctx context.Context, do func(n int) error) error {
	var errs []error
	for _, n := range j.options.Orders {
		errs = append(errs, do(n))
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return errors.Join(errs...)
}

// on opens the device, makes a benchmark on this device, and calls the function `use` with the
// benchmark. `kernels` says whether each kernel is timed.
func (j *benchJob) on(ctx context.Context, kernels bool, use func(benchmark) error) error {
	dev, err := j.open(vk.Options{Device: j.device(), Kernels: kernels, Statistics: kernels}, j.stderr)
	if err != nil {
		return err
	}
	defer dev.Close()
	j.suit(dev.Info())
	var kept evd.Options
	j.config.apply(&kept, dev.Info(), j.stderr)
	if j.options.Variants, err = bench.Variants(dev.Info(), kept.Tuning, j.tunings); err != nil {
		return err
	}
	b, err := dev.bench(ctx, j.options)
	if err != nil {
		return err
	}
	defer b.Close()
	return use(b)
}
