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
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/evd/pencil"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

type checkJob struct {
	*cli.Session
	device    func() string
	input     matrixInput
	json      *cli.JsonOutput
	verbosity cli.Verbosity
	host      bool
	svd       bool
	pair      pairFlags
	summary   io.Writer // for what is shown with --verbose
}

func checkCommand(s *cli.Session) *cobra.Command {
	j := &checkJob{Session: s}
	cmd := &cobra.Command{
		Use: "check [flags] MATRIX VALUES [VECTORS | U V]",
		Args: func(cmd *cobra.Command, args []string) error {
			if j.pair.b != "" && len(args) != 3 {
				return cli.Usage(cmd, "check --b takes MATRIX, VALUES and VECTORS, not %s", cli.Plural(len(args), "file"))
			}
			if j.svd && len(args) != 2 && len(args) != 4 {
				return cli.Usage(cmd, "check --svd takes MATRIX and VALUES, or MATRIX, VALUES, U and V, not %s", cli.Plural(len(args), "file"))
			}
			if !j.svd && len(args) != 2 && len(args) != 3 {
				return cli.Usage(cmd, "check takes MATRIX, VALUES and optionally VECTORS, not %s", cli.Plural(len(args), "file"))
			}
			if first := slices.Index(args, cli.StreamWord); first >= 0 && slices.Contains(args[first+1:], cli.StreamWord) {
				return cli.Usage(cmd, "only one of the files can be standard input")
			}
			return j.pair.check(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := j.input.check(cmd); err != nil {
				return err
			}
			if j.svd {
				return j.run(cmd.Context(), args, j.singular)
			}
			if j.pair.b != "" {
				return j.run(cmd.Context(), args, j.generalized)
			}
			return j.run(cmd.Context(), args, j.symmetric)
		},
	}
	j.device = cli.DeviceFlag(cmd, s)
	j.input.flags(cmd)
	j.pair.flags(cmd)
	j.json = cli.JsonFlag(cmd, "the ratios")
	f := cmd.Flags()
	f.BoolVar(&j.svd, "svd", false, "VALUES are singular values, and the files after them U and V")
	f.BoolVar(&j.host, "host", false, "compute on the host; no device is needed")
	j.verbosity.Flags(cmd)
	return cmd
}

func (j *checkJob) run(ctx context.Context, files []string, measure func(context.Context, []string, *cli.Progress) (report.Measures, error)) error {
	if err := j.json.Open(j.Stdout, append(files, j.pair.files()...)...); err != nil {
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

func (j *checkJob) symmetric(ctx context.Context, files []string, show *cli.Progress) (report.Measures, error) {
	show.Stage("reading " + cli.InputName(files[0]))
	a, err := j.input.read(ctx, files[0], j.Stdin, show.Above())
	if err != nil {
		return nil, err
	}
	if z := a.complex; z != nil {
		return checkSymmetric(ctx, j, files, evd.NewSym(z.Rows, z.Data, evd.Lower), z.Single, j.readComplexVectors, show)
	}
	d := a.real
	report.TableOf(d.Rows, d.Cols, d.Table).Print(j.summary, cli.InputName(files[0]))
	return checkSymmetric(ctx, j, files, evd.NewSym(d.Rows, d.Data, evd.Lower), d.Single, j.readVectors, show)
}

// A vectorsReader reads a matrix of vectors, and tells whether the file has single precision.
type vectorsReader[T evd.Number] func(ctx context.Context, file string, rows, cols int, show *cli.Progress) (*evd.Dense[T], bool, error)

// checkSymmetric reads the result for the matrix `a` from the files after the first one, and
// measures it. `single` tells whether the file of the matrix has single precision.
func checkSymmetric[T ratio.Number](
	ctx context.Context, j *checkJob, files []string, a evd.Sym[T], single bool, read vectorsReader[T], show *cli.Progress,
) (report.Measures, error) {
	res, narrow, err := readResult(ctx, j, files, a.N, read, show)
	if err != nil {
		return nil, err
	}
	single = single || narrow
	found, err := measureSymmetric(ctx, j, a, res, single, show)
	if err != nil {
		return nil, aboutMatrix(files[0], a.N, err)
	}
	return report.InUnits(found, single, a.N, a.N, a.Data), nil
}

// readResult reads values from files[1], and vectors from files[2] if there is a third file. It
// returns an error if their sizes do not match the order n of the matrix. `single` tells whether
// the vectors are in single precision.
func readResult[T evd.Number](
	ctx context.Context, j *checkJob, files []string, n int, read vectorsReader[T], show *cli.Progress,
) (_ *evd.Result[T], single bool, err error) {
	res := &evd.Result[T]{}
	if res.Values, err = j.readValues(ctx, files[1], n == 0, show); err != nil {
		return nil, false, err
	}
	if len(files) < 3 {
		if len(res.Values) != n {
			hint := ""
			if len(res.Values) < n {
				hint = "; a part of the eigenvalues can only be checked with VECTORS"
			}
			return nil, false, fmt.Errorf("%s: %s for a matrix of order %d%s",
				cli.InputName(files[1]), cli.Plural(len(res.Values), "value"), n, hint)
		}
		return res, false, nil
	}
	z, single, err := read(ctx, files[2], n, len(res.Values), show)
	if err != nil {
		return nil, false, err
	}
	switch {
	case z.Rows != n || z.Cols > n:
		return nil, false, fmt.Errorf("%s: %d by %d elements cannot be eigenvectors of a matrix of order %d",
			cli.InputName(files[2]), z.Rows, z.Cols, n)
	case len(res.Values) != z.Cols:
		return nil, false, fmt.Errorf("%s: %s for %s in %s",
			cli.InputName(files[1]), cli.Plural(len(res.Values), "value"), cli.Plural(z.Cols, "vector"), cli.InputName(files[2]))
	}
	res.Vectors = z
	return res, single, nil
}

// readValues reads a file of values. If `empty` is true, the matrix has no values, and the file may
// be empty.
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

func (j *checkJob) readVectors(ctx context.Context, file string, rows, cols int, show *cli.Progress) (*evd.Dense[float64], bool, error) {
	return readRealVectors(ctx, file, j.Stdin, rows, cols, show)
}

func (j *checkJob) readComplexVectors(ctx context.Context, file string, rows, cols int, show *cli.Progress) (*evd.Dense[complex128], bool, error) {
	return readComplexVectors(ctx, file, j.Stdin, rows, cols, show)
}

func leastNormOf(single bool) float64 {
	if single {
		return report.LeastNorm[float32]()
	}
	return report.LeastNorm[float64]()
}

func measureSymmetric[T ratio.Number](
	ctx context.Context, j *checkJob, a evd.Sym[T], res *evd.Result[T], single bool, show *cli.Progress,
) (report.Measures, error) {
	if res.Vectors == nil {
		return report.Sums(a, res.Values, leastNormOf(single)), nil
	}
	return measureOn(ctx, j, show, j.host || res.Vectors.Cols < a.N, func() report.Measures { return report.OnHost(a, res) },
		cli.VectorsPlan[T](a.N), func(p machine.DenseSolver[T]) (report.Measures, error) { return report.Measured(ctx, p, a, res) })
}

// measureOn measures a result on the device, or on the host if `host` is true or if the device does
// not support the plan, for example without double precision. The host cannot measure if `onHost`
// is nil.
func measureOn[P machine.Planned](
	ctx context.Context, j *checkJob, show *cli.Progress, host bool, onHost func() report.Measures,
	plan func(machine.Device) (P, error), onDevice func(P) (report.Measures, error),
) (report.Measures, error) {
	measure := func() (report.Measures, error) {
		show.Stage("checking on the host")
		return cli.UnlessDone(ctx, func() (report.Measures, error) { return onHost(), nil })
	}
	if host {
		return measure()
	}
	show.Stage("preparing the device")
	dev, p, err := cli.Prepare(ctx, j.Session, j.device(), show.Above(), plan)
	if cli.As[*vk.UnsupportedError](err) && !cli.As[*cli.DeviceError](err) && onHost != nil {
		return measure()
	}
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	defer p.Close()
	show.Stage("checking")
	return onDevice(p)
}

// generalized measures a result of the pair of two matrices.
func (j *checkJob) generalized(ctx context.Context, files []string, show *cli.Progress) (report.Measures, error) {
	show.Stage("reading " + cli.InputName(files[0]))
	of, err := j.input.readPair(ctx, [2]string{files[0], j.pair.b}, j.Stdin, show.Above())
	if err != nil {
		return nil, err
	}
	n, single := of[0].order(), of[0].single() && of[1].single()
	if of[0].isReal() && of[1].isReal() {
		return checkPair(ctx, j, files, evd.NewSym(n, of[0].real.Data, evd.Lower), evd.NewSym(n, of[1].real.Data, evd.Lower), single, j.readVectors, show)
	}
	return checkPair(ctx, j, files, evd.NewSym(n, of[0].asComplex().Data, evd.Lower), evd.NewSym(n, of[1].asComplex().Data, evd.Lower), single, j.readComplexVectors, show)
}

// checkPair is checkSymmetric for the pair of the matrices `a` and `b`.
func checkPair[T ratio.Number](
	ctx context.Context, j *checkJob, files []string, a, b evd.Sym[T], single bool, read vectorsReader[T], show *cli.Progress,
) (report.Measures, error) {
	res, narrow, err := readResult(ctx, j, files, a.N, read, show)
	if err != nil {
		return nil, err
	}
	of, drops := j.pair.pairType(), j.pair.drops()
	var onHost func() report.Measures
	if of.Pencil() == pencil.AxLBx && !drops.Canonical {
		onHost = func() report.Measures { return report.PairOnHost(a, b, res) }
	}
	found, err := measureOn(ctx, j, show, j.host, onHost, func(dev machine.Device) (machine.PairSolver[T], error) {
		return machine.PlanOf[machine.PairSolver[T]](dev, machine.Task{Kind: machine.KindOf[T](), Type: of, Overlap: drops, N: a.N, Evd: evd.Options{Vectors: true}})
	}, func(p machine.PairSolver[T]) (report.Measures, error) {
		if of.Pencil() == pencil.BAxLx || drops.Canonical {
			if _, err := p.Factor(ctx, b); err != nil {
				return nil, err
			}
		}
		r, err := p.Check(ctx, a, b, &pencil.Result[T]{Result: *res})
		return report.PairRatios(of, drops, r), err
	})
	if err != nil {
		return nil, j.pair.about(files[0], a.N, err)
	}
	return report.InUnits(found, single || narrow, a.N, a.N, a.Data), nil
}

func (j *checkJob) singular(ctx context.Context, files []string, show *cli.Progress) (report.Measures, error) {
	show.Stage("reading " + cli.InputName(files[0]))
	either, err := j.input.readAnyShape(ctx, files[0], j.Stdin)
	if err != nil {
		return nil, err
	}
	if z := either.complex; z != nil {
		a := evd.Dense[complex128]{Rows: z.Rows, Cols: z.Cols, Ld: max(z.Rows, 1), Data: z.Data}
		return checkSingular(ctx, j, files, a, z.Single, j.readComplexVectors, show)
	}
	d := either.real
	report.TableOf(d.Rows, d.Cols, d.Table).Print(j.summary, cli.InputName(files[0]))
	a := evd.Dense[float64]{Rows: d.Rows, Cols: d.Cols, Ld: max(d.Rows, 1), Data: d.Data}
	return checkSingular(ctx, j, files, a, d.Single, j.readVectors, show)
}

// checkSingular reads the result for the matrix `a` from the files after the first one, and measures
// it. `single` tells whether the file of the matrix has single precision.
func checkSingular[T ratio.Number](
	ctx context.Context, j *checkJob, files []string, a evd.Dense[T], single bool, read vectorsReader[T], show *cli.Progress,
) (report.Measures, error) {
	res, opt, narrow, err := readSingular(ctx, j, files, a, read, show)
	if err != nil {
		return nil, err
	}
	single = single || narrow
	found, err := measureSingular(ctx, j, files[0], a, res, opt, single, show)
	return report.InUnits(found, single, a.Rows, a.Cols, a.Data), err
}

// measureSingular measures a result whose sizes match the matrix, in units of the ε of double
// precision.
func measureSingular[T ratio.Number](
	ctx context.Context, j *checkJob, file string, a evd.Dense[T], res *svd.Result[T], opt svd.Options, single bool, show *cli.Progress,
) (report.Measures, error) {
	if res.U == nil {
		return report.Measures{{Name: "squares", Formula: squaresFormula, Ratio: squares(a, res.Values, leastNormOf(single))}}, nil
	}
	found, err := measureOn(ctx, j, show, j.host || len(res.Values) == 0, func() report.Measures { return singularOnHost(a, res) },
		func(dev machine.Device) (machine.SingularSolver[T], error) {
			return machine.PlanOf[machine.SingularSolver[T]](dev, machine.Task{Kind: machine.SingularKindOf[T](), Shape: machine.SingularShape{M: a.Rows, N: a.Cols}, Svd: opt})
		}, func(p machine.SingularSolver[T]) (report.Measures, error) {
			r, err := p.Check(ctx, a, res)
			return singularRatios[T](r), err
		})
	if err != nil {
		return nil, aboutRectangle(file, a.Rows, a.Cols, err)
	}
	return found, nil
}

// readSingular reads a result and checks that its sizes match the matrix. It also returns options
// for a plan that can measure the result. `narrow` tells whether vectors are in single precision.
func readSingular[T ratio.Number](
	ctx context.Context, j *checkJob, files []string, a evd.Dense[T], read vectorsReader[T], show *cli.Progress,
) (_ *svd.Result[T], opt svd.Options, narrow bool, err error) {
	res, few := &svd.Result[T]{}, min(a.Rows, a.Cols)
	if res.Values, err = j.readValues(ctx, files[1], few == 0, show); err != nil {
		return nil, opt, false, err
	}
	k := len(res.Values)
	wrong := func(format string, args ...any) (*svd.Result[T], svd.Options, bool, error) {
		return nil, opt, false, fmt.Errorf(format+" of a matrix of %d by %d", append(args, a.Rows, a.Cols)...)
	}
	if len(files) == 2 && k != few || k > few {
		return wrong("%s: %s cannot be all singular values", cli.InputName(files[1]), cli.Plural(k, "value"))
	}
	if len(files) == 2 {
		return res, opt, false, nil
	}
	var narrowV bool
	if res.U, narrow, err = read(ctx, files[2], a.Rows, k, show); err != nil {
		return nil, opt, false, err
	}
	if res.V, narrowV, err = read(ctx, files[3], a.Cols, k, show); err != nil {
		return nil, opt, false, err
	}
	for i, c := range []struct {
		z      *evd.Dense[T]
		rows   int
		wanted *svd.Vectors
	}{{res.U, a.Rows, &opt.U}, {res.V, a.Cols, &opt.V}} {
		switch full := k == few && c.z.Cols == c.rows; {
		case c.z.Rows != c.rows || c.z.Cols != k && !full:
			return wrong("%s: %d by %d elements cannot be the singular vectors to %s", cli.InputName(files[2+i]), c.z.Rows, c.z.Cols, cli.Plural(k, "value"))
		case full:
			*c.wanted = svd.Full
		default:
			*c.wanted = svd.Thin
		}
	}
	if k < few {
		opt.Largest = k
	}
	return res, opt, narrow || narrowV, nil
}

func singularOnHost[T ratio.Number](a evd.Dense[T], res *svd.Result[T]) report.Measures {
	u, v, k := res.U, res.V, len(res.Values)
	return singularRatios[T](svd.Ratios{
		Residual: ratio.SingularResidual(a.Rows, a.Cols, k, a.Data, a.Ld, res.Values, u.Data, u.Ld, v.Data, v.Ld),
		Left:     ratio.Orthogonality(u.Rows, u.Cols, u.Data, u.Ld),
		Right:    ratio.Orthogonality(v.Rows, v.Cols, v.Data, v.Ld),
	})
}
