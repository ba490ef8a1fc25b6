package main

import (
	"context"
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
	out, err := createOutputs(j.stdout, file, j.values, j.u, j.v, j.report)
	if err != nil {
		return err
	}
	defer out.abort()
	summary, show := j.feedback(j.verbosity)
	defer show.end()
	known := svdFacts{facts: newFacts(file)}

	show.stage("reading " + inputName(file))
	a, err := j.input.read(ctx, file, j.stdin)
	if err != nil {
		return err
	}
	known.took("read")

	show.stage("preparing the device")
	u, v := j.sides()
	opt, err := j.options.svd(a.rows, a.cols, u, v)
	if err != nil {
		return fmt.Errorf("%s: %w", inputName(file), err)
	}
	opt.Progress, opt.Certify = show.update, j.check
	dev, p, err := prepare(ctx, j.session, j.device(), show.above(), func(dev device) (singularSolver, error) {
		var kept evd.Options
		known.Tuned = j.config.apply(&kept, dev.Info(), show.above())
		opt.Tuning = kept.Tuning
		return j.input.plan(dev, a, opt)
	})
	if err != nil {
		return aboutRectangle(file, a.rows, a.cols, err)
	}
	defer dev.Close()
	defer p.Close()
	known.took("prepare")
	show.of(p.Costs(), min(a.rows, a.cols), deviceSpeeds(ctx, dev, known.Precision).singular())

	res, err := p.Solve(ctx, a.Dense)
	if err != nil {
		return aboutRectangle(file, a.rows, a.cols, err)
	}
	known.took("solve")
	known.solved(a, res, p.Bytes())
	known.on(dev)

	if j.check {
		show.stage("checking")
		if known.Ratios, err = singularMeasures(ctx, p, a, res); err != nil {
			return aboutRectangle(file, a.rows, a.cols, err)
		}
		known.took("check")
	}
	show.stage("writing")
	if err := j.write(ctx, out, res, known); err != nil {
		return err
	}
	show.end()
	if !j.noPrint {
		if err := out.printValues(ctx, res.Values); err != nil {
			return err
		}
	}
	known.took("write")
	known.summary(summary)
	known.remarks(show.above())
	return known.Ratios.verdict()
}

// write writes the output files of vkevd svd that the user has named, and gives them their final
// names.
func (j *svdJob) write(ctx context.Context, out *outputs, res *svd.Result[float64], known svdFacts) error {
	if err := writeValues(ctx, out, j.values, res.Values, known.part()); err != nil {
		return err
	}
	for _, vectors := range []struct {
		path string
		z    *evd.Dense[float64]
	}{{j.u, res.U}, {j.v, res.V}} {
		if err := out.write(ctx, vectors.path, func(w io.Writer) error {
			z := vectors.z
			return matio.WriteNPY(w, z.Rows, z.Cols, z.Data, max(z.Ld, 1))
		}); err != nil {
			return err
		}
	}
	return out.finish(ctx, j.report, known.report)
}

// readAnyShape reads a matrix of any shape.
func (m matrixInput) readAnyShape(ctx context.Context, file string, stdin io.Reader) (evd.Dense[float64], error) {
	return unlessDone(ctx, func() (evd.Dense[float64], error) {
		d, err := readDense(file, stdin, m.options())
		if err != nil {
			return evd.Dense[float64]{}, m.hint(err)
		}
		return evd.Dense[float64]{Rows: d.Rows, Cols: d.Cols, Ld: max(d.Rows, 1), Data: d.Data}, nil
	})
}

// aboutRectangle adds the name of the file and the shape of the matrix to an error of the solver.
func aboutRectangle(file string, rows, cols int, err error) error {
	return aboutInput(file, fmt.Sprintf("%d by %d", rows, cols), "singular values", err)
}

// singularMeasures returns the error ratios of the singular values, and those of the vectors if the
// result has vectors. The sums of squares are compared only if the result has all values.
func singularMeasures(ctx context.Context, p singularSolver, a stored, res *svd.Result[float64]) (measures, error) {
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
func certified(a stored, res *svd.Result[float64]) measures {
	c := res.Certificate
	found := measures{
		{"certificate", "|σ − σ(C)| / (n·ε·‖C‖), proved by Sturm counts", c.Counts},
		{"norm", "|‖A‖F − ‖C‖F| / (n·ε·‖A‖F)", c.Norm},
	}
	if len(res.Values) < min(a.rows, a.cols) {
		return found
	}
	return append(found, measure{"squares", squaresFormula, squares(a.Dense, res.Values)})
}

const squaresFormula = "|Σσ² − ‖A‖F²| / (n·ε·‖A‖F²)"

// squares returns |Σσ² − ‖A‖F²| in units of the rounding error. It returns +Inf for values that
// cannot be singular values, because a value is negative or larger than the previous value.
func squares(a evd.Dense[float64], values []float64) float64 {
	if !ratio.Descending(values) {
		return math.Inf(1)
	}
	if len(a.Data) == 0 {
		return 0
	}
	most := 0.0
	for _, x := range a.Data {
		most = max(most, math.Abs(x))
	}
	scale := powerOfTwo(most) // otherwise squares could overflow or underflow
	var ofA, ofValues float64
	for j := range a.Cols {
		column := 0.0 // summed by columns, for smaller rounding errors
		for _, x := range a.Data[j*a.Ld : j*a.Ld+a.Rows] {
			column += (x * scale) * (x * scale)
		}
		ofA += column
	}
	for _, v := range values {
		ofValues += (v * scale) * (v * scale)
	}
	return over(ofValues-ofA, float64(max(a.Rows, a.Cols))*ulp*ofA)
}
