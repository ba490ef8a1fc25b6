package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/vk"
)

// A checkJob is one call of vkevd check.
type checkJob struct {
	*cli.Session
	device    func() string
	input     matrixInput
	json      *cli.JsonOutput
	verbosity cli.Verbosity
	host      bool
	svd       bool
	summary   io.Writer // for what is shown with --verbose
}

func checkCommand(s *cli.Session) *cobra.Command {
	j := &checkJob{Session: s}
	cmd := &cobra.Command{
		Use: "check [flags] MATRIX VALUES [VECTORS | U V]",
		Args: func(cmd *cobra.Command, args []string) error {
			if j.svd && len(args) != 2 && len(args) != 4 {
				return cli.Usage(cmd, "check --svd takes MATRIX and VALUES, or MATRIX, VALUES, U and V, not %s", cli.Plural(len(args), "file"))
			}
			if !j.svd && len(args) != 2 && len(args) != 3 {
				return cli.Usage(cmd, "check takes MATRIX, VALUES and optionally VECTORS, not %s", cli.Plural(len(args), "file"))
			}
			if first := slices.Index(args, cli.StreamWord); first >= 0 && slices.Contains(args[first+1:], cli.StreamWord) {
				return cli.Usage(cmd, "only one of the files can be standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := j.input.check(cmd); err != nil {
				return err
			}
			if j.svd {
				return j.run(cmd.Context(), args, j.singular)
			}
			return j.run(cmd.Context(), args, j.symmetric)
		},
	}
	j.device = cli.DeviceFlag(cmd, s)
	j.input.flags(cmd)
	j.json = cli.JsonFlag(cmd, "the ratios")
	f := cmd.Flags()
	f.BoolVar(&j.svd, "svd", false, "VALUES are singular values, and the files after them U and V")
	f.BoolVar(&j.host, "host", false, "compute on the host; no device is needed")
	j.verbosity.Flags(cmd)
	return cmd
}

// run runs the command check. The function `measure` reads the files and measures the errors. It is
// the method `symmetric` for eigenvalues, or the method `singular` for singular values.
func (j *checkJob) run(ctx context.Context, files []string, measure func(context.Context, []string, *cli.Progress) (report.Measures, error)) error {
	if err := j.json.Open(j.Stdout, files...); err != nil {
		return err
	}
	defer j.json.Close()
	summary, show := j.Feedback(j.verbosity)
	j.summary = summary
	defer show.End()
	found, err := measure(ctx, files, show)
	if err != nil {
		return err
	}
	show.End()
	if !j.json.Instead() {
		err = cli.CannotWrite("standard output", found.Print(j.Stdout))
	}
	return errors.Join(err, j.json.Write(ctx, found), found.Verdict())
}

// symmetric measures the errors of eigenvalues for vkevd check, and of eigenvectors if the user
// gives a file of them.
func (j *checkJob) symmetric(ctx context.Context, files []string, show *cli.Progress) (report.Measures, error) {
	a, res, single, err := j.read(ctx, files, show)
	if err != nil {
		return nil, err
	}
	found, err := j.Measure(ctx, a, res, single, show.Above(), show)
	if err != nil {
		return nil, aboutMatrix(files[0], a.N, err)
	}
	return found.InUnits(single, a.N, a.N, a.Data), nil
}

// read reads the files of the command check, and compares the sizes of their matrices. `single`
// tells whether the matrix or the vectors are in single precision.
func (j *checkJob) read(ctx context.Context, files []string, show *cli.Progress) (
	a evd.Sym[float64], _ *evd.Result[float64], single bool, _ error,
) {
	show.Stage("reading " + cli.InputName(files[0]))
	d, err := j.input.readDense(ctx, files[0], j.Stdin, show.Above())
	if err != nil {
		return a, nil, false, err
	}
	report.TableOf(d.Rows, d.Cols, d.Table).Print(j.summary, cli.InputName(files[0]))
	a = evd.Sym[float64]{N: d.Rows, Ld: max(d.Rows, 1), Data: d.Data, Uplo: evd.Lower}
	res := &evd.Result[float64]{}
	if res.Values, err = j.readValues(ctx, files[1], a.N == 0, show); err != nil {
		return a, nil, false, err
	}
	if len(files) < 3 {
		if len(res.Values) != a.N {
			hint := ""
			if len(res.Values) < a.N {
				hint = "; a part of the eigenvalues can only be checked with VECTORS"
			}
			return a, nil, false, fmt.Errorf("%s: %s for a matrix of order %d%s",
				cli.InputName(files[1]), cli.Plural(len(res.Values), "value"), a.N, hint)
		}
		return a, res, d.Single, nil
	}
	z, narrow, err := j.readVectors(ctx, files[2], a.N, len(res.Values), show)
	if err != nil {
		return a, nil, false, err
	}
	switch {
	case z.Rows != a.N || z.Cols > a.N:
		return a, nil, false, fmt.Errorf("%s: %d by %d elements cannot be eigenvectors of a matrix of order %d",
			cli.InputName(files[2]), z.Rows, z.Cols, a.N)
	case len(res.Values) != z.Cols:
		return a, nil, false, fmt.Errorf("%s: %s for %s in %s",
			cli.InputName(files[1]), cli.Plural(len(res.Values), "value"), cli.Plural(z.Cols, "vector"), cli.InputName(files[2]))
	}
	res.Vectors = z
	return a, res, d.Single || narrow, nil
}

// readValues reads a file of eigenvalues. `empty` says that the file should have no values, because
// the matrix has order 0.
func (j *checkJob) readValues(ctx context.Context, file string, empty bool, show *cli.Progress) ([]float64, error) {
	show.Stage("reading " + cli.InputName(file))
	return cli.UnlessDone(ctx, func() ([]float64, error) {
		if empty && file != cli.StreamWord && cli.IsEmpty(file) {
			return nil, nil // solve writes an empty file for no values; matio does not read empty files
		}
		values, err := cli.ReadVector(file, j.Stdin)
		if format := (*matio.FormatError)(nil); errors.As(err, &format) && strings.HasPrefix(format.Msg, "not a vector") {
			err = fmt.Errorf("%w; the order of the files is MATRIX VALUES VECTORS", err)
		}
		return values, err
	})
}

// readVectors reads a matrix of vectors. It also tells whether the vectors are in single precision
// in the file.
func (j *checkJob) readVectors(ctx context.Context, file string, rows, cols int, show *cli.Progress) (*evd.Dense[float64], bool, error) {
	show.Stage("reading " + cli.InputName(file))
	d, err := readVectors(ctx, file, j.Stdin, rows, cols)
	if err != nil {
		return nil, false, err
	}
	return &evd.Dense[float64]{Rows: d.Rows, Cols: d.Cols, Ld: max(d.Rows, 1), Data: d.Data}, d.Single, nil
}

func leastNormOf(single bool) float64 {
	if single {
		return report.LeastNorm[float32]()
	}
	return report.LeastNorm[float64]()
}

func (j *checkJob) Measure(
	ctx context.Context, a evd.Sym[float64], res *evd.Result[float64], single bool, log io.Writer, show *cli.Progress,
) (report.Measures, error) {
	if res.Vectors == nil {
		return report.Sums(a, res.Values, leastNormOf(single)), nil
	}
	if j.host || res.Vectors.Cols < a.N {
		show.Stage("checking on the host")
		return cli.UnlessDone(ctx, func() (report.Measures, error) { return report.OnHost(a, res), nil })
	}
	show.Stage("preparing the device")
	dev, p, err := cli.Prepare(ctx, j.Session, j.device(), log, cli.VectorsPlan(a.N))
	if cli.As[*vk.UnsupportedError](err) && !cli.As[*cli.DeviceError](err) { // such as a device without double precision
		show.Stage("checking on the host")
		return cli.UnlessDone(ctx, func() (report.Measures, error) { return report.OnHost(a, res), nil })
	}
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	defer p.Close()
	show.Stage("checking")
	return report.Measured(ctx, p, a, res)
}
