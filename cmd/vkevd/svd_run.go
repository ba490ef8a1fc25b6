package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

// An svdWork is the matrix of vkevd svd, with its plan and its result.
type svdWork[T evd.Float] struct {
	*svdJob
	file string
	report.SvdFacts
	a    stored[T]
	kind machine.Kind // of the plan
	opt  svd.Options
	p    machine.SingularSolver[T]
	res  *svd.Result[T]
}

// read reads the file of vkevd svd.
func (j *svdJob) read(ctx context.Context, file string, known *report.Facts, show *cli.Progress) (work, error) {
	a, shape, err := j.input.read(ctx, file, j.Stdin)
	if err != nil {
		return nil, err
	}
	known.Table = report.TableOf(a.Rows, a.Cols, a.Table)
	single := isSingle(a, j.precision)
	if err := j.input.checkStorage(file, single); err != nil {
		return nil, err
	}
	if !single {
		return newSVDWork(j, file, storedAs(a, a.Data, shape), known, show, machine.KindSingular)
	}
	data, err := singlesOf(file, a)
	if err != nil {
		return nil, err
	}
	return newSVDWork(j, file, storedAs(a, data, shape), known, show, machine.KindSingularSingle)
}

func newSVDWork[T evd.Float](j *svdJob, file string, a stored[T], known *report.Facts, show *cli.Progress, of machine.Kind) (work, error) {
	u, v := j.sides()
	opt, err := j.options.svd(a.M, a.N, u, v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cli.InputName(file), err)
	}
	opt.Progress, opt.Certify, opt.Storage = show.Update, j.check, a.Storage
	known.Precision = precisionName[T]()
	return &svdWork[T]{svdJob: j, file: file, SvdFacts: report.SvdFacts{Facts: known, Verified: opt.Verify}, a: a, kind: of, opt: opt}, nil
}

func (w *svdWork[T]) Open(log io.Writer) (machine.Device, error) {
	return w.Session.Open(vk.Options{Device: w.device()}, log)
}

// Plan makes the plan. Sizes that vkevd tune has saved are not for single precision, because vkevd tune
// measures double precision.
func (w *svdWork[T]) Plan(dev machine.Device, log io.Writer) (p machine.Planned, err error) {
	if computedIn(w.Precision, w.a.SingularShape) == precisionName[float64]() {
		var kept evd.Options
		w.Tuned = w.config.Apply(&kept, dev.Info(), log)
		w.opt.Tuning = kept.Tuning
	}
	w.p, err = machine.PlanOf[machine.SingularSolver[T]](dev, machine.Task{Kind: w.kind, Shape: w.a.SingularShape, Svd: w.opt})
	return w.p, err
}

func (w *svdWork[T]) speeds(ctx context.Context, dev machine.Device) (int, speeds) {
	return min(w.a.M, w.a.N), deviceSpeeds(ctx, dev, computedIn(w.Precision, w.a.SingularShape)).singular()
}

func (w *svdWork[T]) solve(ctx context.Context) (err error) {
	w.res, err = w.p.Solve(ctx, w.a.Dense)
	return err
}

func (w *svdWork[T]) known(machine.Planned) *report.Facts {
	report.SolvedSVD(&w.SvdFacts, w.a.SingularShape, w.res, w.p.Bytes())
	w.StoredIn(w.a.Storage)
	return w.Facts
}

func (w *svdWork[T]) Measure(ctx context.Context) (report.Measures, error) {
	return singularMeasures(ctx, w.p, w.a, w.res)
}

func (w *svdWork[T]) Write(ctx context.Context, out *cli.Outputs) error {
	return errors.Join(cli.WriteValues(ctx, out, w.values, w.res.Values, w.Part()),
		writeVectors(ctx, out, w.u, w.res.U), writeVectors(ctx, out, w.v, w.res.V))
}

func (w *svdWork[T]) Print(ctx context.Context, out *cli.Outputs) error {
	return out.PrintValues(ctx, w.res.Values)
}

func (w *svdWork[T]) Summary(to io.Writer)      { w.SvdFacts.Summary(to) }
func (w *svdWork[T]) Report(to io.Writer) error { return w.SvdFacts.Report(to) }
func (w *svdWork[T]) about(err error) error     { return aboutRectangle(w.file, w.a.M, w.a.N, err) }

func (w *svdWork[T]) Remarks(to io.Writer) error {
	w.SvdFacts.Remarks(to)
	return nil
}

// computedIn returns the name of the precision in which most of the work is done, for a matrix of the
// shape `of` and of the precision that is given by name. A dense matrix is reduced in single precision
// if --storage has fewer digits than doubles.
func computedIn(precision string, of machine.SingularShape) string {
	if of.Form == machine.WholeMatrix && of.Storage != svd.Double {
		return precisionName[float32]()
	}
	return precision
}

