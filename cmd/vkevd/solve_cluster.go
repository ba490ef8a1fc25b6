package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/cluster"
	"github.com/vkevd/vkevd/evd/matio"
)

const vulkanEngine = "vulkan"

func engineFlag(cmd *cobra.Command, engine *string) {
	cmd.Flags().StringVar(engine, "engine", vulkanEngine,
		"`ENGINE` that solves: vulkan; elpa or scalapack under mpirun, in a\n"+
			"program built with it (go build -tags elpa)")
	cmd.RegisterFlagCompletionFunc("engine", cli.Words(engineNames()))
}

func engineNames() []string {
	names := []string{vulkanEngine}
	for _, e := range cluster.Engines() {
		names = append(names, string(e))
	}
	return names
}

// onCluster lists the flags of solve and plan that are allowed with a library for clusters as the
// engine, instead of Vulkan.
var onCluster = []string{
	"engine", "ranks", "rate", "n", "vectors", "values-only", "index", "largest", "smallest", "interval", "uplo", "symmetrize", "json",
	"out-values", "out-vectors", "report", "no-print", "check", "quiet", "verbose",
}

func checkEngine(cmd *cobra.Command, engine string) error {
	if !slices.Contains(engineNames(), engine) {
		return cli.Usage(cmd, "--engine: %q is not one of %s", engine, strings.Join(engineNames(), ", "))
	}
	if engine == vulkanEngine {
		return nil
	}
	var other string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(onCluster, f.Name) {
			other = f.Name
		}
	})
	if other != "" {
		return cli.Usage(cmd, "--%s cannot be combined with --engine %s", other, engine)
	}
	return nil
}

// runCluster runs the whole command in one process of an MPI job. Only process 0 prints and writes
// files, with one exception: all processes write the vectors. If some processes fail, the failed
// process with the lowest rank prints its error, and all processes end.
func (j *solveJob) runCluster(ctx context.Context, file string) error {
	runtime.LockOSThread() // for MPI
	w, err := cluster.Start(cluster.Engine(j.engine))
	if err != nil {
		return err
	}
	defer w.Close()
	if w.Rank() != 0 {
		j.Stdout, j.Stderr, j.verbosity = io.Discard, io.Discard, cli.Verbosity{Quiet: true}
	}
	stop := context.AfterFunc(ctx, func() {
		// A library for clusters cannot be interrupted in a solve. If the solve does not end within
		// a second, this process exits without leaving MPI, and MPI then ends the whole job.
		time.Sleep(time.Second)
		if w.Rank() == 0 {
			fmt.Fprintln(j.Stderr, "vkevd: interrupted")
		}
		os.Exit(cli.StatusNumerical)
	})
	defer stop()

	var out *cli.Outputs
	if w.Rank() == 0 {
		out, err = j.clusterOutputs(ctx, file)
	} else {
		out = &cli.Outputs{Stdout: j.Stdout}
	}
	if err := w.Agree(err); err != nil {
		return err
	}
	defer out.Abort()
	summary, show := j.Feedback(j.verbosity)
	defer show.End()
	known := report.NewFacts(file)

	a, err := openSource(file)
	if err = w.Agree(err); err != nil {
		return err
	}
	defer a.Close()
	known.Took("prepare")
	opt, err := j.clusterOptions(a)
	if err = w.Agree(err); err != nil {
		return fmt.Errorf("%s: %w", cli.InputName(file), err)
	}
	step := ""
	opt.Progress = func(name string) {
		if step != "" {
			known.Took(clusterLaps[step])
		}
		step = name
		show.Stage(name)
	}
	res, err := cluster.Solve(ctx, w, a, opt)
	overflow, err := cli.SplitOverflow(err)
	if err != nil {
		return aboutCluster(file, err)
	}
	defer res.Close()
	known.Took(clusterLaps[step])
	show.Stage("writing")
	setFacts(known, a.Order(), j, res)
	if res.Averaged > 0 && !j.input.symmetrize {
		fmt.Fprintf(show.Above(), "%s: symmetric up to rounding errors of %.2g at most, which are averaged\n",
			cli.Printable(cli.InputName(file)), res.Averaged)
	}
	if j.vectors != "" {
		if err := res.StoreNPY(j.vectors, a.Order()); err != nil {
			return aboutCluster(file, cli.CannotWrite(j.vectors, err))
		}
	}
	err = j.writeCluster(ctx, out, res, known)
	show.End()
	if err == nil && !j.noPrint {
		err = out.PrintValues(ctx, res.Values)
	}
	if err = w.Agree(err); err != nil {
		return err
	}
	known.Took("write")
	known.Summary(summary)
	known.Remarks(show.Above())
	return w.Agree(errors.Join(aboutCluster(file, overflow), known.Ratios.Verdict()))
}

