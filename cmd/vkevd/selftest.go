package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/vk"
)

// A selftestJob is one call of vkevd selftest.
type selftestJob struct {
	*session
	device func() string
	orders []int
	kinds  []matgen.DenseKind
	solver string
	rows   string // path of the rows in JSON, "" for none
}

func selftestCommand(s *session) *cobra.Command {
	j := &selftestJob{session: s}
	cmd := &cobra.Command{
		Use:               "selftest [flags] [KIND…]",
		Args:              j.check,
		ValidArgsFunction: words(kindNames()),
		RunE:              func(cmd *cobra.Command, _ []string) error { return j.run(cmd.Context()) },
	}
	j.device = deviceFlag(cmd, s)
	f := cmd.Flags()
	f.IntSliceVarP(&j.orders, "n", "n", []int{21, 150}, "orders `N` of the matrices")
	f.Lookup("n").DefValue = "21,150" // as a user writes it
	f.StringVar(&j.solver, "solver", evd.Auto.String(), "`METHOD` for the tridiagonal problem, as in solve")
	completeSolver(cmd)
	rowsFlag(cmd, &j.rows, "the ratios of each matrix")
	return cmd
}

// check returns an error for wrong flags of vkevd selftest. It also stores which kinds of test
// matrices the flags select.
func (j *selftestJob) check(cmd *cobra.Command, args []string) error {
	if solver, err := evd.ParseSolver(j.solver); err != nil || !solver.Vectors() {
		return usage(cmd, "--solver: %q is not a method that finds vectors", j.solver)
	}
	if len(j.orders) == 0 || slices.Min(j.orders) < 0 {
		return usage(cmd, "--n needs orders of matrices, none negative")
	}
	if err := checkOrders(j.orders...); err != nil {
		return usage(cmd, "%w", err)
	}
	for _, part := range args {
		if !slices.ContainsFunc(kindNames(), func(name string) bool { return strings.Contains(name, part) }) {
			return usage(cmd, "no kind of matrix has %q in its name", part)
		}
	}
	for _, k := range matgen.Dense() {
		if len(args) == 0 || slices.ContainsFunc(args, func(part string) bool { return strings.Contains(k.Name(), part) }) {
			j.kinds = append(j.kinds, k)
		}
	}
	return nil
}

func kindNames() (names []string) {
	for _, k := range matgen.Dense() {
		names = append(names, k.Name())
	}
	return names
}

func (j *selftestJob) run(ctx context.Context) error {
	return measuring(ctx, j.session, verbosity{}, j.rows, func(rows *rowFile, show *progress) error { return j.all(ctx, rows, show) })
}

func (j *selftestJob) all(ctx context.Context, rows *rowFile, show *progress) error {
	dev, err := j.open(vk.Options{Device: j.device()}, j.stderr)
	if err != nil {
		return err
	}
	defer dev.Close()
	report := &selftestReport{w: rows.table(j.session), file: rows}
	if err := report.head(dev.Info()); err != nil {
		return err
	}
	for _, n := range j.orders {
		if err := j.order(ctx, dev, n, report, show); err != nil {
			return err
		}
	}
	show.end()
	return report.end()
}

// order solves the test matrices of all kinds for one order, with two plans: one with vectors, and
// one for values only.
func (j *selftestJob) order(ctx context.Context, dev device, n int, report *selftestReport, show *progress) error {
	if j.terminal {
		show.stage(fmt.Sprintf("preparing for n = %d", n))
	}
	var plans [2]solver
	for i := range plans {
		opt := evd.Options{Vectors: i == 0, Progress: func(evd.Progress) {}}
		if opt.Vectors {
			opt.Solver, _ = evd.ParseSolver(j.solver) // no error: check has tried it
		}
		p, err := planOf[solver](dev, task{n: n, evd: opt})
		if err != nil {
			return err
		}
		defer p.Close()
		plans[i] = p
	}
	for _, kind := range j.kinds {
		if j.terminal { // if standard error is no terminal, the rows of the table show the progress
			show.stage(fmt.Sprintf("%s, n = %d", kind.Name(), n))
		}
		row := selftestRow{Kind: kind.Name(), N: n}
		row.measure(ctx, plans[0], plans[1], kind)
		if err := ctx.Err(); err != nil {
			return err
		}
		show.end()
		if err := report.add(row); err != nil {
			return err
		}
	}
	return nil
}

// measure solves a test matrix of one kind, with and without vectors, and stores the error ratios.
func (r *selftestRow) measure(ctx context.Context, vectors, values solver, kind matgen.DenseKind) {
	n := r.N
	a := evd.Sym[float64]{N: n, Ld: max(n, 1), Data: kind.Dense(n)}
	res, err := vectors.Solve(ctx, a)
	var alone *evd.Result[float64]
	if err == nil {
		alone, err = values.Solve(ctx, a)
	}
	if err != nil {
		r.Error = describe(err)
		return
	}
	r.Ratios = measures{
		{"residual", "", ratio.Residual(n, n, a.Data, a.Ld, res.Values, res.Vectors.Data, res.Vectors.Ld)},
		{"orthogonality", "", ratio.Orthogonality(n, n, res.Vectors.Data, res.Vectors.Ld)},
	}
	if want, known := kind.Eigenvalues(n); known {
		r.Ratios = append(r.Ratios, measure{"values", "", ratio.Values(n, res.Values, want, norm(want))})
	}
	r.Ratios = append(r.Ratios, measure{"alone", "", ratio.Values(n, alone.Values, res.Values, norm(res.Values))})
}

// norm is the norm ‖A‖₂ of a symmetric matrix A with the given eigenvalues.
func norm(values []float64) float64 {
	most := 0.0
	for _, v := range values {
		most = max(most, math.Abs(v))
	}
	return most
}
