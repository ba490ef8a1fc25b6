package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/vk"
)

// A checkJob is one call of vkevd check.
type checkJob struct {
	*session
	device    func() string
	input     matrixInput
	json      *jsonOutput
	verbosity verbosity
	host      bool
	svd       bool
	summary   io.Writer // for what is shown with --verbose
}

func checkCommand(s *session) *cobra.Command {
	j := &checkJob{session: s}
	cmd := &cobra.Command{
		Use: "check [flags] MATRIX VALUES [VECTORS | U V]",
		Args: func(cmd *cobra.Command, args []string) error {
			if j.svd && len(args) != 2 && len(args) != 4 {
				return usage(cmd, "check --svd takes MATRIX and VALUES, or MATRIX, VALUES, U and V, not %s", plural(len(args), "file"))
			}
			if !j.svd && len(args) != 2 && len(args) != 3 {
				return usage(cmd, "check takes MATRIX, VALUES and optionally VECTORS, not %s", plural(len(args), "file"))
			}
			if first := slices.Index(args, streamWord); first >= 0 && slices.Contains(args[first+1:], streamWord) {
				return usage(cmd, "only one of the files can be standard input")
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
	j.device = deviceFlag(cmd, s)
	j.input.flags(cmd)
	j.json = jsonFlag(cmd, "the ratios")
	f := cmd.Flags()
	f.BoolVar(&j.svd, "svd", false, "VALUES are singular values, and the files after them U and V")
	f.BoolVar(&j.host, "host", false, "compute on the host; no device is needed")
	j.verbosity.flags(cmd)
	return cmd
}

// run runs the command check. The function `measure` reads the files and measures the errors. It is
// the method `symmetric` for eigenvalues, or the method `singular` for singular values.
func (j *checkJob) run(ctx context.Context, files []string, measure func(context.Context, []string, *progress) (measures, error)) error {
	if err := j.json.open(j.stdout, files...); err != nil {
		return err
	}
	defer j.json.close()
	summary, show := j.feedback(j.verbosity)
	j.summary = summary
	defer show.end()
	found, err := measure(ctx, files, show)
	if err != nil {
		return err
	}
	show.end()
	if !j.json.instead() {
		err = cannotWrite("standard output", found.print(j.stdout))
	}
	return errors.Join(err, j.json.write(ctx, found), found.verdict())
}

// symmetric measures the errors of eigenvalues for vkevd check, and of eigenvectors if the user
// gives a file of them.
func (j *checkJob) symmetric(ctx context.Context, files []string, show *progress) (measures, error) {
	a, res, single, err := j.read(ctx, files, show)
	if err != nil {
		return nil, err
	}
	found, err := j.measure(ctx, a, res, single, show.above(), show)
	if err != nil {
		return nil, aboutMatrix(files[0], a.N, err)
	}
	return found.inUnits(single, a.N, a.N, a.Data), nil
}

// read reads the files of the command check, and compares the sizes of their matrices. `single`
// tells whether the matrix or the vectors are in single precision.
func (j *checkJob) read(ctx context.Context, files []string, show *progress) (
	a evd.Sym[float64], _ *evd.Result[float64], single bool, _ error,
) {
	show.stage("reading " + inputName(files[0]))
	d, err := j.input.readDense(ctx, files[0], j.stdin, show.above())
	if err != nil {
		return a, nil, false, err
	}
	tableOf(d.Rows, d.Cols, d.Table).print(j.summary, inputName(files[0]))
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
				inputName(files[1]), plural(len(res.Values), "value"), a.N, hint)
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
			inputName(files[2]), z.Rows, z.Cols, a.N)
	case len(res.Values) != z.Cols:
		return a, nil, false, fmt.Errorf("%s: %s for %s in %s",
			inputName(files[1]), plural(len(res.Values), "value"), plural(z.Cols, "vector"), inputName(files[2]))
	}
	res.Vectors = z
	return a, res, d.Single || narrow, nil
}

// readValues reads a file of eigenvalues. `empty` says that the file should have no values, because
// the matrix has order 0.
func (j *checkJob) readValues(ctx context.Context, file string, empty bool, show *progress) ([]float64, error) {
	show.stage("reading " + inputName(file))
	return unlessDone(ctx, func() ([]float64, error) {
		if empty && file != streamWord && isEmpty(file) {
			return nil, nil // solve writes an empty file for no values; matio does not read empty files
		}
		values, err := readVector(file, j.stdin)
		if format := (*matio.FormatError)(nil); errors.As(err, &format) && strings.HasPrefix(format.Msg, "not a vector") {
			err = fmt.Errorf("%w; the order of the files is MATRIX VALUES VECTORS", err)
		}
		return values, err
	})
}

// readVectors reads a matrix of vectors. It also tells whether the vectors are in single precision
// in the file.
func (j *checkJob) readVectors(ctx context.Context, file string, rows, cols int, show *progress) (*evd.Dense[float64], bool, error) {
	show.stage("reading " + inputName(file))
	d, err := readVectors(ctx, file, j.stdin, rows, cols)
	if err != nil {
		return nil, false, err
	}
	return &evd.Dense[float64]{Rows: d.Rows, Cols: d.Cols, Ld: max(d.Rows, 1), Data: d.Data}, d.Single, nil
}

// leastNormOf is leastNorm of float32 if `single` is true, and otherwise of float64.
func leastNormOf(single bool) float64 {
	if single {
		return leastNorm[float32]()
	}
	return leastNorm[float64]()
}

func (j *checkJob) measure(
	ctx context.Context, a evd.Sym[float64], res *evd.Result[float64], single bool, log io.Writer, show *progress,
) (measures, error) {
	if res.Vectors == nil {
		return sums(a, res.Values, leastNormOf(single)), nil
	}
	if j.host || res.Vectors.Cols < a.N {
		show.stage("checking on the host")
		return unlessDone(ctx, func() (measures, error) { return onHost(a, res), nil })
	}
	show.stage("preparing the device")
	dev, p, err := prepare(ctx, j.session, j.device(), log, vectorsPlan(a.N))
	if as[*vk.UnsupportedError](err) && !as[*deviceError](err) { // such as a device without double precision
		show.stage("checking on the host")
		return unlessDone(ctx, func() (measures, error) { return onHost(a, res), nil })
	}
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	defer p.Close()
	show.stage("checking")
	return measured(ctx, p, a, res)
}

// onHost measures the errors of a result on the host, with the functions of package ratio, which
// the tests use, too. Both triangles of the matrix `a` must be set.
func onHost(a evd.Sym[float64], res *evd.Result[float64]) measures {
	z := res.Vectors
	return ratios(evd.Ratios{
		Residual:      ratio.Residual(a.N, z.Cols, a.Data, a.Ld, res.Values, z.Data, z.Ld),
		Orthogonality: ratio.Orthogonality(a.N, z.Cols, z.Data, z.Ld),
	})
}
