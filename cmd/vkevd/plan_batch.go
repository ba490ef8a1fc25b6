package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/stages"
	batchs "github.com/vkevd/vkevd/stages/batch"
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
		return with("batch", append([]string{"svd", "engine", "products", "moduli"}, batchConflicts...))
	}
	return nil
}

// A batchForecast is the forecast of memory and operations for many matrices that are solved in one
// batch. `flops` is the number of operations for one matrix.
type batchForecast struct {
	batchMemory
	count int
	flops float64
}

// A batchMemory is the part of a plan for a batch that a forecast needs: its device memory.
type batchMemory interface {
	Memory() []vk.Placed
	Bytes() uint64
}

func (f batchForecast) Costs() []evd.StageCost {
	return []evd.StageCost{{Stage: stages.PhaseBatch, Flops: float64(f.count) * f.flops}}
}

func (vulkan) forecastBatch(info vk.Info, of kind, n, count int, opt batch.Options) (
	f forecast, unfit *vk.OutOfMemoryError, err error,
) {
	made := batchForecast{count: count, flops: batchs.BatchFlops(n, opt.Vectors)}
	plan := func(dev *vk.Device) (batchMemory, error) { return batch.NewPlan(dev, n, atOnce(count, n), opt) }
	if of == kindTridiagonal {
		made.flops = batchs.TridiagonalBatchFlops(n, opt.Vectors)
		plan = func(dev *vk.Device) (batchMemory, error) {
			return batch.NewTridiagonalPlan(dev, n, atOnce(count, n), opt)
		}
	}
	made.batchMemory, err = plan(vk.Dry(info))
	if errors.As(err, &unfit) {
		made.batchMemory, err = plan(vk.Dry(boundless(info)))
	}
	return made, unfit, err
}

// forecastBatch makes the plan for a batch of j.batch matrices. The second result is the error that
// the device would return for lack of memory, or nil.
func (j *planJob) forecastBatch(info vk.Info, opt evd.Options) (forecast, *vk.OutOfMemoryError, error) {
	part, err := j.options.part.of(j.n)
	if err != nil {
		return nil, nil, err
	}
	return j.machine.forecastBatch(info, j.kind(), j.n, j.batch, batch.Options{
		Vectors: j.wantsVectors(), Select: part, Tuning: opt.Tuning,
	})
}
