package main

import (
	"context"
	"fmt"
	"io"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/vk"
)

// batchKind says how the matrices of a batch, of the type M, are taken from the file and solved.
type batchKind[M any] struct {
	matrices func(f *batchFile) []M
	order    func(a M) int
	kind     kind
}

// denseBatch and tridiagonalBatch are the two kinds of batches.
var (
	denseBatch = batchKind[denseMatrix]{
		matrices: (*batchFile).matrices,
		order:    func(a denseMatrix) int { return a.N },
		kind:     kindBatch,
	}
	tridiagonalBatch = batchKind[tridiagonalMatrix]{
		matrices: (*batchFile).tridiagonals,
		order:    tridiagonalMatrix.N,
		kind:     kindTridiagonalBatch,
	}
)

// A batchWork is the batch of vkevd solve --batch, with its plans and its result.
type batchWork[M any] struct {
	*solveJob
	of   batchKind[M]
	file string
	*facts
	f        *batchFile
	matrices []M
	groups   []batchGroup
	opt      batch.Options
	p        *batchPlans[M]
	res      *batch.Result
}

// readBatchWork reads the file of vkevd solve --batch.
func readBatchWork[M any](ctx context.Context, j *solveJob, file string, known *facts, show *progress, of batchKind[M]) (work, error) {
	f, err := readBatch(ctx, file, j.stdin, j.input, j.options.tridiagonal, show.above())
	if err != nil {
		return nil, j.input.hint(err)
	}
	if err := j.checkNames(f); err != nil {
		return nil, err
	}
	groups, err := f.groups(j.options.part)
	if err != nil {
		return nil, err
	}
	return &batchWork[M]{
		solveJob: j, of: of, file: file, facts: known, f: f, matrices: of.matrices(f), groups: groups,
		opt: batch.Options{Vectors: j.wantsVectors(), Progress: show.update},
	}, nil
}

func (w *batchWork[M]) open(log io.Writer) (device, error) {
	return w.openAll(vk.Options{Device: w.device()}, log)
}

func (w *batchWork[M]) plan(dev device, log io.Writer) (p planned, err error) {
	orders := make([]int, len(w.matrices))
	for k, a := range w.matrices {
		orders[k] = w.of.order(a)
	}
	var kept evd.Options
	w.Tuned = w.config.apply(&kept, dev.Info(), log)
	w.opt.Tuning = kept.Tuning
	w.p, err = newBatchPlans[M](dev, w.of.kind, w.groups, orders, w.opt)
	return w.p, err
}

// speeds forecasts nothing: the plans report progress by matrices.
func (w *batchWork[M]) speeds(context.Context, device) (n int, _ speeds) { return 0, speeds{} }

func (w *batchWork[M]) solve(ctx context.Context) (err error) {
	w.res, err = w.p.Solve(ctx, w.matrices)
	return err
}

func (w *batchWork[M]) known(planned) *facts {
	w.f.complete(w.res)
	_, w.N = w.f.orders()
	w.Vectors, w.Memory, w.Stages = w.opt.Vectors, w.p.Bytes(), w.res.Profile.Phases
	return w.facts
}

func (w *batchWork[M]) measure(ctx context.Context) (measures, error) {
	checked, err := w.p.Check(ctx, w.matrices, w.res.Spectra)
	if err != nil {
		return nil, err
	}
	return worst(checked, w.res), nil
}

func (w *batchWork[M]) print(ctx context.Context, out *outputs) error {
	if out.toStdout() {
		return nil
	}
	return cannotWrite("standard output", w.f.writeLines(stoppable{ctx, w.stdout}, w.res))
}

func (w *batchWork[M]) summary(to io.Writer) {
	fmt.Fprintf(to, "batch    %s, %s of %s in float64\n", printable(inputName(w.file)), matrices(w.f.count()), orders(w.f.orders()))
	w.where(to)
	w.times(to)
}

func (w *batchWork[M]) remarks(to io.Writer) error {
	w.facts.remarks(to)
	return w.f.failures(to, w.res)
}

func (w *batchWork[M]) report(to io.Writer) error { return w.f.report(w.facts, w.res).write(to) }

func (w *batchWork[M]) about(err error) error {
	_, n := w.f.orders()
	return aboutMatrix(w.file, n, err)
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
