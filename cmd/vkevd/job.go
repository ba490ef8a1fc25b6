package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/trial"
	"github.com/vkevd/vkevd/evd"
)

// A fileJob has what the commands solve and svd have in common: they read a file, solve the problem
// in it, and write the results.
type fileJob struct {
	*cli.Session
	device         func() string
	config         *cli.Config
	verbosity      cli.Verbosity
	check, noPrint bool
	values, report string // paths of outputs, "" for none
}

// flags adds the flags of a fileJob that mean the same in all commands. `values` is "eigenvalues"
// or "singular values".
func (j *fileJob) flags(cmd *cobra.Command, values string) {
	j.config = cli.ConfigFlag(cmd, j.Session)
	f := cmd.Flags()
	f.StringVar(&j.report, "json", "", "write the report to `FILE` as JSON, as --report does; - prints it\nin place of the values")
	f.BoolVar(&j.noPrint, "no-print", false, "do not print the "+values+" to standard output")
	j.verbosity.Flags(cmd)
}

// A work is what was read from a file, with the plan that solves it and the result. Its methods are
// called in this order, except `Report` and `about`.
type work interface {
	Open(log io.Writer) (machine.Device, error)
	Plan(dev machine.Device, log io.Writer) (machine.Planned, error)
	speeds(ctx context.Context, dev machine.Device) (n int, of speeds) // for the forecast of time
	solve(ctx context.Context) error
	known(p machine.Planned) *report.Facts // of the solve
	Measure(ctx context.Context) (report.Measures, error)
	Write(ctx context.Context, out *cli.Outputs) error
	Print(ctx context.Context, out *cli.Outputs) error
	Summary(w io.Writer)
	Remarks(w io.Writer) error // the error is about a part of the result

	Report(w io.Writer) error
	about(err error) error // adds the file and the size of the matrix
}

// askForMeasures tells the user of a device that nobody has measured how to help, and the forecast
// for this solve beside its time. It does so once, and stores that in a file beside the compiled
// kernels; without such a folder it says nothing.
func (j *fileJob) askForMeasures(ctx context.Context, to io.Writer, dev machine.Device, w work, costs []evd.StageCost, known *report.Facts) {
	folder, info := j.PipelineCache(), dev.Info()
	if to == io.Discard || folder == "" || info.Type == "cpu" || trial.Measured(info) {
		return
	}
	f, err := os.OpenFile(filepath.Join(folder, "asked-"+trial.FileName(info)), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return
	}
	f.Close()
	forecast := ""
	if _, err := dev.Rates(ctx, true); err == nil { // less than a second, once
		expected, took := 0.0, 0.0
		n, of := w.speeds(ctx, dev)
		for _, s := range of.all(costs, n) {
			expected += s
		}
		for _, s := range known.Stages {
			took += s.Seconds
		}
		forecast = fmt.Sprintf(" The forecast for this solve was %s, and it took %s.", duration(expected), duration(took))
	}
	fmt.Fprintf(to, "Nobody has measured vkevd on %s.%s Please run\n"+
		"  vkevd bench --share %s\nand send the file: docs/devices.md says how. (This is said once.)\n",
		cli.Printable(info.Name), forecast, trial.FileName(info))
}

// run runs a command from reading the file to printing the results. The output files get their
// final names before anything is printed. They therefore exist even if the program that reads
// standard output ends early, as in vkevd solve … | head. `vectors` are the paths of the files of
// vectors, and `inputs` those of the matrices, the first of them for messages.
func (j *fileJob) run(
	ctx context.Context, inputs, vectors []string, read func(context.Context, *report.Facts, *cli.Progress) (work, error),
) error {
	out, err := cli.CreateOutputs(ctx, j.Stdout, inputs, append(append([]string{j.values}, vectors...), j.report)...)
	if err != nil {
		return err
	}
	defer out.Abort()
	summary, show := j.Feedback(j.verbosity)
	defer show.End()
	known := report.NewFacts(inputs[0])

	show.Stage("reading " + cli.InputName(inputs[0]))
	go j.Machine.Preload()
	w, err := read(ctx, known, show)
	if err != nil {
		return err
	}
	known.Took("read")

	show.Stage("preparing the device")
	dev, p, err := cli.PrepareOn(ctx, func() (machine.Device, error) { return w.Open(show.Above()) },
		func(dev machine.Device) (machine.Planned, error) { return w.Plan(dev, show.Above()) })
	if err != nil {
		return w.about(err)
	}
	defer dev.Close()
	defer p.Close()
	known.Took("prepare")
	n, speeds := w.speeds(ctx, dev)
	show.Of(p.Costs(), speeds.all(p.Costs(), n))

	overflow, err := cli.SplitOverflow(w.solve(ctx))
	if err != nil {
		return w.about(err)
	}
	known.Took("solve")
	w.known(p).On(dev)

	if j.check {
		show.Stage("checking")
		if known.Ratios, err = w.Measure(ctx); err != nil {
			return w.about(err)
		}
		known.Took("check")
	}
	show.Stage("writing")
	if err := w.Write(ctx, out); err != nil {
		return err
	}
	if err := out.Finish(ctx, j.report, w.Report); err != nil {
		return err
	}
	show.End()
	if !j.noPrint {
		if err := w.Print(ctx, out); err != nil {
			return err
		}
	}
	known.Took("write")
	w.Summary(summary)
	j.askForMeasures(ctx, summary, dev, w, p.Costs(), known)
	incomplete := w.Remarks(show.Above())
	return errors.Join(w.about(overflow), incomplete, known.Ratios.Verdict())
}
