package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

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
	svdFacts
	a    stored[T]
	kind kind // of the plan
	opt  svd.Options
	p    singularSolver[T]
	res  *svd.Result[T]
}

// read reads the file of vkevd svd.
func (j *svdJob) read(ctx context.Context, file string, known *facts, show *progress) (work, error) {
	a, shape, err := j.input.read(ctx, file, j.stdin)
	if err != nil {
		return nil, err
	}
	known.Table = tableOf(a.Rows, a.Cols, a.Table)
	single := isSingle(a, j.precision)
	if err := j.input.checkStorage(file, single); err != nil {
		return nil, err
	}
	if !single {
		return newSVDWork(j, file, storedAs(a, a.Data, shape), known, show, kindSingular)
	}
	data, err := singlesOf(file, a)
	if err != nil {
		return nil, err
	}
	return newSVDWork(j, file, storedAs(a, data, shape), known, show, kindSingularSingle)
}

func newSVDWork[T evd.Float](j *svdJob, file string, a stored[T], known *facts, show *progress, of kind) (work, error) {
	u, v := j.sides()
	opt, err := j.options.svd(a.rows, a.cols, u, v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", inputName(file), err)
	}
	opt.Progress, opt.Certify, opt.Storage = show.update, j.check, a.storage
	known.Precision = precisionName[T]()
	return &svdWork[T]{svdJob: j, file: file, svdFacts: svdFacts{facts: known, verified: opt.Verify}, a: a, kind: of, opt: opt}, nil
}

func (w *svdWork[T]) open(log io.Writer) (device, error) {
	return w.session.open(vk.Options{Device: w.device()}, log)
}

// plan makes the plan. Sizes that vkevd tune has saved are not for single precision, because vkevd tune
// measures double precision.
func (w *svdWork[T]) plan(dev device, log io.Writer) (p planned, err error) {
	if computedIn(w.Precision, w.a.singularShape) == precisionName[float64]() {
		var kept evd.Options
		w.Tuned = w.config.apply(&kept, dev.Info(), log)
		w.opt.Tuning = kept.Tuning
	}
	w.p, err = planOf[singularSolver[T]](dev, task{kind: w.kind, shape: w.a.singularShape, svd: w.opt})
	return w.p, err
}

func (w *svdWork[T]) speeds(ctx context.Context, dev device) (int, speeds) {
	return min(w.a.rows, w.a.cols), deviceSpeeds(ctx, dev, computedIn(w.Precision, w.a.singularShape)).singular()
}

func (w *svdWork[T]) solve(ctx context.Context) (err error) {
	w.res, err = w.p.Solve(ctx, w.a.Dense)
	return err
}

func (w *svdWork[T]) known(planned) *facts {
	solvedSVD(&w.svdFacts, w.a.singularShape, w.res, w.p.Bytes())
	w.storedIn(w.a.storage)
	return w.facts
}

func (w *svdWork[T]) measure(ctx context.Context) (measures, error) {
	return singularMeasures(ctx, w.p, w.a, w.res)
}

func (w *svdWork[T]) write(ctx context.Context, out *outputs) error {
	return errors.Join(writeValues(ctx, out, w.values, w.res.Values, w.part()),
		writeVectors(ctx, out, w.u, w.res.U), writeVectors(ctx, out, w.v, w.res.V))
}

func (w *svdWork[T]) print(ctx context.Context, out *outputs) error {
	return out.printValues(ctx, doublesOf(w.res.Values))
}

func (w *svdWork[T]) summary(to io.Writer)      { w.svdFacts.summary(to) }
func (w *svdWork[T]) report(to io.Writer) error { return w.svdFacts.report(to) }
func (w *svdWork[T]) about(err error) error     { return aboutRectangle(w.file, w.a.rows, w.a.cols, err) }

func (w *svdWork[T]) remarks(to io.Writer) error {
	w.svdFacts.remarks(to)
	return nil
}

