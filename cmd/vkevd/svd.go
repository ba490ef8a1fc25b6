package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd/svd"
)

// An svdJob is one call of vkevd svd.
type svdJob struct {
	fileJob
	input     singularInput
	precision string
	options   svdOptions
	u, v      string // paths of output files; "" if not wanted
}

func svdCommand(s *cli.Session) *cobra.Command {
	j := &svdJob{fileJob: fileJob{Session: s}}
	cmd := &cobra.Command{
		Use:  "svd [flags] FILE",
		Args: cli.OneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := j.checkUse(cmd); err != nil {
				return err
			}
			return j.run(cmd.Context(), args[0], []string{j.u, j.v}, func(ctx context.Context, known *report.Facts, show *cli.Progress) (work, error) {
				return j.read(ctx, args[0], known, show)
			})
		},
	}
	j.device = cli.DeviceFlag(cmd, s)
	j.input.flags(cmd)
	j.options.flags(cmd)
	cli.PrecisionFlag(cmd, &j.precision, "")
	f := cmd.Flags()
	f.StringVar(&j.values, "out-values", "", "also write the singular values to `FILE`: .txt, .npy or .json")
	f.StringVar(&j.u, "out-u", "", "write the left singular vectors to `FILE`: .npy in Fortran order")
	f.StringVar(&j.v, "out-v", "", "write the right singular vectors to `FILE`: .npy in Fortran order")
	f.StringVar(&j.report, "report", "", "write device, memory, times and measures to `FILE`: .json")
	f.BoolVar(&j.check, "check", false, "certify the values by Sturm counts, compare sums of squares, and\n"+
		"measure residual and orthogonality of vectors")
	j.flags(cmd, "singular values")
	return cmd
}

// checkUse returns an error for flags of vkevd svd that make no sense, beside those of the rules. It is
// called before any file is opened.
func (j *svdJob) checkUse(cmd *cobra.Command) error {
	if err := errors.Join(j.CheckProcesses(cmd), j.options.check(cmd), cli.CheckPrecision(cmd, j.precision),
		j.input.check(cmd), checkStorage(cmd, j.input.storage)); err != nil {
		return err
	}
	for _, out := range []struct {
		flag, path string
		known      []string
	}{
		{"out-values", j.values, cli.ValuesEndings}, {"out-u", j.u, cli.VectorsEndings}, {"out-v", j.v, cli.VectorsEndings},
		{"report", j.report, cli.ReportEndings},
	} {
		if err := cli.CheckEnding(cmd, out.flag, out.path, out.known); err != nil {
			return err
		}
	}
	return nil
}

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

func (o *svdOptions) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("largest") && o.largest < 1 {
		return cli.Usage(cmd, "--largest: \"%d\" is not a whole number, at least 1", o.largest)
	}
	return o.productsFlags.check(cmd)
}

// svd returns the library's options for an m×n matrix. `u` and `v` tell which vectors are wanted.
// The method `svd` returns an error if the user selects more values than the matrix has.
func (o *svdOptions) svd(m, n int, u, v bool) (svd.Options, error) {
	if o.largest > min(m, n) {
		return svd.Options{}, fmt.Errorf("--largest: %d is more than the %s of a matrix of %d by %d",
			o.largest, cli.Plural(min(m, n), "singular value"), m, n)
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
