package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/pencil"
	batchs "github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/vk"
)

// batchKind says how the matrices of a batch, of the type M, are taken from the file and solved.
type batchKind[M any] struct {
	matrices func(f *batchFile) []M
	order    func(a M) int
	kind     machine.Kind
}

var (
	denseBatch = batchKind[machine.DenseMatrix]{
		matrices: (*batchFile).matrices,
		order:    func(a machine.DenseMatrix) int { return a.N },
		kind:     machine.KindBatch,
	}
	tridiagonalBatch = batchKind[machine.TridiagonalMatrix]{
		matrices: (*batchFile).tridiagonals,
		order:    machine.TridiagonalMatrix.N,
		kind:     machine.KindTridiagonalBatch,
	}
	hermitianBatch = batchKind[machine.HermitianMatrix]{
		matrices: (*batchFile).hermitians,
		order:    func(a machine.HermitianMatrix) int { return a.N },
		kind:     machine.KindHermitianBatch,
	}
)

type batchWork[M any] struct {
	*solveJob
	of   batchKind[M]
	file string
	*report.Facts
	f        *batchFile
	matrices []M
	groups   []batchGroup
	task     machine.Task
	p        *batchPlans[M]
	res      *batch.Result[float64]
}

func readBatchWork(ctx context.Context, j *solveJob, file string, known *report.Facts, show *cli.Progress) (work, error) {
	f, err := readBatch(ctx, file, j.pair.b, j.Stdin, j.input, j.options.tridiagonal, show.Above())
	if err != nil {
		return nil, j.input.hint(err)
	}
	if err := j.checkNames(f); err != nil {
		return nil, err
	}
	task := machine.Task{Type: j.pair.pairType(), Refine: j.pair.refine, Batch: batch.Options{Vectors: j.wantsVectors(), Progress: show.Update}}
	task.Evd.Products, task.Evd.Moduli = j.options.chosen(), j.options.moduli
	if task.Type > 0 {
		if task.B, err = j.readB(ctx, f, show.Above()); err != nil {
			return nil, err
		}
	}
	if j.options.precision == cli.PrecisionSingle && task.Type > 0 {
		return nil, fmt.Errorf("%s: --precision f32 is for stacks without --b", f.name)
	}
	groups, err := f.groups(j.options.part)
	if err != nil {
		return nil, err
	}
	known.Precision = precisionName[float64]()
	switch {
	case f.tridiagonal:
		return newBatchWork(j, file, known, f, groups, task, tridiagonalBatch), nil
	case task.Type == 0 && isSingle(f.stored(), j.options.precision):
		task.Single, known.Precision = true, precisionName[float32]()
		if err := f.round(); err != nil {
			return nil, err
		}
	}
	if f.complex {
		known.Precision = precisionName[complex128]()
		if task.Single {
			known.Precision = precisionName[complex64]()
		}
		return newBatchWork(j, file, known, f, groups, task, hermitianBatch), nil
	}
	return newBatchWork(j, file, known, f, groups, task, denseBatch), nil
}

func newBatchWork[M any](
	j *solveJob, file string, known *report.Facts, f *batchFile, groups []batchGroup, task machine.Task, of batchKind[M],
) *batchWork[M] {
	task.Kind = of.kind
	return &batchWork[M]{solveJob: j, of: of, file: file, Facts: known, f: f, matrices: of.matrices(f), groups: groups, task: task}
}

func (w *batchWork[M]) Open(log io.Writer) (machine.Device, error) {
	return w.OpenAll(vk.Options{Device: w.device()}, log)
}

func (w *batchWork[M]) Plan(dev machine.Device, log io.Writer) (p machine.Planned, err error) {
	orders := make([]int, len(w.matrices))
	for k, a := range w.matrices {
		orders[k] = w.of.order(a)
	}
	if w.of.kind.Tuned() {
		var kept evd.Options
		w.Tuned = w.config.Apply(&kept, dev.Info(), log)
		w.task.Batch.Tuning = kept.Tuning
	}
	w.p, err = newBatchPlans[M](dev, w.task, w.groups, orders)
	return w.p, err
}