// readAnyShape reads a matrix of any shape.
func (m matrixInput) readAnyShape(ctx context.Context, file string, stdin io.Reader) (*matio.Dense, error) {
	return cli.UnlessDone(ctx, func() (*matio.Dense, error) {
		d, err := readDense(file, stdin, m.options())
		return d, m.hint(err)
	})
}

// aboutRectangle adds the name of the file and the shape of the matrix to an error of the solver.
func aboutRectangle(file string, rows, cols int, err error) error {
	return aboutInput(file, fmt.Sprintf("%d by %d", rows, cols), "singular values", err)
}

// singularMeasures returns the error ratios of the singular values, and those of the vectors if the
// result has vectors. The sums of squares are compared only if the result has all values.
func singularMeasures[T evd.Float](ctx context.Context, p machine.SingularSolver[T], a stored[T], res *svd.Result[T]) (report.Measures, error) {
	found := certified(a, res)
	if res.U == nil || res.V == nil {
		return found, nil
	}
	r, err := p.Check(ctx, a.Dense, res)
	return append(found, singularRatios(r)...), err
}

func singularRatios(r svd.Ratios) report.Measures {
	return report.Measures{
		{Name: "residual", Formula: "‖A·V − U·Σ‖₁ / (n·ε·‖A‖₁)", Ratio: r.Residual},
		{Name: "left", Formula: "‖I − Uᵀ·U‖₁ / (M·ε)", Ratio: r.Left},
		{Name: "right", Formula: "‖I − Vᵀ·V‖₁ / (N·ε)", Ratio: r.Right},
	}
}

// certified returns those error ratios of singular values that need no vectors.
func certified[T evd.Float](a stored[T], res *svd.Result[T]) report.Measures {
	c := res.Certificate
	found := report.Measures{
		{Name: "certificate", Formula: "|σ − σ(C)| / (n·ε·‖C‖), proved by Sturm counts", Ratio: c.Counts},
		{Name: "norm", Formula: a.normFormula(), Ratio: c.Norm},
	}
	if len(res.Values) < min(a.M, a.N) {
		return found
	}
	return append(found, a.squares(res.Values))
}

// normFormula describes Certificate.Norm, whose unit depends on the format of the numbers. (A plan for a
// dense matrix in single precision divides by n, as the documentation of svd.Options says.)
func (a stored[T]) normFormula() string {
	switch {
	case a.Storage == svd.Double:
		return "|‖A‖F − ‖C‖F| / (n·ε·‖A‖F)"
	case a.Storage == svd.Single && a.Form == machine.WholeMatrix:
		return "|‖A‖F − ‖C‖F| / (n·ε·‖A‖F), ε of the storage"
	}
	return "|‖A‖F − ‖C‖F| / (ε·‖A‖F), ε of the storage"
}

// squares compares the sums of squares. If numbers are stored with fewer digits, the measure is in the
// ε of their format. For bands and in half precision it is not divided by n, because these errors do
// not grow with n. Dense matrices in single precision have the unit of normFormula.
func (a stored[T]) squares(values []float64) report.Measure {
	m := report.Measure{Name: "squares", Formula: squaresFormula, Ratio: squares(a.Dense, values, report.LeastNorm[T]())}
	ulp := a.Storage.Ulp()
	switch {
	case ulp <= report.UlpOf[T]():
	case a.Storage == svd.Single && a.Form == machine.WholeMatrix:
		m.Formula = squaresFormula + ", ε of the storage"
		m.Ratio *= report.UlpOf[T]() / ulp
	default:
		m.Formula = "|Σσ² − ‖A‖F²| / (ε·‖A‖F²), ε of the storage"
		m.Ratio *= float64(max(a.Rows, a.Cols)) * report.UlpOf[T]() / ulp
	}
	return m
}

const squaresFormula = "|Σσ² − ‖A‖F²| / (n·ε·‖A‖F²)"

// squares returns |Σσ² − ‖A‖F²| in units of the rounding error. A norm below `least` counts as this
// number. It returns +Inf for values that
// cannot be singular values, because a value is negative or larger than the previous value.
func squares[T evd.Float](a evd.Dense[T], values []float64, least float64) float64 {
	if !ratio.Descending(values) {
		return math.Inf(1)
	}
	if len(a.Data) == 0 {
		return 0
	}
	most := 0.0
	for _, x := range a.Data {
		most = max(most, math.Abs(float64(x)))
	}
	scale := report.PowerOfTwo(most) // otherwise squares could overflow or underflow
	var ofA, ofValues float64
	for j := range a.Cols {
		column := 0.0 // summed by columns, for smaller rounding errors
		for _, x := range a.Data[j*a.Ld : j*a.Ld+a.Rows] {
			y := float64(x) * scale
			column += y * y
		}
		ofA += column
	}
	for _, v := range values {
		y := float64(v) * scale
		ofValues += y * y
	}
	norm := math.Sqrt(ofA)
	unit := float64(max(a.Rows, a.Cols)) * report.UlpOf[T]() * max(norm, least*scale) // n times the rounding error of a value
	return report.Over(ofValues-ofA, unit*norm)
}