// computedIn returns the name of the precision in which most of the work is done, for a matrix of the
// shape `of` and of the precision that is given by name. A dense matrix is reduced in single precision
// if --storage has fewer digits than doubles.
func computedIn(precision string, of singularShape) string {
	if of.form == wholeMatrix && of.storage != svd.Double {
		return precisionName[float32]()
	}
	return precision
}

// readAnyShape reads a matrix of any shape.
func (m matrixInput) readAnyShape(ctx context.Context, file string, stdin io.Reader) (*matio.Dense, error) {
	return unlessDone(ctx, func() (*matio.Dense, error) {
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
func singularMeasures[T evd.Float](ctx context.Context, p singularSolver[T], a stored[T], res *svd.Result[T]) (measures, error) {
	found := certified(a, res)
	if res.U == nil || res.V == nil {
		return found, nil
	}
	r, err := p.Check(ctx, a.Dense, res)
	return append(found, singularRatios(r)...), err
}

func singularRatios(r svd.Ratios) measures {
	return measures{
		{"residual", "‖A·V − U·Σ‖₁ / (n·ε·‖A‖₁)", r.Residual},
		{"left", "‖I − Uᵀ·U‖₁ / (M·ε)", r.Left},
		{"right", "‖I − Vᵀ·V‖₁ / (N·ε)", r.Right},
	}
}

// certified returns those error ratios of singular values that need no vectors.
func certified[T evd.Float](a stored[T], res *svd.Result[T]) measures {
	c := res.Certificate
	found := measures{
		{"certificate", "|σ − σ(C)| / (n·ε·‖C‖), proved by Sturm counts", c.Counts},
		{"norm", a.normFormula(), c.Norm},
	}
	if len(res.Values) < min(a.rows, a.cols) {
		return found
	}
	return append(found, a.squares(res.Values))
}

// normFormula describes Certificate.Norm, whose unit depends on the format of the numbers. (A plan for a
// dense matrix in single precision divides by n, as the documentation of svd.Options says.)
func (a stored[T]) normFormula() string {
	switch {
	case a.storage == svd.Double:
		return "|‖A‖F − ‖C‖F| / (n·ε·‖A‖F)"
	case a.storage == svd.Single && a.form == wholeMatrix:
		return "|‖A‖F − ‖C‖F| / (n·ε·‖A‖F), ε of the storage"
	}
	return "|‖A‖F − ‖C‖F| / (ε·‖A‖F), ε of the storage"
}

// squares compares the sums of squares. If numbers are stored with fewer digits, the measure is in the
// ε of their format. For bands and in half precision it is not divided by n, because these errors do
// not grow with n. Dense matrices in single precision have the unit of normFormula.
func (a stored[T]) squares(values []T) measure {
	m := measure{"squares", squaresFormula, squares(a.Dense, values, leastNorm[T]())}
	ulp := a.storage.Ulp()
	switch {
	case ulp <= ulpOf[T]():
	case a.storage == svd.Single && a.form == wholeMatrix:
		m.formula = squaresFormula + ", ε of the storage"
		m.ratio *= ulpOf[T]() / ulp
	default:
		m.formula = "|Σσ² − ‖A‖F²| / (ε·‖A‖F²), ε of the storage"
		m.ratio *= float64(max(a.Rows, a.Cols)) * ulpOf[T]() / ulp
	}
	return m
}

const squaresFormula = "|Σσ² − ‖A‖F²| / (n·ε·‖A‖F²)"

// squares returns |Σσ² − ‖A‖F²| in units of the rounding error. A norm below `least` counts as this
// number. It returns +Inf for values that
// cannot be singular values, because a value is negative or larger than the previous value.
func squares[T evd.Float](a evd.Dense[T], values []T, least float64) float64 {
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
	scale := powerOfTwo(most) // otherwise squares could overflow or underflow
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
	unit := float64(max(a.Rows, a.Cols)) * ulpOf[T]() * max(norm, least*scale) // n times the rounding error of a value
	return over(ofValues-ofA, unit*norm)
}
