package main

import (
	"context"
	"fmt"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/evd/svd"
)

// singular measures the errors of singular values for vkevd check, and of singular vectors if the
// user gives files of them.
func (j *checkJob) singular(ctx context.Context, files []string, show *cli.Progress) (report.Measures, error) {
	show.Stage("reading " + cli.InputName(files[0]))
	d, err := j.input.readAnyShape(ctx, files[0], j.Stdin)
	if err != nil {
		return nil, err
	}
	report.TableOf(d.Rows, d.Cols, d.Table).Print(j.summary, cli.InputName(files[0]))
	a := evd.Dense[float64]{Rows: d.Rows, Cols: d.Cols, Ld: max(d.Rows, 1), Data: d.Data}
	res, opt, narrow, err := j.readSingular(ctx, files, a, show)
	if err != nil {
		return nil, err
	}
	found, err := j.measureSingular(ctx, files[0], a, res, opt, d.Single || narrow, show)
	return found.InUnits(d.Single || narrow, a.Rows, a.Cols, a.Data), err
}

// measureSingular measures a result of which the sizes are known to match, in units of the ε of
// double precision.
func (j *checkJob) measureSingular(
	ctx context.Context, file string, a evd.Dense[float64], res *svd.Result[float64], opt svd.Options, single bool, show *cli.Progress,
) (report.Measures, error) {
	switch {
	case res.U == nil:
		return report.Measures{{Name: "squares", Formula: squaresFormula, Ratio: squares(a, res.Values, leastNormOf(single))}}, nil
	case j.host || len(res.Values) == 0:
		show.Stage("checking on the host")
		return cli.UnlessDone(ctx, func() (report.Measures, error) { return singularOnHost(a, res), nil })
	}
	show.Stage("preparing the device")
	dev, p, err := cli.Prepare(ctx, j.Session, j.device(), show.Above(), func(dev machine.Device) (machine.SingularSolver[float64], error) {
		return machine.PlanOf[machine.SingularSolver[float64]](dev, machine.Task{Kind: machine.KindSingular, Shape: machine.SingularShape{M: a.Rows, N: a.Cols}, Svd: opt})
	})
	if err != nil {
		return nil, aboutRectangle(file, a.Rows, a.Cols, err)
	}
	defer dev.Close()
	defer p.Close()
	show.Stage("checking")
	r, err := p.Check(ctx, a, res)
	if err != nil {
		return nil, aboutRectangle(file, a.Rows, a.Cols, err)
	}
	return singularRatios(r), nil
}

// readSingular reads singular values and vectors, and checks that their sizes match the matrix. The
// returned options are those of a plan that can measure these values and vectors. `narrow` tells
// whether vectors are in single precision.
func (j *checkJob) readSingular(ctx context.Context, files []string, a evd.Dense[float64], show *cli.Progress) (
	_ *svd.Result[float64], opt svd.Options, narrow bool, err error,
) {
	res, few := &svd.Result[float64]{}, min(a.Rows, a.Cols)
	if res.Values, err = j.readValues(ctx, files[1], few == 0, show); err != nil {
		return nil, opt, false, err
	}
	k := len(res.Values)
	wrong := func(format string, args ...any) (*svd.Result[float64], svd.Options, bool, error) {
		return nil, opt, false, fmt.Errorf(format+" of a matrix of %d by %d", append(args, a.Rows, a.Cols)...)
	}
	if len(files) == 2 && k != few || k > few {
		return wrong("%s: %s cannot be all singular values", cli.InputName(files[1]), cli.Plural(k, "value"))
	}
	if len(files) == 2 {
		return res, opt, false, nil
	}
	var narrowV bool
	if res.U, narrow, err = j.readVectors(ctx, files[2], a.Rows, k, show); err != nil {
		return nil, opt, false, err
	}
	if res.V, narrowV, err = j.readVectors(ctx, files[3], a.Cols, k, show); err != nil {
		return nil, opt, false, err
	}
	for i, c := range []struct {
		z      *evd.Dense[float64]
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

// singularOnHost measures the errors of a result on the host, with the functions of package ratio,
// which the tests use, too.
func singularOnHost(a evd.Dense[float64], res *svd.Result[float64]) report.Measures {
	u, v, k := res.U, res.V, len(res.Values)
	return singularRatios(svd.Ratios{
		Residual: ratio.SingularResidual(a.Rows, a.Cols, k, a.Data, a.Ld, res.Values, u.Data, u.Ld, v.Data, v.Ld),
		Left:     ratio.Orthogonality(u.Rows, u.Cols, u.Data, u.Ld),
		Right:    ratio.Orthogonality(v.Rows, v.Cols, v.Data, v.Ld),
	})
}
