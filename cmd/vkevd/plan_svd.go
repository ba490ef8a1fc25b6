package main

import (
	"fmt"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/vk"
)

// Forecast makes the plan that the flags of vkevd plan ask for: eigenvalues of one matrix,
// eigenvalues of many matrices, or with --svd singular values. The second result is the error that
// the device would return for lack of memory, or nil.
func (j *planJob) Forecast(on machine.Absent, opt evd.Options) (machine.Planned, *vk.OutOfMemoryError, error) {
	t := machine.Task{Kind: j.kind(), N: j.n, Count: j.batch, Shape: machine.SingularShape{M: j.rows, N: j.n}, Evd: opt}
	var err error
	switch {
	case j.batch > 0:
		on = machine.Absent{Info: on.Info}
		t.Batch = batch.Options{Vectors: j.wantsVectors(), Tuning: opt.Tuning}
		t.Batch.Select, err = j.options.part.of(j.n)
		t.Kind = map[bool]machine.Kind{false: machine.KindBatch, true: machine.KindTridiagonalBatch}[t.Kind == machine.KindTridiagonal]
	case j.svd:
		o := j.options
		singular := svdOptions{
			largest: o.part.largest, full: j.full, band: o.band, block: o.block, verify: o.verify, productsFlags: o.productsFlags,
		}
		t.Svd, err = singular.svd(j.rows, j.n, j.wantsVectors(), j.wantsVectors())
		t.Svd.Tuning, t.Svd.Products, t.Svd.Storage = opt.Tuning, opt.Products, storageOf(j.storage)
		t.Kind = map[bool]machine.Kind{false: machine.KindSingular, true: machine.KindSingularSingle}[j.options.kind() == machine.KindSingle]
	}
	if err != nil {
		return nil, nil, err
	}
	return j.Machine.Forecast(on, t)
}

func (j *planJob) Order() int {
	if j.svd {
		return min(j.n, j.rows)
	}
	return j.n
}

// size returns the size of the matrix as text, for error messages.
func (j *planJob) size() string {
	if j.svd {
		return fmt.Sprintf("%d by %d", j.rows, j.n)
	}
	if j.batch > 0 {
		return fmt.Sprintf("%s, n = %d", cli.Matrices(j.batch), j.n)
	}
	return fmt.Sprintf("n = %d", j.n)
}
