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
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/cluster"
	"github.com/vkevd/vkevd/evd/matio"
)

// vulkanEngine is the default value of --engine: the solver of this program on a Vulkan device.
const vulkanEngine = "vulkan"

// engineFlag adds the flag --engine, which names the library that solves the problem.
func engineFlag(cmd *cobra.Command, engine *string) {
	cmd.Flags().StringVar(engine, "engine", vulkanEngine,
		"`ENGINE` that solves: vulkan; elpa or scalapack under mpirun, in a\n"+
			"program built with it (go build -tags elpa)")
	cmd.RegisterFlagCompletionFunc("engine", words(engineNames()))
}

// engineNames are the values of --engine.
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

// processCounts lists the environment variables in which programs that start MPI jobs tell each process
// how many processes the job has: Open MPI, MPICH and Intel MPI (the second for one host), MVAPICH, and
// Slurm's srun. Slurm's variables of a whole allocation, such as SLURM_NTASKS, are not in the list: a
// batch script has them, too, and is one process.
var processCounts = []string{
	"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS",
}

// checkProcesses returns an error if this is one of several processes of a job, and the user has not
// said with --engine what they shall do. Each of them would solve the whole problem, and all of them
// would write the same files.
func (e environment) checkProcesses(cmd *cobra.Command) error {
	if cmd.Flags().Changed("engine") {
		return nil
	}
	for _, name := range processCounts {
		text, _ := e.lookup(name)
		count, err := strconv.Atoi(text)
		switch {
		case err != nil || count < 2:
		case cmd.Flags().Lookup("engine") == nil:
			return usage(cmd, "this is one of %d processes (%s), and each would solve the same problem; "+
				"for a problem with each, unset %s", count, name, name)
		default:
			return usage(cmd, "this is one of %d processes (%s): --engine elpa solves one problem with all of them, "+
				"--engine vulkan a problem with each", count, name)
		}
	}
	return nil
}

// checkEngine returns an error if the engine, the library that solves, is unknown or does not
// support one of the given flags.
func checkEngine(cmd *cobra.Command, engine string) error {
	if !slices.Contains(engineNames(), engine) {
		return usage(cmd, "--engine: %q is not one of %s", engine, strings.Join(engineNames(), ", "))
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
		return usage(cmd, "--%s cannot be combined with --engine %s", other, engine)
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
		j.stdout, j.stderr, j.verbosity = io.Discard, io.Discard, verbosity{quiet: true}
	}
	stop := context.AfterFunc(ctx, func() {
		// A library for clusters cannot be interrupted in a solve. If the solve does not end within
		// a second, this process exits without leaving MPI, and MPI then ends the whole job.
		time.Sleep(time.Second)
		if w.Rank() == 0 {
			fmt.Fprintln(j.stderr, "vkevd: interrupted")
		}
		os.Exit(statusNumerical)
	})
	defer stop()

	var out *outputs
	if w.Rank() == 0 {
		out, err = j.clusterOutputs(ctx, file)
	} else {
		out = &outputs{stdout: j.stdout}
	}
	if err := w.Agree(err); err != nil {
		return err
	}
	defer out.abort()
	summary, show := j.feedback(j.verbosity)
	defer show.end()
	known := newFacts(file)

	a, err := openSource(file)
	if err = w.Agree(err); err != nil {
		return err
	}
	defer a.Close()
	known.took("prepare")
	opt, err := j.clusterOptions(a)
	if err = w.Agree(err); err != nil {
		return fmt.Errorf("%s: %w", inputName(file), err)
	}
	step := ""
	opt.Progress = func(name string) {
		if step != "" {
			known.took(clusterLaps[step])
		}
		step = name
		show.stage(name)
	}
	res, err := cluster.Solve(ctx, w, a, opt)
	overflow, err := splitOverflow(err)
	if err != nil {
		return aboutCluster(file, err)
	}
	defer res.Close()
	known.took(clusterLaps[step])
	show.stage("writing")
	known.onCluster(a.Order(), j, res)
	if res.Averaged > 0 && !j.input.symmetrize {
		fmt.Fprintf(show.above(), "%s: symmetric up to rounding errors of %.2g at most, which are averaged\n",
			printable(inputName(file)), res.Averaged)
	}
	if j.vectors != "" {
		if err := res.StoreNPY(j.vectors, a.Order()); err != nil {
			return aboutCluster(file, cannotWrite(j.vectors, err))
		}
	}
	err = j.writeCluster(ctx, out, res, known)
	show.end()
	if err == nil && !j.noPrint {
		err = out.printValues(ctx, res.Values)
	}
	if err = w.Agree(err); err != nil {
		return err
	}
	known.took("write")
	known.summary(summary)
	known.remarks(show.above())
	return w.Agree(errors.Join(aboutCluster(file, overflow), known.Ratios.verdict()))
}

// clusterOutputs opens the files that process 0 writes. After the solve, all processes write the
// file of the vectors. clusterOutputs therefore checks that this file can be created, too.
func (j *solveJob) clusterOutputs(ctx context.Context, file string) (*outputs, error) {
	if j.vectors == streamWord {
		return nil, errors.New("standard output: all processes write the vectors, so they need a file")
	}
	trial, err := createOutputs(ctx, j.stdout, file, j.values, j.vectors, j.report)
	if err != nil {
		return nil, err
	}
	trial.abort()
	return createOutputs(ctx, j.stdout, file, j.values, j.report)
}

// clusterLaps maps the names of the steps in package cluster to the names of their times in
// reports.
var clusterLaps = map[string]string{"reading": "read", "solving": "solve", "checking": "check"}

func (j *solveJob) writeCluster(ctx context.Context, out *outputs, res *cluster.Solution, known *facts) error {
	if err := writeValues(ctx, out, j.values, res.Values, valuesPart{first: known.First, count: known.Values, n: known.N}); err != nil {
		return err
	}
	return out.finish(ctx, j.report, known.report)
}

// source reads the matrix from its .npy file, for package cluster. Each process reads its part of
// the columns.
type source struct{ *matio.NPYColumns }

func openSource(file string) (*source, error) {
	if file == streamWord {
		return nil, errors.New("standard input: every process reads its part, so it must be a file")
	}
	c, err := matio.OpenNPYColumns(file)
	if err != nil {
		if reason(err) != err {
			err = fmt.Errorf("%s: %w", file, reason(err))
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

// clusterOptions converts the user's flags to options of package cluster, for the matrix a.
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

// onCluster stores the results of a solve on a cluster, for the summary and the report.
func (f *facts) onCluster(n int, j *solveJob, res *cluster.Solution) {
	f.N, f.Vectors, f.First, f.Values = n, j.wantsVectors(), res.First, len(res.Values)
	f.Engine, f.Processes = j.engine, res.Processes
	switch r := res.Ratios; {
	case r == nil:
	case f.Vectors:
		f.Ratios = ratios(evd.Ratios{Residual: r.Residual, Orthogonality: r.Orthogonality})
	default:
		f.Ratios = ofSums(r.Trace, r.Squares)
	}
}

// aboutCluster adds the name of the file to an error of package cluster.
func aboutCluster(file string, err error) error {
	var notSymmetric *cluster.NotSymmetricError
	var other *cluster.ProcessError
	switch {
	case errors.As(err, &other), errors.Is(err, context.Canceled), err == nil:
		return err
	case errors.As(err, &notSymmetric):
		return fmt.Errorf("%s: %w; --symmetrize takes (A+Aᵀ)/2, --uplo lower or upper one triangle", inputName(file), err)
	}
	return fmt.Errorf("%s: %w", inputName(file), err)
}
