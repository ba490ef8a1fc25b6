package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/vk"
)

// run runs the command vkevd solve. The output files get their final names before anything is
// printed. They therefore exist even if the program that reads standard output ends early, as in
// vkevd solve … | head.
func (j *solveJob) run(ctx context.Context, file string) error {
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
	a, table, err := readProblem(ctx, file, j.stdin, j.input, j.options, show.above())
	if err != nil {
		return err
	}
	known.Table = table
	if j.start != "" {
		show.stage("reading " + inputName(j.start))
		if a, err = withStart(ctx, a, j.start, j.stdin); err != nil {
			return err
		}
	}
	n := a.order()
	known.took("read")

	show.stage("preparing the device")
	opt, err := j.options.evd(n, j.wantsVectors())
	if err != nil {
		return fmt.Errorf("%s: %w", inputName(file), err)
	}
	opt.Progress = show.update
	// The matrix A is not needed after the solve. The vectors therefore replace A in memory, which
	// saves n² doubles.
	opt.Overwrite = opt.Vectors && !j.check && !opt.Verify && !j.options.tridiagonal && j.start == "" && j.options.precision != precisionMixed
	opt.Verify = opt.Verify || j.check && j.start != ""
	_, inSingle := a.(single)
	on := vk.Options{Device: j.device(), Single: inSingle}
	dev, p, err := prepareAll(ctx, j.session, on, show.above(), func(dev device) (solution, error) {
		switch a.(type) {
		case single:
			known.Precision = precisionName[float32]()
		case mixed: // vkevd tune measures double precision
			known.Precision = precisionMixed
		default:
			known.Tuned = j.config.apply(&opt, dev.Info(), show.above())
		}
		return a.plan(dev, opt)
	})
	if err != nil {
		return aboutMatrix(file, n, err)
	}
	defer dev.Close()
	defer p.Close()
	known.took("prepare")
	show.of(p.Costs(), n, deviceSpeeds(ctx, dev, known.Precision))

	res, err := p.solve(ctx)
	overflow, err := splitOverflow(err)
	if err != nil {
		return aboutMatrix(file, n, err)
	}
	known.took("solve")
	known.solved(n, opt, res.Result, p.Bytes(), j.options.tridiagonal)
	known.on(dev)
	known.onAll(p)

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
	known.summary(summary)
	known.remarks(show.above())
	if opt.Vectors && j.vectors == "" && !j.check && !opt.Verify {
		fmt.Fprintln(show.above(), "The vectors were not kept: --out-vectors keeps them.")
	}
	return errors.Join(aboutMatrix(file, n, overflow), known.Ratios.verdict())
}

// write writes the output files of vkevd solve that the user has named, and gives them their final
// names.
func (j *solveJob) write(ctx context.Context, out *outputs, res found, known *facts) error {
	var err error
	part := valuesPart{first: known.First, count: known.Values, n: known.N}
	if res.single != nil {
		err = errors.Join(writeValues(ctx, out, j.values, res.single.Values, part), writeVectors(ctx, out, j.vectors, res.single.Vectors))
	} else {
		err = errors.Join(writeValues(ctx, out, j.values, res.Values, part), writeVectors(ctx, out, j.vectors, res.Vectors))
	}
	if err != nil {
		return err
	}
	return out.finish(ctx, j.report, known.report)
}

// writeVectors writes vectors to the output of a path, in the format .npy and with the precision of
// the vectors.
func writeVectors[T evd.Float](ctx context.Context, out *outputs, path string, v *evd.Dense[T]) error {
	return out.write(ctx, path, func(w io.Writer) error {
		return matio.WriteNPY(w, v.Rows, v.Cols, v.Data, max(v.Ld, 1))
	})
}
