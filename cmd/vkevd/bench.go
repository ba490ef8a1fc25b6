package main

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/vk"
)

// warmUp is how long a device works before it is measured: clocks settle meanwhile.
const warmUp = time.Second

// A benchJob is one call of vkevd bench.
type benchJob struct {
	*session
	device  func() string
	options bench.Options
	rows    string // path of the rows in JSON, "" for none
	kernels bool
}

// benchmark is bench.Bench.
type benchmark interface {
	Peaks() []bench.Row
	Measure(ctx context.Context, n int) ([]bench.Row, error)
	Profile(ctx context.Context, n int) ([]bench.Detail, error)
	Close()
}

func (s *session) bench() *cobra.Command {
	j := &benchJob{session: s}
	cmd := &cobra.Command{
		Use:   "bench --n N,… [flags] STAGE…",
		Short: "how fast each stage is on a device",
		Long: `bench measures stages of the solver on random input, each for itself, after a second of
load, in turns, and prints median, least and most of the device's times. The rates are those
of the operations that a stage counts for itself, also as part of what the device reaches
with nothing but fused multiply-adds, and of the bytes that any method must move, as part of what it
reaches with nothing but copying. Both are measured first.

Stages: ` + strings.Join(bench.Stages(), ", ") + `.

gemm is n×n by an inner dimension of the block, symm and panel-qr have as many columns as
the band is wide; values and vectors are the whole solver, whose time on the clock includes
bringing the matrix to the device and the vectors back. Where a list is given each stage is measured
with all that it depends on.`,
		Example: `  vkevd bench peaks
  vkevd bench --n 4096,8192 gemm syr2k symm
  vkevd bench --n 16384 --band 32,64 --json rows.json sy2sb sb2st apply-q2`,
		Args: func(cmd *cobra.Command, args []string) error {
			j.options.Stages = args
			if err := j.options.Check(); err != nil {
				return usage(cmd, "%w", err)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return j.run(cmd.Context()) },
	}
	j.device = s.deviceFlag(cmd)
	j.options.WarmUp = warmUp
	f := cmd.Flags()
	f.IntSliceVarP(&j.options.Orders, "n", "n", nil, "orders `N` of the matrices")
	f.IntSliceVar(&j.options.Bands, "band", nil, "half-bandwidths `B` (default: the device's tuning)")
	f.IntSliceVar(&j.options.Blocks, "block", nil, "ranks `K` of updates (default: the device's tuning)")
	f.IntSliceVar(&j.options.Cols, "cols", nil, "numbers `M` of vectors to transform back (default: N)")
	f.IntVar(&j.options.Repeat, "repeat", 5, "measure each `R` times")
	f.StringVar(&j.rows, "json", "", "append every measurement to `FILE`, one JSON object a line")
	f.BoolVar(&j.kernels, "kernels", false, "afterwards run each once more and time every kernel")
	return cmd
}

func (j *benchJob) run(ctx context.Context) error {
	rows, err := openRows(j.rows)
	if err != nil {
		return err
	}
	defer rows.close()
	if err := j.on(ctx, false, func(b benchmark) error { return j.measure(ctx, b, rows) }); err != nil || !j.kernels {
		return err
	}
	// A timestamp after every kernel takes time itself: another pass, on a device opened for it.
	return j.on(ctx, true, func(b benchmark) error { return j.detail(ctx, b) })
}

// on opens the device and makes it ready.
func (j *benchJob) on(ctx context.Context, kernels bool, use func(benchmark) error) error {
	dev, err := j.machine.open(vk.Options{
		Device: j.device(), CacheDir: j.pipelineCache(), Logger: slog.New(plain(j.stderr)), Kernels: kernels,
	})
	if err != nil {
		return err
	}
	defer dev.Close()
	b, err := dev.bench(ctx, j.options)
	if err != nil {
		return err
	}
	defer b.Close()
	return use(b)
}

func (j *benchJob) measure(ctx context.Context, b benchmark, rows *rowFile) error {
	report := func(list []bench.Row) error {
		for _, r := range list {
			if err := printRow(j.stdout, r); err != nil {
				return err
			}
			if err := rows.add(r); err != nil {
				return err
			}
		}
		return nil
	}
	peaks := b.Peaks()
	if err := printHead(j.stdout, peaks[0]); err != nil {
		return err
	}
	if err := report(peaks); err != nil {
		return err
	}
	for _, n := range j.options.Orders {
		measured, err := b.Measure(ctx, n)
		if err != nil {
			return err
		}
		if err := report(measured); err != nil {
			return err
		}
	}
	return nil
}

func (j *benchJob) detail(ctx context.Context, b benchmark) error {
	for _, n := range j.options.Orders {
		details, err := b.Profile(ctx, n)
		if err != nil {
			return err
		}
		for _, d := range details {
			if err := printDetail(j.stdout, d); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d opened) bench(ctx context.Context, opt bench.Options) (benchmark, error) {
	b, err := bench.New(ctx, d.Device, opt)
	if err != nil {
		return nil, err // not b: a nil pointer would be a benchmark
	}
	return b, nil
}