// speeds forecasts nothing: the plans report progress by matrices.
func (w *batchWork[M]) speeds(context.Context, machine.Device) (n int, _ speeds) { return 0, speeds{} }

func (w *batchWork[M]) solve(ctx context.Context) (err error) {
	w.res, err = w.p.Solve(ctx, w.matrices)
	return err
}

func (w *batchWork[M]) known(machine.Planned) *report.Facts {
	w.f.complete(w.res)
	_, w.N = w.f.orders()
	w.Vectors, w.Memory, w.Stages = w.task.Batch.Vectors, w.p.Bytes(), w.res.Profile.Phases
	if w.task.Type > 0 {
		w.OfPair(w.pair.b, w.task.Type, w.p.condition(), false)
	}
	return w.Facts
}

func (w *batchWork[M]) Measure(ctx context.Context) (report.Measures, error) {
	checked, err := w.p.Check(ctx, w.matrices, w.res.Spectra)
	if err != nil {
		return nil, err
	}
	most := worst(checked, w.res)
	switch {
	case w.task.Type > 0:
		return report.PairRatios(w.task.Type, pencil.Overlap{}, most), nil
	case w.f.complex && w.task.Single:
		return report.Ratios[complex64](most), nil
	case w.f.complex:
		return report.Ratios[complex128](most), nil
	case w.task.Single:
		return report.Ratios[float32](most), nil
	}
	return report.Ratios[float64](most), nil
}

func (w *batchWork[M]) Print(ctx context.Context, out *cli.Outputs) error {
	if out.ToStdout() {
		return nil
	}
	return cli.CannotWrite("standard output", w.f.writeLines(cli.Stoppable{Ctx: ctx, W: w.Stdout}, w.res))
}

func (w *batchWork[M]) Summary(to io.Writer) {
	fmt.Fprintf(to, "batch    %s, %s of %s in %s\n", cli.Printable(cli.InputName(w.file)), cli.Matrices(w.f.count()), orders(w.f.orders()), w.Precision)
	w.Pair.Print(to)
	w.Where(to)
	w.Times(to)
}

func (w *batchWork[M]) Remarks(to io.Writer) error {
	w.Facts.Remarks(to)
	return w.f.failures(to, w.res)
}

func (w *batchWork[M]) Report(to io.Writer) error { return w.f.Report(w.Facts, w.res).Write(to) }

func (w *batchWork[M]) about(err error) error {
	_, n := w.f.orders()
	return w.pair.about(w.file, n, err)
}

func worst(checked []evd.Ratios, res *batch.Result[float64]) (most evd.Ratios) {
	for k, r := range checked {
		if res.Spectra[k].Err == nil {
			most.Residual = max(most.Residual, r.Residual)
			most.Orthogonality = max(most.Orthogonality, r.Orthogonality)
		}
	}
	return most
}

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
	text := fmt.Sprintf("%s could not be solved", cli.Matrices(e.failed))
	overflow := fmt.Sprintf("a value of %s is beyond the largest number of its type", cli.Matrices(e.overflow))
	switch {
	case e.failed == 0:
		text = overflow
	case e.overflow > 0:
		text += ", and " + overflow
	}
	return e.file + ": " + text
}

func (e *batchError) Status() int { return cli.StatusNumerical }

