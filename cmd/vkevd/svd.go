package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd/svd"
)

// An svdJob holds the arguments and flags of one call of vkevd svd.
type svdJob struct {
	*session
	device               func() string
	input                singularInput
	precision            string
	options              svdOptions
	config               *config
	verbosity            verbosity
	check, noPrint       bool
	values, u, v, report string // paths of output files; "" if not wanted
}

func svdCommand(s *session) *cobra.Command {
	j := &svdJob{session: s}
	cmd := &cobra.Command{
		Use:  "svd [flags] FILE",
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := j.checkUse(cmd); err != nil {
				return err
			}
			return j.run(cmd.Context(), args[0])
		},
	}
	j.device = deviceFlag(cmd, s)
	j.input.flags(cmd)
	j.options.flags(cmd)
	precisionFlag(cmd, &j.precision, "")
	j.config = configFlag(cmd, s)
	f := cmd.Flags()
	f.StringVar(&j.values, "out-values", "", "also write the singular values to `FILE`: .txt, .npy or .json")
	f.StringVar(&j.u, "out-u", "", "write the left singular vectors to `FILE`: .npy in Fortran order")
	f.StringVar(&j.v, "out-v", "", "write the right singular vectors to `FILE`: .npy in Fortran order")
	f.StringVar(&j.report, "report", "", "write device, memory, times and measures to `FILE`: .json")
	f.StringVar(&j.report, "json", "", "write the report to `FILE` as JSON, as --report does; - prints it\nin place of the values")
	f.BoolVar(&j.noPrint, "no-print", false, "do not print the singular values to standard output")
	f.BoolVar(&j.check, "check", false, "certify the values by Sturm counts, compare sums of squares, and\n"+
		"measure residual and orthogonality of vectors")
	j.verbosity.flags(cmd)
	return cmd
}

// checkUse returns an error for flags of vkevd svd that cannot be combined. It is called before any
// file is opened.
func (j *svdJob) checkUse(cmd *cobra.Command) error {
	if cmd.Flags().Changed("json") && cmd.Flags().Changed("report") {
		return usage(cmd, "--json is the same as --report; give one of them")
	}
	refuse := func(format string, args ...any) error { return usage(cmd, format, args...) }
	if err := errors.Join(j.verbosity.check(cmd), j.checkProcesses(cmd), j.options.check(cmd), checkPrecisionWord(refuse, j.precision)); err != nil {
		return err
	}
	if err := j.input.check(cmd, false); err != nil {
		return err
	}
	if err := j.input.checkKind(cmd, j.wantsVectors()); err != nil {
		return err
	}
	if j.options.full && !j.wantsVectors() {
		return usage(cmd, "--full needs --out-u or --out-v")
	}
	for _, out := range []struct {
		flag, path string
		known      []string
	}{
		{"out-values", j.values, valuesEndings}, {"out-u", j.u, vectorsEndings}, {"out-v", j.v, vectorsEndings},
		{"report", j.report, reportEndings},
	} {
		if err := checkEnding(cmd, out.flag, out.path, out.known); err != nil {
			return err
		}
	}
	return nil
}

// wantsVectors reports whether the user has named a file for left or right singular vectors.
func (j *svdJob) wantsVectors() bool { return j.u != "" || j.v != "" }

// sides reports which singular vectors vkevd svd computes: those for which the user has named
// files. With --check, if there is one such file, the vectors of both sides are computed.
func (j *svdJob) sides() (u, v bool) {
	both := j.check && j.wantsVectors()
	return both || j.u != "", both || j.v != ""
}

// svdOptions are the options of a singular value decomposition, as flags.
type svdOptions struct {
	largest     int
	full        bool
	band, block int
	verify      bool
	productsFlags
}

func (o *svdOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&o.largest, "largest", 0, "only the `K` largest singular values")
	f.BoolVar(&o.full, "full", false, "orthogonal matrices, U M by M and V N by N")
	f.IntVar(&o.band, "band", 0, "superdiagonals `B` of the first stage (default: the device's tuning)")
	f.IntVar(&o.block, "block", 0,
		"rank `K` of the first stage's updates, a multiple of --band\n"+
			"(default: the device's tuning)")
	f.BoolVar(&o.verify, "verify", false,
		"certify the result before it is written, vectors by ratios and values\n"+
			"by Sturm counts, and solve again on another path if that fails")
	o.productsFlags.flags(cmd)
}

// check returns an error for options of vkevd svd that are wrong for every matrix.
func (o *svdOptions) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("largest") && o.largest < 1 {
		return usage(cmd, "--largest: \"%d\" is not a whole number, at least 1", o.largest)
	}
	if o.full && o.largest > 0 {
		return usage(cmd, "--full cannot be combined with --largest: all vectors need all values")
	}
	return o.productsFlags.check(cmd)
}

// svd returns the library's options for an m×n matrix. `u` and `v` tell which vectors are wanted.
// The method `svd` returns an error if the user selects more values than the matrix has.
func (o *svdOptions) svd(m, n int, u, v bool) (svd.Options, error) {
	if o.largest > min(m, n) {
		return svd.Options{}, fmt.Errorf("--largest: %d is more than the %s of a matrix of %d by %d",
			o.largest, plural(min(m, n), "singular value"), m, n)
	}
	vectors := func(wanted bool) svd.Vectors {
		switch {
		case wanted && o.full:
			return svd.Full
		case wanted:
			return svd.Thin
		}
		return svd.None
	}
	return svd.Options{
		U: vectors(u), V: vectors(v), Largest: o.largest, Band: o.band, Block: o.block, Verify: o.verify,
		Products: o.chosen(), Moduli: o.moduli,
	}, nil
}
