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

// run runs the whole command. As in solve, output files get their names before anything is printed.
func (j *svdJob) run(ctx context.Context, file string) error {
	out, err := createOutputs(j.stdout, file, j.values, j.u, j.v, j.report)
	if err != nil {
		return err
	}
	defer out.abort()
	stderr, show := j.feedback(j.quiet)
	defer show.end()
	known := svdFacts{facts: newFacts(file)}

	show.stage("reading " + inputName(file))
	a, err := j.input.readAnyShape(ctx, file, j.stdin)
	if err != nil {
		return err
	}
	known.took("read")

	show.stage("preparing the device")
	u, v := j.sides()
	opt, err := j.options.svd(a.Rows, a.Cols, u, v)
	if err != nil {
		return fmt.Errorf("%s: %w", inputName(file), err)
	}
	opt.Progress, opt.Certify = show.update, j.check
	dev, p, err := prepare(ctx, j.session, j.device(), show.above(), func(dev device) (singularSolver, error) {
		var kept evd.Options
		known.Tuned = j.config.apply(&kept, dev.Info(), show.above())
		opt.Tuning = kept.Tuning
		return dev.svd(a.Rows, a.Cols, opt)
	})
	if err != nil {
		return aboutRectangle(file, a, err)
	}
	defer dev.Close()
	defer p.Close()
	known.took("prepare")
	show.of(p.Costs(), dev.Info().Type)

	res, err := p.Solve(ctx, a)
	if err != nil {
		return aboutRectangle(file, a, err)
	}
	known.took("solve")
	known.solved(a, res, p.Bytes())
	known.on(dev.Info())

	if j.check {
		show.stage("checking")
		if known.Ratios, err = singularMeasures(ctx, p, a, res); err != nil {
			return aboutRectangle(file, a, err)
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
	known.summary(stderr)
	return known.Ratios.verdict()
}

// write writes the output files that were asked for and gives them their names.
func (j *svdJob) write(ctx context.Context, out *outputs, res *svd.Result[float64], known svdFacts) error {
	if err := out.writeValues(ctx, j.values, res.Values); err != nil {
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

// aboutRectangle adds the file and the shape to an error of the solver.
func aboutRectangle(file string, a evd.Dense[float64], err error) error {
	return aboutInput(file, fmt.Sprintf("%d by %d", a.Rows, a.Cols), "singular values", err)
}

// singularMeasures returns the measures of a result: those of its values, and those of its vectors
// if it has any. The comparison of sums needs all values.
func singularMeasures(ctx context.Context, p singularSolver, a evd.Dense[float64], res *svd.Result[float64]) (measures, error) {
	found := certified(a, res)
	if res.U == nil || res.V == nil {
		return found, nil
	}
	r, err := p.Check(ctx, a, res)
	return append(found, singularRatios(r)...), err
}

func singularRatios(r svd.Ratios) measures {
	return measures{
		{"residual", "‖A·V − U·Σ‖₁ / (n·ε·‖A‖₁)", r.Residual},
		{"left", "‖I − Uᵀ·U‖₁ / (M·ε)", r.Left},
		{"right", "‖I − Vᵀ·V‖₁ / (N·ε)", r.Right},
	}
}

// certified returns the measures that need only the values.
func certified(a evd.Dense[float64], res *svd.Result[float64]) measures {
	c := res.Certificate
	found := measures{
		{"certificate", "|σ − σ(C)| / (n·ε·‖C‖), proved by Sturm counts", c.Counts},
		{"norm", "|‖A‖F − ‖C‖F| / (n·ε·‖A‖F)", c.Norm},
	}
	if len(res.Values) < min(a.Rows, a.Cols) {
		return found
	}
	return append(found, measure{"squares", squaresFormula, squares(a, res.Values)})
}

const squaresFormula = "|Σσ² − ‖A‖F²| / (n·ε·‖A‖F²)"

// squares returns the difference of Σσ² and ‖A‖F², in units of the rounding error. It is +Inf for
// values that cannot be singular values, because they are negative or rise.
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
