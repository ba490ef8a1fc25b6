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
)

// run runs the command vkevd svd. The output files get their final names before anything is
// printed. They therefore exist even if the program that reads standard output ends early.
func (j *svdJob) run(ctx context.Context, file string) error {
	out, err := createOutputs(ctx, j.stdout, file, j.values, j.u, j.v, j.report)
	if err != nil {
		return err
	}
	defer out.abort()
	summary, show := j.feedback(j.verbosity)
	defer show.end()
	on := svdOutput{out, summary, show, svdFacts{facts: newFacts(file)}}

	show.stage("reading " + inputName(file))
	go j.machine.preload()
	a, shape, err := j.input.read(ctx, file, j.stdin)
	if err != nil {
		return err
	}
	on.known.Table = tableOf(a.Rows, a.Cols, a.Table)
	single := isSingle(a, j.precision)
	if err := j.input.checkStorage(file, single); err != nil {
		return err
	}
	if !single {
		on.known.took("read")
		return runSVD(ctx, j, file, storedAs(a, a.Data, shape), device.svd, on)
	}
	data, err := singlesOf(file, a)
	if err != nil {
		return err
	}
	on.known.took("read")
	return runSVD(ctx, j, file, storedAs(a, data, shape), device.svdSingle, on)
}

// svdOutput is where a command writes: files, summary and progress, and what it knows so far.
type svdOutput struct {
	out     *outputs
	summary io.Writer
	show    *progress
	known   svdFacts
}

// runSVD solves a matrix of T that has been read, and writes the results. `plan` makes the plan.
func runSVD[T evd.Float](
	ctx context.Context, j *svdJob, file string, a stored[T],
	plan func(device, singularShape, svd.Options) (singularSolver[T], error), on svdOutput,
) error {
	show, known := on.show, &on.known
	known.Precision = precisionName[T]()
	computed := computedIn(known.Precision, a.singularShape)
	show.stage("preparing the device")
	u, v := j.sides()
	opt, err := j.options.svd(a.rows, a.cols, u, v)
	if err != nil {
		return fmt.Errorf("%s: %w", inputName(file), err)
	}
	opt.Progress, opt.Certify, opt.Storage = show.update, j.check, a.storage
	dev, p, err := prepare(ctx, j.session, j.device(), show.above(), func(dev device) (singularSolver[T], error) {
		if computed == precisionName[float64]() {
			j.saved(dev, known, &opt, show.above())
		}
		return plan(dev, a.singularShape, opt)
	})
	if err != nil {
		return aboutRectangle(file, a.rows, a.cols, err)
	}
	defer dev.Close()
	defer p.Close()
	known.took("prepare")
	show.of(p.Costs(), min(a.rows, a.cols), deviceSpeeds(ctx, dev, computed).singular())

	res, err := p.Solve(ctx, a.Dense)
	overflow, err := splitOverflow(err)
	if err != nil {
		return aboutRectangle(file, a.rows, a.cols, err)
	}
	known.took("solve")
	known.verified = opt.Verify
	solvedSVD(known, a.singularShape, res, p.Bytes())
	known.storedIn(a.storage)
	known.on(dev)

	if j.check {
		show.stage("checking")
		if known.Ratios, err = singularMeasures(ctx, p, a, res); err != nil {
			return aboutRectangle(file, a.rows, a.cols, err)
		}
		known.took("check")
	}
	show.stage("writing")
	if err := writeSVD(ctx, j, on.out, res, *known); err != nil {
		return err
	}
	show.end()
	if !j.noPrint {
		if err := on.out.printValues(ctx, doublesOf(res.Values)); err != nil {
			return err
		}
	}
	known.took("write")
	known.summary(on.summary)
	known.remarks(show.above())
	return errors.Join(aboutRectangle(file, a.rows, a.cols, overflow), known.Ratios.verdict())
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

// saved gives the options the sizes that vkevd tune has saved for the device. It is not for single
// precision, because vkevd tune measures double precision.
func (j *svdJob) saved(dev device, known *svdFacts, opt *svd.Options, log io.Writer) {
	var kept evd.Options
	known.Tuned = j.config.apply(&kept, dev.Info(), log)
	opt.Tuning = kept.Tuning
}

// writeSVD writes the output files of `vkevd svd` under temporary names, and then renames them to
// the names that the user gave.
func writeSVD[T evd.Float](ctx context.Context, j *svdJob, out *outputs, res *svd.Result[T], known svdFacts) error {
	err := errors.Join(writeValues(ctx, out, j.values, res.Values, known.part()),
		writeVectors(ctx, out, j.u, res.U), writeVectors(ctx, out, j.v, res.V))
	if err != nil {
		return err
	}
	return out.finish(ctx, j.report, known.report)
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