// clusterOutputs opens the files that process 0 writes. After the solve, all processes write the
// file of the vectors. clusterOutputs therefore checks that this file can be created, too.
func (j *solveJob) clusterOutputs(ctx context.Context, file string) (*cli.Outputs, error) {
	if j.vectors == cli.StreamWord {
		return nil, errors.New("standard output: all processes write the vectors, so they need a file")
	}
	trial, err := cli.CreateOutputs(ctx, j.Stdout, []string{file}, j.values, j.vectors, j.report)
	if err != nil {
		return nil, err
	}
	trial.Abort()
	return cli.CreateOutputs(ctx, j.Stdout, []string{file}, j.values, j.report)
}

// clusterLaps maps the names of the steps in package cluster to the names of their times in
// reports.
var clusterLaps = map[string]string{"reading": "read", "solving": "solve", "checking": "check"}

func (j *solveJob) writeCluster(ctx context.Context, out *cli.Outputs, res *cluster.Solution, known *report.Facts) error {
	if err := cli.WriteValues(ctx, out, j.values, res.Values, cli.ValuesPart{First: known.First, Count: known.Values, N: known.N}); err != nil {
		return err
	}
	return out.Finish(ctx, j.report, known.Report)
}

// A source is the .npy file of the matrix. Each process reads its part of the columns from it.
type source struct{ *matio.NPYColumns }

func openSource(file string) (*source, error) {
	if file == cli.StreamWord {
		return nil, errors.New("standard input: every process reads its part, so it must be a file")
	}
	c, err := matio.OpenNPYColumns(file)
	if err != nil {
		if cli.Reason(err) != err {
			err = fmt.Errorf("%s: %w", file, cli.Reason(err))
		}
		return nil, err
	}
	if c.Rows != c.Cols {
		c.Close()
		return nil, fmt.Errorf("%s: %w", file, &matio.NotSquareError{Rows: c.Rows, Cols: c.Cols})
	}
	return &source{c}, nil
}

func (s *source) Order() int { return s.Rows }

func (s *source) ReadColumns(dst []float64, from, to int) error { return s.Read(dst, from, to-from) }

func (j *solveJob) clusterOptions(a *source) (cluster.Options, error) {
	opt := cluster.Options{Vectors: j.wantsVectors(), Symmetrize: j.input.symmetrize, Check: j.check}
	// A file in row order holds the transpose of what is read: its rows are read as columns. The
	// lower and the upper triangle are therefore exchanged.
	switch j.input.uplo {
	case "lower":
		opt.Triangle = map[bool]cluster.Triangle{false: cluster.Lower, true: cluster.Upper}[a.ByRows]
	case "upper":
		opt.Triangle = map[bool]cluster.Triangle{false: cluster.Upper, true: cluster.Lower}[a.ByRows]
	}
	if j.options.part.all() {
		return opt, nil
	}
	if j.options.part.interval != "" {
		from, to, err := ends("--interval", j.options.part.interval, "", parseFloat, math.Inf(-1), math.Inf(1))
		opt.Select = cluster.Interval(from, to)
		return opt, err
	}
	from, to, err := j.options.part.indices(a.Order())
	opt.Select = cluster.Index(from, to)
	return opt, err
}

func setFacts(f *report.Facts, n int, j *solveJob, res *cluster.Solution) {
	f.N, f.Vectors, f.First, f.Values = n, j.wantsVectors(), res.First, len(res.Values)
	f.Engine, f.Processes = j.engine, res.Processes
	switch r := res.Ratios; {
	case r == nil:
	case f.Vectors:
		f.Ratios = report.Ratios[float64](evd.Ratios{Residual: r.Residual, Orthogonality: r.Orthogonality})
	default:
		f.Ratios = report.OfSums(r.Trace, r.Squares)
	}
}

func aboutCluster(file string, err error) error {
	var notSymmetric *cluster.NotSymmetricError
	var other *cluster.ProcessError
	switch {
	case errors.As(err, &other), errors.Is(err, context.Canceled), err == nil:
		return err
	case errors.As(err, &notSymmetric):
		return fmt.Errorf("%s: %w; --symmetrize takes (A+Aᵀ)/2, --uplo lower or upper one triangle", cli.InputName(file), err)
	}
	return fmt.Errorf("%s: %w", cli.InputName(file), err)
}
