package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/vk"
)

// batchConflicts lists the flags of the solver that cannot be combined with --batch.
var batchConflicts = []string{"interval", "solver", "band", "block", "verify", "precision"}

// checkBatch returns an error for flags that cannot be combined with --batch.
func (j *solveJob) checkBatch(cmd *cobra.Command) error {
	if !j.batch {
		return nil
	}
	for _, name := range batchConflicts {
		if cmd.Flags().Changed(name) {
			return usage(cmd, "--%s cannot be combined with --batch", name)
		}
	}
	if j.check && j.options.valuesOnly {
		return usage(cmd, "--check of a batch needs vectors: it cannot be combined with --values-only")
	}
	if ending(j.values) == ".json" {
		return usage(cmd, "--out-values: %s: the values of a batch are written as .txt, .npy or .npz", j.values)
	}
	return nil
}

// batchKind says how the matrices of a batch, of the type M, are taken from the file and solved.
type batchKind[M any] struct {
	matrices func(f *batchFile) []M
	order    func(a M) int
	plan     func(dev device) func(n, count int, opt batch.Options) (batchSolver[M], error)
}

// denseBatch and tridiagonalBatch are the two kinds of batches.
var (
	denseBatch = batchKind[denseMatrix]{
		matrices: (*batchFile).matrices,
		order:    func(a denseMatrix) int { return a.N },
		plan: func(dev device) func(int, int, batch.Options) (batchSolver[denseMatrix], error) {
			return dev.batch
		},
	}
	tridiagonalBatch = batchKind[tridiagonalMatrix]{
		matrices: (*batchFile).tridiagonals,
		order:    tridiagonalMatrix.N,
		plan: func(dev device) func(int, int, batch.Options) (batchSolver[tridiagonalMatrix], error) {
			return dev.tridiagonalBatch
		},
	}
)

// runBatch runs the command vkevd solve --batch, from reading the file to writing the results.
func runBatch[M any](ctx context.Context, j *solveJob, file string, of batchKind[M]) error {
	out, err := createOutputs(ctx, j.stdout, file, j.values, j.vectors, j.report)
	if err != nil {
		return err
	}
	defer out.abort()
	summary, show := j.feedback(j.verbosity)
	defer show.end()
	known := newFacts(file)

	show.stage("reading " + inputName(file))
	go j.machine.preload()
	f, err := readBatch(ctx, file, j.stdin, j.input, j.options.tridiagonal, show.above())
	if err != nil {
		return j.input.hint(err)
	}
	if err := j.checkNames(f); err != nil {
		return err
	}
	all := of.matrices(f)
	orderOf := make([]int, len(all))
	for k, a := range all {
		orderOf[k] = of.order(a)
	}
	least, n := f.orders()
	known.took("read")

	show.stage("preparing the device")
	groups, err := f.groups(j.options.part)
	if err != nil {
		return err
	}
	opt := batch.Options{Vectors: j.wantsVectors(), Progress: show.update}
	dev, p, err := prepareAll(ctx, j.session, vk.Options{Device: j.device()}, show.above(), func(dev device) (batchSolver[M], error) {
		var kept evd.Options
		known.Tuned = j.config.apply(&kept, dev.Info(), show.above())
		opt.Tuning = kept.Tuning
		return newBatchPlans(of.plan(dev), groups, orderOf, opt)
	})
	if err != nil {
		return aboutMatrix(file, n, err)
	}
	defer dev.Close()
	defer p.Close()
	known.took("prepare")

	res, err := p.Solve(ctx, all)
	if err != nil {
		return aboutMatrix(file, n, err)
	}
	known.took("solve")
	f.complete(res)
	if j.check {
		show.stage("checking")
		checked, err := p.Check(ctx, all, res.Spectra)
		if err != nil {
			return aboutMatrix(file, n, err)
		}
		known.Ratios = worst(checked, res)
		known.took("check")
	}
	known.N, known.Vectors, known.Memory, known.Stages = n, opt.Vectors, p.Bytes(), res.Profile.Phases
	known.on(dev)

	show.stage("writing")
	if err := j.writeBatch(ctx, out, f, res, f.report(known, res)); err != nil {
		return err
	}
	show.end()
	if !j.noPrint && !out.toStdout() {
		if err := cannotWrite("standard output", f.writeLines(stoppable{ctx, j.stdout}, res)); err != nil {
			return err
		}
	}
	known.took("write")
	fmt.Fprintf(summary, "batch    %s, %s of %s in float64\n", printable(inputName(file)), matrices(f.count()), orders(least, n))
	known.where(summary)
	known.times(summary)
	known.remarks(show.above())
	return errors.Join(f.failures(show.above(), res), known.Ratios.verdict())
}

// worst returns the largest ratio of each measure, over all matrices that were solved.
func worst(checked []evd.Ratios, res *batch.Result) measures {
	var most evd.Ratios
	for k, r := range checked {
		if res.Spectra[k].Err == nil {
			most.Residual = max(most.Residual, r.Residual)
			most.Orthogonality = max(most.Orthogonality, r.Orthogonality)
		}
	}
	return ratios(most)
}

// matrices returns a number of matrices as text, such as "1 matrix" or "12 matrices".
func matrices(count int) string {
	if count == 1 {
		return "1 matrix"
	}
	return fmt.Sprintf("%d matrices", count)
}

// orders returns a range of orders as text. The smallest order is `least`, and the largest is
// `most`.
func orders(least, most int) string {
	if least == most {
		return fmt.Sprintf("order %d", most)
	}
	return fmt.Sprintf("orders %d to %d", least, most)
}

// A batchError says that some matrices of a batch have no result, or that values of some results
// overflow.
type batchError struct {
	file             string
	failed, overflow int // numbers of matrices
}

func (e *batchError) Error() string {
	text := fmt.Sprintf("%s could not be solved", matrices(e.failed))
	overflow := fmt.Sprintf("a value of %s is beyond the largest number of its type", matrices(e.overflow))
	switch {
	case e.failed == 0:
		text = overflow
	case e.overflow > 0:
		text += ", and " + overflow
	}
	return e.file + ": " + text
}

// failures prints the error of each matrix of the batch that has no result, or a result with a value
// that overflows. It returns a *batchError if there is such a matrix.
func (f *batchFile) failures(remarks io.Writer, res *batch.Result) error {
	e := &batchError{file: f.name}
	for k, s := range res.Spectra {
		if s.Err == nil {
			continue
		}
		if as[*evd.OverflowError](s.Err) {
			e.overflow++
		} else {
			e.failed++
		}
		fmt.Fprintf(remarks, "matrix %s: %v\n", f.label(k), s.Err)
	}
	if e.failed+e.overflow == 0 {
		return nil
	}
	return e
}
