package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
)

// A fileJob is what all calls of solve and svd have in common: they read a file, solve what it has, and
// write the results.
type fileJob struct {
	*session
	device         func() string
	config         *config
	verbosity      verbosity
	check, noPrint bool
	values, report string // paths of outputs, "" for none
}

// flags adds the flags of a fileJob that mean the same in all commands. `values` is the name of the values.
func (j *fileJob) flags(cmd *cobra.Command, values string) {
	j.config = configFlag(cmd, j.session)
	f := cmd.Flags()
	f.StringVar(&j.report, "json", "", "write the report to `FILE` as JSON, as --report does; - prints it\nin place of the values")
	f.BoolVar(&j.noPrint, "no-print", false, "do not print the "+values+" to standard output")
	j.verbosity.flags(cmd)
}

// A work is what was read from a file, with the plan that solves it and the result. Its methods are
// called in this order, but `report` and `about`.
type work interface {
	open(log io.Writer) (device, error)
	plan(dev device, log io.Writer) (planned, error)
	speeds(ctx context.Context, dev device) (n int, of speeds) // for the forecast of time
	solve(ctx context.Context) error
	known(p planned) *facts // of the solve
	measure(ctx context.Context) (measures, error)
	write(ctx context.Context, out *outputs) error
	print(ctx context.Context, out *outputs) error
	summary(w io.Writer)
	remarks(w io.Writer) error // the error is about a part of the result

	report(w io.Writer) error
	about(err error) error // adds the file and the size of the matrix
}

// run runs a command from reading the file to printing the results. The output files get their final
// names before anything is printed. They therefore exist even if the program that reads standard output
// ends early, as in vkevd solve … | head. `vectors` are the paths of the files of vectors.
func (j *fileJob) run(
	ctx context.Context, file string, vectors []string, read func(context.Context, *facts, *progress) (work, error),
) error {
	out, err := createOutputs(ctx, j.stdout, file, append(append([]string{j.values}, vectors...), j.report)...)
	if err != nil {
		return err
	}
	defer out.abort()
	summary, show := j.feedback(j.verbosity)
	defer show.end()
	known := newFacts(file)

	show.stage("reading " + inputName(file))
	go j.machine.preload()
	w, err := read(ctx, known, show)
	if err != nil {
		return err
	}
	known.took("read")

	show.stage("preparing the device")
	dev, p, err := prepareOn(ctx, func() (device, error) { return w.open(show.above()) },
		func(dev device) (planned, error) { return w.plan(dev, show.above()) })
	if err != nil {
		return w.about(err)
	}
	defer dev.Close()
	defer p.Close()
	known.took("prepare")
	n, speeds := w.speeds(ctx, dev)
	show.of(p.Costs(), n, speeds)

	overflow, err := splitOverflow(w.solve(ctx))
	if err != nil {
		return w.about(err)
	}
	known.took("solve")
	w.known(p).on(dev)

	if j.check {
		show.stage("checking")
		if known.Ratios, err = w.measure(ctx); err != nil {
			return w.about(err)
		}
		known.took("check")
	}
	show.stage("writing")
	if err := w.write(ctx, out); err != nil {
		return err
	}
	if err := out.finish(ctx, j.report, w.report); err != nil {
		return err
	}
	show.end()
	if !j.noPrint {
		if err := w.print(ctx, out); err != nil {
			return err
		}
	}
	known.took("write")
	w.summary(summary)
	incomplete := w.remarks(show.above())
	return errors.Join(w.about(overflow), incomplete, known.Ratios.verdict())
}
