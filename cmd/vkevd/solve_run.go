package main

import (
	"context"
	"fmt"
	"io"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
)

// A job is one call of vkevd solve.
type job struct {
	*session
	device               func() string
	options              options
	config               *config
	check, quiet         bool
	values, vectors, log string // paths of outputs, "" for none
}

// run is the whole command. The files get their names before anything is printed, so
// that a reader who goes away (| head) costs no file.
func (j *job) run(ctx context.Context, file string) error {
	stderr := j.stderr
	if j.quiet {
		stderr = io.Discard
	}
	out, err := createOutputs(file, j.values, j.vectors, j.log)
	if err != nil {
		return err
	}
	defer out.abort()
	show := newProgress(stderr, j.terminal && !j.quiet)
	defer show.end()
	known := newFacts(file)

	show.stage("reading " + inputName(file))
	a, err := readProblem(ctx, file, j.stdin, j.options.tridiagonal)
	if err != nil {
		return err
	}
	n := a.order()
	known.took("read")

	show.stage("preparing the device")
	opt := j.options.evd(n)
	opt.Progress = show.update
	opt.Overwrite = opt.Vectors && !j.check && !opt.Verify && !j.options.tridiagonal // A is needed for nothing more: save n² doubles
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
	show.of(p.Costs())

	res, err := p.solve(ctx)
	if err != nil {
		return aboutMatrix(file, n, err)
	}
	known.took("solve")
	known.N, known.Vectors, known.Memory, known.Stages = n, opt.Vectors, p.Bytes(), res.Profile.Phases
	known.First, known.Values, known.Tridiagonal = res.First, len(res.Values), j.options.tridiagonal
	known.on(dev.Info())
	known.Certificate, known.Tree = res.Certificate, res.Tree

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
	if err := matio.WriteValues(stoppable{ctx, j.stdout}, res.Values); err != nil {
		return cannotWrite("standard output", err)
	}
	known.took("write")
	known.summary(stderr)
	if opt.Vectors && j.vectors == "" && !j.check {
		fmt.Fprintln(stderr, "The vectors were not kept: --out-vectors keeps them, --values-only saves their time.")
	}
	return known.Ratios.verdict()
}

// write fills the files that were asked for and gives them their names.
func (j *job) write(ctx context.Context, out *outputs, res *evd.Result[float64], known *facts) error {
	writeValues := valuesWriter(j.values)
	if err := out.write(ctx, j.values, func(w io.Writer) error { return writeValues(w, res.Values) }); err != nil {
		return err
	}
	if err := out.write(ctx, j.vectors, func(w io.Writer) error {
		v := res.Vectors
		return matio.WriteNPY(w, v.Rows, v.Cols, v.Data, max(v.Ld, 1))
	}); err != nil {
		return err
	}
	if err := out.write(ctx, j.log, known.report); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return out.commit()
}
