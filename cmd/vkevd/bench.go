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

// warmUp is the time for which a device is kept busy before it is measured, until its clock
// frequency is stable.
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
}

// A benchmark is a *bench.Bench. Tests replace it.
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
		Use:   "bench --n N,… [flags] STAGE…",
		Short: "the speed of each stage on a device",
		Long: `bench measures stages of the solver on random input, by the device's own clock. It runs them
alternately. Before that it loads the device for a second and runs each stage once. Stages:
` + folded(bench.Stages(), 90) + `.

GFLOP/s are the operations that a stage counts for itself, GB/s the bytes that any method must
move. Both are also given in percent of the device's peaks, which are measured first: kernels of
nothing but fused multiply-adds, and of nothing but copies. On devices without a fused
multiply-add, such as lavapipe, stages can exceed the peak.

gemm multiplies n×n matrices with the block as inner dimension; symm and panel-qr have as many
columns as the band is wide. values, vectors and svd are whole solvers; their wall clock includes
the transfers of matrix and vectors. svd, of which ge2tb and tb2bd are stages, finds the singular
values of n×n matrices; bdsdc also finds the singular vectors of bidiagonal matrices. If several
flags list sizes, all combinations are measured.`,
		Example: `  vkevd bench peaks
  vkevd bench --n 4096,8192 gemm syr2k symm
  vkevd bench --n 16384 --band 32,64 --json rows.json sy2sb sb2st apply-q2
  vkevd bench --n 8192 --tuning '{}' --tuning '{"ApplyQ2":{"Group":32}}' apply-q2`,
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
	f.IntVar(&j.options.Repeat, "repeat", 5, "measure everything `R` times")
	f.StringArrayVar(&j.tunings, "tuning", nil,
		"change the device's tuning: fields of tuning.Tuning in `JSON`; given\n"+
			"several times, the tunings are measured alternately")
	rowsFlag(cmd, &j.rows, "every measurement")
	f.BoolVar(&j.kernels, "kernels", false,
		"run every stage once more and time its kernels; also their\n"+
			"registers, spills and shared bytes, if the driver tells them")
	return cmd
}

func (j *benchJob) check(cmd *cobra.Command, args []string) error {
	j.options.Stages = args
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

// needsOrders tells whether all stages are known and at least one of them needs the order of a
// matrix.
func (j *benchJob) needsOrders() bool {
	opt := j.options
	opt.Orders = []int{1}
	return opt.Check() == nil && len(j.tunings) == 0
}

func (j *benchJob) run(ctx context.Context) error {
	return measuring(ctx, j.session, j.rows, func(rows *rowFile, show *progress) error {
		return j.measure(ctx, rows, show)
	})
}

func (j *benchJob) measure(ctx context.Context, rows *rowFile, show *progress) error {
	if j.terminal { // in a file, progress would take a line for each measurement
		j.options.Progress = show.stage
	}
	report := &benchReport{rows.table(j.session), rows, show}
	err := j.on(ctx, false, func(b benchmark) error {
		return errors.Join(report.peaks(b.Peaks()), j.each(ctx, func(n int) error {
			measured, err := b.Measure(ctx, n)
			return errors.Join(err, report.rows(measured))
		}))
	})
	if !j.kernels || ctx.Err() != nil {
		return err
	}
	// Timestamps after every kernel take time. So they are taken in another pass, on a device that
	// is opened for it.
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
	if err != nil { // the second pass has failed in the same way
		return err
	}
	return again
}

// each calls do for all orders, even if it fails for some, for example for lack of memory.
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

// on opens the device, makes a benchmark on it, and calls use with it.
func (j *benchJob) on(ctx context.Context, kernels bool, use func(benchmark) error) error {
	dev, err := j.open(vk.Options{Device: j.device(), Kernels: kernels, Statistics: kernels}, j.stderr)
	if err != nil {
		return err
	}
	defer dev.Close()
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
