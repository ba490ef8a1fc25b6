package trial

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/vk"
)

// A selftestJob is one call of vkevd selftest.
type selftestJob struct {
	*cli.Session
	device func() string
	orders []int
	kinds  []matgen.DenseKind
	solver string
	rows   string // path of the rows in JSON, "" for none
}

func SelftestCommand(s *cli.Session) *cobra.Command {
	j := &selftestJob{Session: s}
	cmd := &cobra.Command{
		Use:               "selftest [flags] [KIND…]",
		Args:              j.check,
		ValidArgsFunction: cli.Words(cli.KindNames()),
		RunE:              func(cmd *cobra.Command, _ []string) error { return j.run(cmd.Context()) },
	}
	j.device = cli.DeviceFlag(cmd, s)
	f := cmd.Flags()
	f.IntSliceVarP(&j.orders, "n", "n", []int{21, 150}, "orders `N` of the matrices")
	f.Lookup("n").DefValue = "21,150" // as a user writes it
	f.StringVar(&j.solver, "solver", evd.Auto.String(), "`METHOD` for the tridiagonal problem, as in solve")
	cli.CompleteSolver(cmd)
	cli.RowsFlag(cmd, &j.rows, "the ratios of each matrix")
	return cmd
}

// check returns an error for wrong flags of vkevd selftest. It also stores which kinds of test
// matrices the flags select.
func (j *selftestJob) check(cmd *cobra.Command, args []string) error {
	if solver, err := evd.ParseSolver(j.solver); err != nil || !solver.Vectors() {
		return cli.Usage(cmd, "--solver: %q is not a method that finds vectors", j.solver)
	}
	if len(j.orders) == 0 || slices.Min(j.orders) < 0 {
		return cli.Usage(cmd, "--n needs orders of matrices, none negative")
	}
	if err := cli.CheckOrders(j.orders...); err != nil {
		return cli.Usage(cmd, "%w", err)
	}
	for _, part := range args {
		if !slices.ContainsFunc(cli.KindNames(), func(name string) bool { return strings.Contains(name, part) }) {
			return cli.Usage(cmd, "no kind of matrix has %q in its name", part)
		}
	}
	for _, k := range matgen.Dense() {
		if len(args) == 0 || slices.ContainsFunc(args, func(part string) bool { return strings.Contains(k.Name(), part) }) {
			j.kinds = append(j.kinds, k)
		}
	}
	return nil
}

func (j *selftestJob) run(ctx context.Context) error {
	return cli.Measuring(ctx, j.Session, cli.Verbosity{}, j.rows, func(rows *cli.RowFile, show *cli.Progress) error { return j.all(ctx, rows, show) })
}

func (j *selftestJob) all(ctx context.Context, rows *cli.RowFile, show *cli.Progress) error {
	dev, err := j.Open(vk.Options{Device: j.device()}, j.Stderr)
	if err != nil {
		return err
	}
	defer dev.Close()
	report := &selftestReport{w: rows.Table(j.Session), file: rows}
	if err := report.head(dev.Info()); err != nil {
		return err
	}
	for _, n := range j.orders {
		if err := j.Order(ctx, dev, n, report, show); err != nil {
			return err
		}
	}
	show.End()
	return report.end()
}

// Order solves the test matrices of all kinds for one order, with two plans: one with vectors, and
// one for values only.
func (j *selftestJob) Order(ctx context.Context, dev machine.Device, n int, report *selftestReport, show *cli.Progress) error {
	if j.Terminal {
		show.Stage(fmt.Sprintf("preparing for n = %d", n))
	}
	var plans [2]machine.Solver
	for i := range plans {
		opt := evd.Options{Vectors: i == 0, Progress: func(evd.Progress) {}}
		if opt.Vectors {
			opt.Solver, _ = evd.ParseSolver(j.solver) // no error: check has tried it
		}
		p, err := machine.PlanOf[machine.Solver](dev, machine.Task{N: n, Evd: opt})
		if err != nil {
			return err
		}
		defer p.Close()
		plans[i] = p
	}
	for _, kind := range j.kinds {
		if j.Terminal { // if standard error is no terminal, the rows of the table show the progress
			show.Stage(fmt.Sprintf("%s, n = %d", kind.Name(), n))
		}
		row := selftestRow{Kind: kind.Name(), N: n}
		row.Measure(ctx, plans[0], plans[1], kind)
		if err := ctx.Err(); err != nil {
			return err
		}
		show.End()
		if err := report.add(row); err != nil {
			return err
		}
	}
	return nil
}

// Measure solves a test matrix of one kind, with and without vectors, and stores the error ratios.
func (r *selftestRow) Measure(ctx context.Context, vectors, values machine.Solver, kind matgen.DenseKind) {
	n := r.N
	a := evd.Sym[float64]{N: n, Ld: max(n, 1), Data: kind.Dense(n)}
	res, err := vectors.Solve(ctx, a)
	var alone *evd.Result[float64]
	if err == nil {
		alone, err = values.Solve(ctx, a)
	}
	if err != nil {
		r.Error = cli.Describe(err)
		return
	}
	r.Ratios = report.Measures{
		{Name: "residual", Ratio: ratio.Residual(n, n, a.Data, a.Ld, res.Values, res.Vectors.Data, res.Vectors.Ld)},
		{Name: "orthogonality", Ratio: ratio.Orthogonality(n, n, res.Vectors.Data, res.Vectors.Ld)},
	}
	if want, known := kind.Eigenvalues(n); known {
		r.Ratios = append(r.Ratios, report.Measure{Name: "values", Ratio: ratio.Values(n, res.Values, want, norm(want))})
	}
	r.Ratios = append(r.Ratios, report.Measure{Name: "alone", Ratio: ratio.Values(n, alone.Values, res.Values, norm(res.Values))})
}

func norm(values []float64) float64 {
	most := 0.0
	for _, v := range values {
		most = max(most, math.Abs(v))
	}
	return most
}