// failures prints a line about each matrix that has no result, or a value that overflows. If there
// is such a matrix, it returns a *batchError.
func (f *batchFile) failures(remarks io.Writer, res *batch.Result[float64]) error {
	e := &batchError{file: f.name}
	for k, s := range res.Spectra {
		if s.Err == nil {
			continue
		}
		if cli.As[*evd.OverflowError](s.Err) {
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

// A batchGroup is a set of matrices of a file. The wanted eigenvalues have the same indices in all
// matrices of the group. The largest eigenvalues, for example, have other indices for every order.
type batchGroup struct {
	part  evd.Selection
	most  int   // the largest order
	index []int // the numbers of the matrices in the file
}

// batchPlans has a plan for each group.
type batchPlans[M any] struct {
	groups []batchGroup
	plans  []machine.BatchPlan[M]
}

// newBatchPlans makes a plan for each group of matrices. `orders` are the orders of the matrices of
// the file. The selection of the task is ignored, because each group has its own one. The function
// task.Batch.Progress gets the progress of all groups together.
func newBatchPlans[M any](dev machine.Device, task machine.Task, groups []batchGroup, orders []int) (*batchPlans[M], error) {
	p, opt := &batchPlans[M]{groups: groups}, task.Batch
	flops := batchs.BatchFlops[float64]
	switch task.Kind {
	case machine.KindTridiagonalBatch:
		flops = batchs.TridiagonalBatchFlops
	case machine.KindHermitianBatch:
		flops = batchs.BatchFlops[complex128]
	}
	total, before := 0.0, 0.0
	for _, n := range orders {
		total += flops(n, opt.Vectors)
	}
	for _, g := range groups {
		own := opt
		own.Select = g.part
		if done := before; opt.Progress != nil {
			own.Progress = func(at evd.Progress) {
				at.Done, at.Total = done+at.Done, total
				opt.Progress(at)
			}
		}
		for _, k := range g.index {
			before += flops(orders[k], opt.Vectors)
		}
		// All plans have their memory on the device at the same time, so each group gets a part of
		// it.
		share := machine.AtOnce(math.MaxInt, g.most, task.Kind.Complex()) / len(groups)
		task.N, task.Count, task.Batch = g.most, max(1, min(len(g.index), share)), own
		plan, err := machine.PlanOf[machine.BatchPlan[M]](dev, task)
		if err != nil {
			p.Close()
			return nil, err
		}
		p.plans = append(p.plans, plan)
	}
	return p, nil
}

// Solve solves all matrices of the file. The result has only Spectra and Profile.
func (p *batchPlans[M]) Solve(ctx context.Context, a []M) (*batch.Result[float64], error) {
	all := &batch.Result[float64]{Spectra: make([]batch.Spectrum[float64], len(a)), Profile: vk.NewProfile()}
	for i, g := range p.groups {
		res, err := p.plans[i].Solve(ctx, chosen(a, g.index))
		if err != nil {
			return nil, err
		}
		for j, k := range g.index {
			all.Spectra[k] = res.Spectra[j]
		}
		all.Profile.Merge(res.Profile)
	}
	return all, nil
}

func (p *batchPlans[M]) Check(ctx context.Context, a []M, s []batch.Spectrum[float64]) ([]evd.Ratios, error) {
	all := make([]evd.Ratios, len(a))
	for i, g := range p.groups {
		checked, err := p.plans[i].Check(ctx, chosen(a, g.index), chosen(s, g.index))
		if err != nil {
			return nil, err
		}
		for j, k := range g.index {
			all[k] = checked[j]
		}
	}
	return all, nil
}

func chosen[T any](list []T, index []int) []T {
	all := make([]T, len(index))
	for j, k := range index {
		all[j] = list[k]
	}
	return all
}

// condition returns the largest condition number that the plans report for B, the matrix that all
// pairs of the batch share.
func (p *batchPlans[M]) condition() (most float64) {
	for _, plan := range p.plans {
		if of, known := plan.(interface{ Condition() float64 }); known {
			most = max(most, of.Condition())
		}
	}
	return most
}

func (p *batchPlans[M]) Bytes() (sum uint64) {
	for _, plan := range p.plans {
		sum += plan.Bytes()
	}
	return sum
}

func (p *batchPlans[M]) Memory() (all []vk.Placed) {
	for _, plan := range p.plans {
		all = append(all, plan.Memory()...)
	}
	return all
}

// Costs is empty: the plans report progress by matrices.
func (p *batchPlans[M]) Costs() []evd.StageCost { return nil }

func (p *batchPlans[M]) Close() {
	for _, plan := range p.plans {
		plan.Close()
	}
}
