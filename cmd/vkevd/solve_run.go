package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/vk"
)

// A solveWork is the problem of vkevd solve, with its plan and its result.
type solveWork struct {
	*solveJob
	file string
	*report.Facts
	a   problem
	opt evd.Options
	p   solution
	res found
}

// read reads the files of vkevd solve.
func (j *solveJob) read(ctx context.Context, file string, known *report.Facts, show *cli.Progress) (work, error) {
	a, table, err := j.readProblem(ctx, file, show)
	if err != nil {
		return nil, err
	}
	known.Table, known.Precision = table, a.precision
	opt, err := j.options.evd(a.n, j.wantsVectors())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cli.InputName(file), err)
	}
	opt.Progress = show.Update
	// The matrix A is not needed after the solve. The vectors therefore replace A in memory, which
	// saves n² doubles.
	opt.Overwrite = opt.Vectors && !j.check && !opt.Verify && !j.options.tridiagonal && j.start == "" && j.options.precision != cli.PrecisionMixed
	opt.Verify = opt.Verify || j.check && j.start != ""
	return &solveWork{solveJob: j, file: file, Facts: known, a: a, opt: opt}, nil
}

func (w *solveWork) Open(log io.Writer) (machine.Device, error) {
	return w.OpenAll(vk.Options{Device: w.device(), Single: w.a.kind == machine.KindSingle}, log)
}

func (w *solveWork) Plan(dev machine.Device, log io.Writer) (p machine.Planned, err error) {
	if w.a.kind != machine.KindSingle && w.a.kind != machine.KindMixed { // vkevd tune measures double precision
		w.Tuned = w.config.Apply(&w.opt, dev.Info(), log)
	}
	if p, err = dev.Plan(machine.Task{Kind: w.a.kind, N: w.a.n, Evd: w.opt}); err == nil {
		w.p = w.a.with(p)
	}
	return p, err
}

func (w *solveWork) speeds(ctx context.Context, dev machine.Device) (int, speeds) {
	return w.a.n, deviceSpeeds(ctx, dev, w.Precision)
}

func (w *solveWork) solve(ctx context.Context) (err error) {
	w.res, err = w.p.solve(ctx)
	return err
}

func (w *solveWork) known(p machine.Planned) *report.Facts {
	w.Solved(w.a.n, w.opt, w.res.Result, p.Bytes(), w.options.tridiagonal)
	w.OnAll(p)
	return w.Facts
}

func (w *solveWork) Measure(ctx context.Context) (report.Measures, error) {
	return w.p.measure(ctx, w.res)
}

func (w *solveWork) Write(ctx context.Context, out *cli.Outputs) error {
	part := cli.ValuesPart{First: w.First, Count: w.Values, N: w.N}
	if w.res.single != nil {
		return errors.Join(cli.WriteValues(ctx, out, w.values, w.res.Values, part), writeVectors(ctx, out, w.vectors, w.res.single.Vectors))
	}
	return errors.Join(cli.WriteValues(ctx, out, w.values, w.res.Values, part), writeVectors(ctx, out, w.vectors, w.res.Vectors))
}

func (w *solveWork) Print(ctx context.Context, out *cli.Outputs) error {
	return out.PrintValues(ctx, w.res.Values)
}

func (w *solveWork) Remarks(log io.Writer) error {
	w.Facts.Remarks(log)
	if w.opt.Vectors && w.vectors == "" && !w.check && !w.opt.Verify {
		fmt.Fprintln(log, "The vectors were not kept: --out-vectors keeps them.")
	}
	return nil
}

func (w *solveWork) Report(to io.Writer) error { return w.Facts.Report(to) }
func (w *solveWork) about(err error) error     { return aboutMatrix(w.file, w.a.n, err) }

// writeVectors writes vectors to the output of a path, in the format .npy and with the precision of
// the vectors.
func writeVectors[T evd.Float](ctx context.Context, out *cli.Outputs, path string, v *evd.Dense[T]) error {
	return out.Write(ctx, path, func(w io.Writer) error {
		return matio.WriteNPY(w, v.Rows, v.Cols, v.Data, max(v.Ld, 1))
	})
}
