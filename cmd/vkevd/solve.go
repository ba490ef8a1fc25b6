package main

import (
	"errors"

	"github.com/spf13/cobra"
)

// A solveJob is one call of vkevd solve.
type solveJob struct {
	*session
	device                  func() string
	input                   matrixInput
	options                 options
	config                  *config
	verbosity               verbosity
	check, noPrint          bool
	batch                   bool
	start                   string // path of approximate eigenvectors, "" for none
	engine                  string
	values, vectors, report string // paths of outputs, "" for none
}

func solveCommand(s *session) *cobra.Command {
	j := &solveJob{session: s}
	cmd := &cobra.Command{
		Use:  "solve [flags] FILE",
		Args: oneMatrix,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := j.checkUse(cmd); err != nil {
				return err
			}
			if j.engine != vulkanEngine {
				return j.runCluster(cmd.Context(), args[0])
			}
			if j.batch {
				if j.options.tridiagonal {
					return runBatch(cmd.Context(), j, args[0], tridiagonalBatch)
				}
				return runBatch(cmd.Context(), j, args[0], denseBatch)
			}
			return j.run(cmd.Context(), args[0])
		},
	}
	j.device = devicesFlag(cmd, s)
	j.input.flags(cmd)
	j.options.flags(cmd)
	j.config = configFlag(cmd, s)
	engineFlag(cmd, &j.engine)
	f := cmd.Flags()
	f.StringVar(&j.values, "out-values", "", "also write the eigenvalues to `FILE`: .txt, .npy or .json; .txt says\nwhich part of a spectrum it has, and plot reads that")
	f.StringVar(&j.vectors, "out-vectors", "",
		"write the eigenvectors to `FILE`: .npy in Fortran order,\n"+
			"column j belongs to eigenvalue j; with --batch also .npz")
	f.StringVar(&j.report, "report", "", "write device, memory, times (those of compiling each kernel, too),\nratios and MRRR statistics to `FILE`: .json")
	f.StringVar(&j.report, "json", "", "write the report to `FILE` as JSON, as --report does; - prints it\nin place of the values")
	f.StringVar(&j.start, "start", "",
		"refine the approximate eigenvectors in `FILE`, n×n: column j belongs to\n"+
			"eigenvalue j")
	f.BoolVar(&j.batch, "batch", false, "FILE has many matrices: a stack in .npy, or a .npz file")
	f.BoolVar(&j.noPrint, "no-print", false, "do not print the eigenvalues to standard output")
	f.BoolVar(&j.check, "check", false,
		"measure residual and orthogonality in LAPACK's ratios: below 60 is\n"+
			"good. With --values-only compare only Σλ with the trace and Σλ² with\n"+
			"the squared Frobenius norm. With --tridiagonal, certify the\n"+
			"values by Sturm counts, with or without vectors")
	j.verbosity.flags(cmd)
	return cmd
}

// checkUse returns an error for flags of vkevd solve that cannot be combined. It is called before
// any file is opened.
func (j *solveJob) checkUse(cmd *cobra.Command) error {
	o := j.options
	switch {
	case o.valuesOnly && j.vectors != "":
		return usage(cmd, "--out-vectors cannot be combined with --values-only")
	case j.check && o.valuesOnly && !o.part.all() && !o.tridiagonal:
		return usage(cmd, "--check cannot judge a part of the values without vectors: it compares sums over all")
	case severalDevices(j.device()) && (o.tridiagonal && !j.batch || j.start != ""):
		return usage(cmd, "--device %s: --tridiagonal and --start use one device", j.device())
	case cmd.Flags().Changed("json") && cmd.Flags().Changed("report"):
		return usage(cmd, "--json is the same as --report; give one of them")
	}
	if err := errors.Join(j.verbosity.check(cmd), checkEngine(cmd, j.engine), j.checkProcesses(cmd), o.checkMixed(cmd, j.device()), o.checkDistribute(cmd, j.device()), j.checkStart(cmd), j.checkBatch(cmd)); err != nil {
		return err
	}
	if err := errors.Join(o.check(cmd, j.wantsVectors()), j.input.check(cmd, o.tridiagonal)); err != nil {
		return err
	}
	for _, out := range []struct {
		flag, path string
		known      []string
	}{
		{"out-values", j.values, j.batchEndings(valuesEndings)}, {"out-vectors", j.vectors, j.batchEndings(vectorsEndings)},
		{"report", j.report, reportEndings},
	} {
		if err := checkEnding(cmd, out.flag, out.path, out.known); err != nil {
			return err
		}
	}
	return nil
}

// wantsVectors tells whether any flag needs the eigenvectors.
func (j *solveJob) wantsVectors() bool {
	return !j.options.valuesOnly && (j.options.vectors || j.vectors != "" || j.check || j.start != "" || j.options.verify || j.options.precision == precisionMixed)
}
