package main

import (
	"context"
	"fmt"
	"io"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
)

// run does the whole command. Files get their names before anything is printed, so that they exist
// even if the reader of standard output ends early (| head).
func (j *solveJob) run(ctx context.Context, file string) error {
	out, err := createOutputs(j.stdout, file, j.values, j.vectors, j.report)
	if err != nil {
		return err
	}
	defer out.abort()
	stderr, show := j.feedback(j.quiet)
	defer show.end()
	known := newFacts(file)

	show.stage("reading " + inputName(file))
	a, err := readProblem(ctx, file, j.stdin, j.input, j.options.tridiagonal, show.above())
	if err != nil {
		return err
	}
	n := a.order()
	known.took("read")

	show.stage("preparing the device")
	opt, err := j.options.evd(n, j.wantsVectors())
	if err != nil {
		return fmt.Errorf("%s: %w", inputName(file), err)
	}
	opt.Progress = show.update
	// A is not needed after the solve, so the vectors take its memory, which saves n² doubles.
	opt.Overwrite = opt.Vectors && !j.check && !opt.Verify && !j.options.tridiagonal
	dev, p, err := prepare(ctx, j.session, j.device(), show.above(), func(dev device) (solution, error) {
		known.Tuned = j.config.apply(&opt, dev.Info(), show.above())
		return a.plan(dev, opt)
	})
	if err != nil {
		return aboutMatrix(file, n, err)
	}
	defer dev.Close()
	defer p.Close()
	known.took("prepare")
	show.of(p.Costs(), dev.Info().Type)

	res, err := p.solve(ctx)
	if err != nil {
		return aboutMatrix(file, n, err)
	}
	known.took("solve")
	known.solved(n, opt, res, p.Bytes(), j.options.tridiagonal)
	known.on(dev.Info())

	if j.check {
		show.stage("checking")
		if known.Ratios, err = p.measure(ctx, res); err != nil {
			return aboutMatrix(file, n, err)
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
	if opt.Vectors && j.vectors == "" && !j.check && !opt.Verify {
		fmt.Fprintln(stderr, "The vectors were not kept: --out-vectors keeps them.")
	}
	return known.Ratios.verdict()
}

// write writes the outputs that were asked for and gives the files their names.
func (j *solveJob) write(ctx context.Context, out *outputs, res *evd.Result[float64], known *facts) error {
	if err := out.writeValues(ctx, j.values, res.Values); err != nil {
		return err
	}
	if err := out.write(ctx, j.vectors, func(w io.Writer) error {
		v := res.Vectors
		return matio.WriteNPY(w, v.Rows, v.Cols, v.Data, max(v.Ld, 1))
	}); err != nil {
		return err
	}
	return out.finish(ctx, j.report, known.report)
}
