package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// checkSVD returns an error for flags that cannot be combined with --svd, and for flags that need
// --svd.
func (j *planJob) checkSVD(cmd *cobra.Command) error {
	f := cmd.Flags()
	if !j.svd {
		if f.Changed("m") {
			return usage(cmd, "--m needs --svd: other matrices are square")
		}
		if j.full {
			return usage(cmd, "--full needs --svd: eigenvectors are a square matrix anyway")
		}
		if j.storage != "" {
			return usage(cmd, "--storage needs --svd: eigenvalues have the precision of --precision")
		}
		return nil
	}
	for _, name := range []string{"index", "smallest", "interval", "solver", "tridiagonal"} {
		if f.Changed(name) {
			return usage(cmd, "--%s cannot be combined with --svd", name)
		}
	}
	if j.full && f.Changed("largest") {
		return usage(cmd, "--full cannot be combined with --largest: all vectors need all values")
	}
	if j.options.precision == precisionSingle && j.storage == precisionDouble {
		return usage(cmd, "--storage f64 stores no more digits than --precision f32 has")
	}
	if err := checkStorageWord(cmd, j.storage, j.wantsVectors()); err != nil {
		return err
	}
	if !f.Changed("m") {
		j.rows = j.n
	}
	if j.rows < 1 || j.rows > maxOrder {
		return usage(cmd, "--m: %d is not between 1 and %d", j.rows, maxOrder)
	}
	return nil
}

// forecast makes the plan that the flags of vkevd plan ask for: eigenvalues of one matrix,
// eigenvalues of many matrices, or with --svd singular values. The second result is the error that
// the device would return for lack of memory, or nil.
func (j *planJob) forecast(on absent, opt evd.Options) (forecast, *vk.OutOfMemoryError, error) {
	if j.batch > 0 {
		return j.forecastBatch(on.Info, opt)
	}
	if !j.svd {
		return j.machine.forecast(on, j.n, j.kind(), opt)
	}
	o := j.options
	singular := svdOptions{
		largest: o.part.largest, full: j.full, band: o.band, block: o.block, verify: o.verify, productsFlags: o.productsFlags,
	}
	values, err := singular.svd(j.rows, j.n, j.wantsVectors(), j.wantsVectors())
	if err != nil {
		return nil, nil, err
	}
	values.Tuning, values.Products, values.Storage = opt.Tuning, opt.Products, storageOf(j.storage)
	return j.machine.forecastSVD(on, j.options.kind(), j.rows, j.n, values)
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
