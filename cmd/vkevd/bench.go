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

// warmUp is how long a device works before it is measured: clocks settle meanwhile.
const warmUp = time.Second

// A benchJob is one call of vkevd bench.
type benchJob struct {
	*session
	device  func() string
	config  *config
	options bench.Options
	tunings []string // JSON, changes of the tuning to be compared
	rows    string   // path of the rows in JSON, "" for none
	kernels bool
}

// benchmark is bench.Bench.
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
		Short: "how fast each stage is on a device",
		Long: `bench measures stages of the solver one by one on random input, in turns, by the device's own
clock, after a second of load and a run of each that does not count. Stages:
` + folded(bench.Stages(), 90) + `.

The rates are of the operations that a stage counts for itself, and of the bytes that any
method must move, both also as a part of the device's peaks: what it reaches with nothing
but fused multiply-adds, and with nothing but copying, which are measured first. Where the
device has no fused multiply-add, as on lavapipe, stages can come out above its peak.

gemm is n×n with the block as its inner dimension; symm and panel-qr have as many columns as
the band is wide. values and vectors are the whole solver; on the clock that includes
bringing the matrix to the device and the vectors back. Lists of sizes are combined.`,
		Example: `  vkevd bench peaks
  vkevd bench --n 4096,8192 gemm syr2k symm
  vkevd bench --n 16384 --band 32,64 --json rows.json sy2sb sb2st apply-q2
  vkevd bench --n 8192 --tuning '{}' --tuning '{"ApplyQ2":{"Group":32}}' apply-q2`,
		Args: func(cmd *cobra.Command, args []string) error {
			j.options.Stages = args
			_, err := bench.Variants(vk.Info{}, nil, j.tunings)
			if err := errors.Join(j.options.Check(), err); err != nil {
				return usage(cmd, "%w", err)
			}
			if err := checkOrders(j.options.Orders...); err != nil {
				return usage(cmd, "%w", err)
			}
			return nil
		},
		ValidArgsFunction: words(bench.Stages(), false),
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
	f.IntVar(&j.options.Repeat, "repeat", 5, "measure each `R` times")
	f.StringArrayVar(&j.tunings, "tuning", nil, "measure with these changes of the device's tuning, fields of stages.Tuning in\n`JSON`; several are measured in turns")
	f.StringVar(&j.rows, "json", "", "append every measurement to `FILE`, one JSON object a line")
	f.BoolVar(&j.kernels, "kernels", false, "afterwards run each once more and time every kernel; also its\nregisters, spills and shared bytes, where the driver tells")
	return cmd
}

func (j *benchJob) run(ctx context.Context) error {
	return measuring(ctx, j.session, j.rows, func(rows *rowFile, show *progress) error { return j.measure(ctx, rows, show) })
}

// measuring is work that appends rows to a file, "" for none, and shows how far it is.
func measuring(ctx context.Context, s *session, path string, work func(rows *rowFile, show *progress) error) error {
	rows, err := openRows(path)
	if err != nil {
		return err
	}
	defer rows.close()
	show := newProgress(s.stderr, s.terminal)
	defer show.finish()
	return untilDone(ctx, func() error { return work(rows, show) })
}

func (j *benchJob) measure(ctx context.Context, rows *rowFile, show *progress) error {
	if j.terminal { // elsewhere there would be a line for each measurement
		j.options.Progress = show.stage
	}
	report := &benchReport{j.stdout, rows, show}
	err := j.on(ctx, false, func(b benchmark) error {
		return errors.Join(report.peaks(b.Peaks()), j.each(ctx, func(n int) error {
			measured, err := b.Measure(ctx, n)
			return errors.Join(err, report.rows(measured))
		}))
	})
	if !j.kernels || ctx.Err() != nil {
		return err
	}
	// A timestamp after every kernel takes time itself: another pass, on a device opened for it.
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
	if err != nil { // and the same has gone wrong again
		return err
	}
	return again
}

// each goes through the orders: what fails at one, for lack of memory perhaps, is no
// reason to go without the others.
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

// on opens the device and makes it ready.
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
