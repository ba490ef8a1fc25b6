package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
)

// A solveJob is one call of vkevd solve.
type solveJob struct {
	fileJob
	input   matrixInput
	options options
	batch   bool
	start   string // path of approximate eigenvectors, "" for none
	engine  string
	vectors string // path of the output, "" for none
}

func solveCommand(s *cli.Session) *cobra.Command {
	j := &solveJob{fileJob: fileJob{Session: s}}
	cmd := &cobra.Command{
		Use:  "solve [flags] FILE",
		Args: cli.OneMatrix,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := j.checkUse(cmd); err != nil {
				return err
			}
			if j.engine != vulkanEngine {
				return j.runCluster(cmd.Context(), args[0])
			}
			return j.run(cmd.Context(), args[0], []string{j.vectors}, func(ctx context.Context, known *report.Facts, show *cli.Progress) (work, error) {
				switch {
				case j.batch && j.options.tridiagonal:
					return readBatchWork(ctx, j, args[0], known, show, tridiagonalBatch)
				case j.batch:
					return readBatchWork(ctx, j, args[0], known, show, denseBatch)
				}
				return j.read(ctx, args[0], known, show)
			})
		},
	}
	j.device = cli.DevicesFlag(cmd, s)
	j.input.flags(cmd)
	j.options.flags(cmd)
	engineFlag(cmd, &j.engine)
	f := cmd.Flags()
	f.StringVar(&j.values, "out-values", "", "also write the eigenvalues to `FILE`: .txt, .npy or .json; .txt says\nwhich part of a spectrum it has, and plot reads that")
	f.StringVar(&j.vectors, "out-vectors", "",
		"write the eigenvectors to `FILE`: .npy in Fortran order,\n"+
			"column j belongs to eigenvalue j; with --batch also .npz")
	f.StringVar(&j.report, "report", "", "write device, memory, times (those of compiling each kernel, too),\nratios and MRRR statistics to `FILE`: .json")
	f.StringVar(&j.start, "start", "",
		"refine the approximate eigenvectors in `FILE`, n×n: column j belongs to\n"+
			"eigenvalue j")
	f.BoolVar(&j.batch, "batch", false, "FILE has many matrices: a stack in .npy, or a .npz file")
	f.BoolVar(&j.check, "check", false,
		"measure residual and orthogonality in LAPACK's ratios: below 60 is\n"+
			"good. With --values-only compare only Σλ with the trace and Σλ² with\n"+
			"the squared Frobenius norm. With --tridiagonal, certify the\n"+
			"values by Sturm counts, with or without vectors")
	j.flags(cmd, "eigenvalues")
	return cmd
}

// checkUse returns an error for flags of vkevd solve that make no sense, beside those of the rules. It is
// called before any file is opened.
func (j *solveJob) checkUse(cmd *cobra.Command) error {
	o := &j.options
	switch {
	case j.check && o.valuesOnly && j.batch:
		return cli.Usage(cmd, "--check of a batch needs vectors: it cannot be combined with --values-only")
	case j.check && o.valuesOnly && !o.part.all() && !o.tridiagonal:
		return cli.Usage(cmd, "--check cannot judge a part of the values without vectors: it compares sums over all")
	case j.batch && cli.Ending(j.values) == ".json":
		return cli.Usage(cmd, "--out-values: %s: the values of a batch are written as .txt, .npy or .npz", j.values)
	}
	if j.start != "" && o.precision == "" { // only double precision has approximate vectors
		o.precision = cli.PrecisionDouble
	}
	if err := errors.Join(checkEngine(cmd, j.engine), j.CheckProcesses(cmd)); err != nil {
		return err
	}
	if err := errors.Join(o.check(cmd, j.wantsVectors()), j.input.check(cmd)); err != nil {
		return err
	}
	for _, out := range []struct {
		flag, path string
		known      []string
	}{
		{"out-values", j.values, j.batchEndings(cli.ValuesEndings)}, {"out-vectors", j.vectors, j.batchEndings(cli.VectorsEndings)},
		{"report", j.report, cli.ReportEndings},
	} {
		if err := cli.CheckEnding(cmd, out.flag, out.path, out.known); err != nil {
			return err
		}
	}
	return nil
}

func (j *solveJob) wantsVectors() bool {
	return !j.options.valuesOnly && (j.options.vectors || j.vectors != "" || j.check || j.start != "" || j.options.verify || j.options.precision == cli.PrecisionMixed)
}
