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

// A solveWork is the problem of vkevd solve, with its plan and its result.
type solveWork struct {
	*solveJob
	file string
	*facts
	a   problem
	opt evd.Options
	p   solution
	res found
}

// read reads the files of vkevd solve.
func (j *solveJob) read(ctx context.Context, file string, known *facts, show *progress) (work, error) {
	a, table, err := readProblem(ctx, file, j.stdin, j.input, j.options, show.above())
	if err != nil {
		return nil, err
	}
	known.Table = table
	if j.start != "" {
		show.stage("reading " + inputName(j.start))
		if a, err = withStart(ctx, a, j.start, j.stdin); err != nil {
			return nil, err
		}
	}
	opt, err := j.options.evd(a.order(), j.wantsVectors())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", inputName(file), err)
	}
	opt.Progress = show.update
	// The matrix A is not needed after the solve. The vectors therefore replace A in memory, which
	// saves n² doubles.
	opt.Overwrite = opt.Vectors && !j.check && !opt.Verify && !j.options.tridiagonal && j.start == "" && j.options.precision != precisionMixed
	opt.Verify = opt.Verify || j.check && j.start != ""
	return &solveWork{solveJob: j, file: file, facts: known, a: a, opt: opt}, nil
}

func (w *solveWork) open(log io.Writer) (device, error) {
	_, inSingle := w.a.(single)
	return w.openAll(vk.Options{Device: w.device(), Single: inSingle}, log)
}

func (w *solveWork) plan(dev device, log io.Writer) (p planned, err error) {
	switch w.a.(type) {
	case single:
		w.Precision = precisionName[float32]()
	case mixed: // vkevd tune measures double precision
		w.Precision = precisionMixed
	default:
		w.Tuned = w.config.apply(&w.opt, dev.Info(), log)
	}
	w.p, err = w.a.plan(dev, w.opt)
	return w.p, err
}

func (w *solveWork) speeds(ctx context.Context, dev device) (int, speeds) {
	return w.a.order(), deviceSpeeds(ctx, dev, w.Precision)
}

func (w *solveWork) solve(ctx context.Context) (err error) {
	w.res, err = w.p.solve(ctx)
	return err
}

func (w *solveWork) known(planned) *facts {
	w.solved(w.a.order(), w.opt, w.res.Result, w.p.Bytes(), w.options.tridiagonal)
	w.onAll(w.p)
	return w.facts
}

func (w *solveWork) measure(ctx context.Context) (measures, error) { return w.p.measure(ctx, w.res) }

func (w *solveWork) write(ctx context.Context, out *outputs) error {
	part := valuesPart{first: w.First, count: w.Values, n: w.N}
	if w.res.single != nil {
		return errors.Join(writeValues(ctx, out, w.values, w.res.single.Values, part), writeVectors(ctx, out, w.vectors, w.res.single.Vectors))
	}
	return errors.Join(writeValues(ctx, out, w.values, w.res.Values, part), writeVectors(ctx, out, w.vectors, w.res.Vectors))
}

func (w *solveWork) print(ctx context.Context, out *outputs) error {
	return out.printValues(ctx, w.res.Values)
}

func (w *solveWork) remarks(log io.Writer) error {
	w.facts.remarks(log)
	if w.opt.Vectors && w.vectors == "" && !w.check && !w.opt.Verify {
		fmt.Fprintln(log, "The vectors were not kept: --out-vectors keeps them.")
	}
	return nil
}

func (w *solveWork) report(to io.Writer) error { return w.facts.report(to) }
func (w *solveWork) about(err error) error     { return aboutMatrix(w.file, w.a.order(), err) }

// writeVectors writes vectors to the output of a path, in the format .npy and with the precision of
// the vectors.
func writeVectors[T evd.Float](ctx context.Context, out *outputs, path string, v *evd.Dense[T]) error {
	return out.write(ctx, path, func(w io.Writer) error {
		return matio.WriteNPY(w, v.Rows, v.Cols, v.Data, max(v.Ld, 1))
	})
}
