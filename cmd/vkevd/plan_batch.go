package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// checkMany returns an error for flags of vkevd plan that cannot be combined with --batch or with
// --start.
func (j *planJob) checkMany(cmd *cobra.Command) error {
	f := cmd.Flags()
	if f.Changed("batch") && j.batch < 1 {
		return usage(cmd, "--batch: %d is not a number of matrices, at least 1", j.batch)
	}
	with := func(flag string, conflicts []string) error {
		if i := slices.IndexFunc(conflicts, f.Changed); i >= 0 {
			return usage(cmd, "--%s cannot be combined with --%s", flag, conflicts[i])
		}
		return nil
	}
	switch {
	case j.start && j.options.precision == precisionSingle:
		return usage(cmd, "--start refines to double precision, not to --precision %s", precisionSingle)
	case j.start:
		return with("start", append([]string{"svd", "engine"}, startConflicts...))
	case j.batch > 0:
		return with("batch", append([]string{"svd", "tridiagonal", "engine", "products", "moduli"}, batchConflicts...))
	}
	return nil
}

// A batchForecast is the forecast of memory and operations for many matrices that are solved in one
// batch.
type batchForecast struct {
	*batch.Plan
	n, count int
	vectors  bool
}

func (f batchForecast) Costs() []evd.StageCost {
	return []evd.StageCost{{Stage: stages.PhaseBatch, Flops: float64(f.count) * stages.BatchFlops(f.n, f.vectors)}}
}

func (vulkan) forecastBatch(info vk.Info, n, count int, opt batch.Options) (
	f forecast, unfit *vk.OutOfMemoryError, err error,
) {
	p, err := batch.NewPlan(vk.Dry(info), n, atOnce(count, n), opt)
	if errors.As(err, &unfit) {
		p, err = batch.NewPlan(vk.Dry(boundless(info)), n, atOnce(count, n), opt)
	}
	return batchForecast{p, n, count, opt.Vectors}, unfit, err
}

// forecastBatch makes the plan for a batch of j.batch matrices. The second result is the error that
// the device would return for lack of memory, or nil.
func (j *planJob) forecastBatch(info vk.Info, opt evd.Options) (forecast, *vk.OutOfMemoryError, error) {
	part, err := j.options.part.of(j.n)
	if err != nil {
		return nil, nil, err
	}
	return j.machine.forecastBatch(info, j.n, j.batch, batch.Options{
		Vectors: j.wantsVectors(), Select: part, Tuning: opt.Tuning,
	})
}
