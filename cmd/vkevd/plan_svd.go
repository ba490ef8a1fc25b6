package main

import (
	"fmt"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/vk"
)

// forecast makes the plan that the flags of vkevd plan ask for: eigenvalues of one matrix,
// eigenvalues of many matrices, or with --svd singular values. The second result is the error that
// the device would return for lack of memory, or nil.
func (j *planJob) forecast(on absent, opt evd.Options) (planned, *vk.OutOfMemoryError, error) {
	t := task{kind: j.kind(), n: j.n, count: j.batch, shape: singularShape{rows: j.rows, cols: j.n}, evd: opt}
	var err error
	switch {
	case j.batch > 0:
		on = absent{Info: on.Info}
		t.batch = batch.Options{Vectors: j.wantsVectors(), Tuning: opt.Tuning}
		t.batch.Select, err = j.options.part.of(j.n)
		t.kind = map[bool]kind{false: kindBatch, true: kindTridiagonalBatch}[t.kind == kindTridiagonal]
	case j.svd:
		o := j.options
		singular := svdOptions{
			largest: o.part.largest, full: j.full, band: o.band, block: o.block, verify: o.verify, productsFlags: o.productsFlags,
		}
		t.svd, err = singular.svd(j.rows, j.n, j.wantsVectors(), j.wantsVectors())
		t.svd.Tuning, t.svd.Products, t.svd.Storage = opt.Tuning, opt.Products, storageOf(j.storage)
		t.kind = map[bool]kind{false: kindSingular, true: kindSingularSingle}[j.options.kind() == kindSingle]
	}
	if err != nil {
		return nil, nil, err
	}
	return j.machine.forecast(on, t)
}

// order returns the number of eigenvalues or singular values.
func (j *planJob) order() int {
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
		return fmt.Sprintf("%s, n = %d", matrices(j.batch), j.n)
	}
	return fmt.Sprintf("n = %d", j.n)
}
