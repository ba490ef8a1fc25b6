package trial

import (
	"cmp"
	"context"
	"fmt"
	"io"
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

type selftestJob struct {
	*cli.Session
	device     func() string
	orders     []int
	kinds      []matgen.DenseKind
	hermitians []matgen.HermitianKind
	solver     string
	rows       string // path of the rows in JSON, "" for none
}

func SelftestCommand(s *cli.Session) *cobra.Command {
	j := &selftestJob{Session: s}
	cmd := &cobra.Command{
		Use:               "selftest [flags] [KIND…]",
		Args:              j.check,
		ValidArgsFunction: cli.Words(cli.KindNames()),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.Measuring(cmd.Context(), s, cli.Verbosity{}, j.rows, j.all)
		},
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

// check checks the flags, and stores the kinds of test matrices that the arguments select.
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
	j.kinds, j.hermitians = named(matgen.Dense(), args), named(matgen.Hermitians(), args)
	for _, part := range args {
		one := []string{part}
		if len(named(matgen.Dense(), one))+len(named(matgen.Hermitians(), one)) == 0 {
			return cli.Usage(cmd, "no kind of matrix has %q in its name", part)
		}
	}
	return nil
}

// named returns the kinds that have one of the parts in their names, or all kinds if there are no
// parts.
func named[K interface{ Name() string }](all []K, parts []string) (kinds []K) {
	for _, k := range all {
		if len(parts) == 0 || slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(k.Name(), part) }) {
			kinds = append(kinds, k)
		}
	}
	return kinds
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
		if err := cmp.Or(solveKinds(ctx, j, dev, n, j.kinds, report, show), solveKinds(ctx, j, dev, n, j.hermitians, report, show)); err != nil {
			return err
		}
	}
	show.End()
	return report.end()
}

// A matrixKind is a family of test matrices.
type matrixKind[T any] interface {
	Name() string
	Dense(n int) []T
	Eigenvalues(n int) (values []float64, known bool)
}

// solveKinds solves matrices of order n of all given kinds, with two plans: one with vectors, and
// one for values only.
func solveKinds[T ratio.Number, K matrixKind[T]](
	ctx context.Context, j *selftestJob, dev machine.Device, n int, kinds []K, report *selftestReport, show *cli.Progress,
) error {
	if len(kinds) == 0 {
		return nil
	}
	if j.Terminal {
		show.Stage(fmt.Sprintf("preparing for n = %d", n))
	}
	var plans [2]machine.DenseSolver[T]
	for i := range plans {
		opt := evd.Options{Vectors: i == 0, Progress: func(evd.Progress) {}}
		if opt.Vectors {
			opt.Solver, _ = evd.ParseSolver(j.solver) // no error: check has tried it
		}
		p, err := machine.PlanOf[machine.DenseSolver[T]](dev, machine.Task{Kind: machine.KindOf[T](), N: n, Evd: opt})
		if err != nil {
			return err
		}
		defer p.Close()
		plans[i] = p
	}
	for _, kind := range kinds {
		if j.Terminal { // if standard error is no terminal, the rows of the table show the progress
			show.Stage(fmt.Sprintf("%s, n = %d", kind.Name(), n))
		}
		row := selftestRow{Kind: kind.Name(), N: n}
		measureRow(ctx, &row, plans[0], plans[1], kind)
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

func measureRow[T ratio.Number](ctx context.Context, r *selftestRow, vectors, values machine.DenseSolver[T], kind matrixKind[T]) {
	n := r.N
	a := evd.Sym[T]{N: n, Ld: max(n, 1), Data: kind.Dense(n)}
	res, err := vectors.Solve(ctx, a)
	var alone *evd.Result[T]
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

type selftestRow struct {
	Kind   string          `json:"kind"`
	N      int             `json:"n"`
	Ratios report.Measures `json:"ratios,omitempty"`
	Error  string          `json:"error,omitempty"`
}

func (r *selftestRow) ok() bool { return r.Error == "" && r.Ratios.Verdict() == nil }

type selftestError struct{ failed, of int }

func (e *selftestError) Error() string {
	return fmt.Sprintf("selftest failed: %d of %d matrices", e.failed, e.of)
}

func (e *selftestError) Status() int { return cli.StatusNumerical }

type selftestReport struct {
	w          io.Writer
	file       *cli.RowFile
	rows, poor int
	worst      map[string]selftestWorst
}

type selftestWorst struct {
	ratio float64
	where string
}

// selftestColumns are the ratios in the order of the table's columns.
var selftestColumns = []string{"residual", "orthogonality", "values", "alone"}

const selftestFormat = "%-28s %6v %10s %10s %10s %10s%s\n"

func (t *selftestReport) head(info vk.Info) error {
	return t.Print("%s, %s\n"+selftestFormat, cli.Printable(info.Name), cli.Printable(cli.DriverOf(info)),
		"kind", "n", "residual", "orthog.", "values", "alone", "")
}

func (t *selftestReport) Print(format string, args ...any) error {
	_, err := fmt.Fprintf(t.w, format, args...)
	return cli.CannotWrite("standard output", err)
}

func (t *selftestReport) add(r selftestRow) error {
	t.rows++
	if !r.ok() {
		t.poor++
	}
	t.remember(r)
	if err := t.file.Add(r); err != nil {
		return err
	}
	verdict := "  ok"
	switch {
	case r.Error != "":
		verdict = "  FAILED: " + r.Error
	case !r.ok():
		verdict = "  FAILED"
	}
	cells := map[string]string{}
	for _, m := range r.Ratios {
		cells[m.Name] = fmt.Sprintf("%.3g", m.Ratio)
	}
	args := []any{r.Kind, r.N}
	for _, c := range selftestColumns {
		if cells[c] == "" {
			cells[c] = "–"
		}
		args = append(args, cells[c])
	}
	return t.Print(selftestFormat, append(args, verdict)...)
}

func (t *selftestReport) remember(r selftestRow) {
	if t.worst == nil {
		t.worst = map[string]selftestWorst{}
	}
	for _, m := range r.Ratios {
		ratio := m.Ratio
		if math.IsNaN(ratio) {
			ratio = math.Inf(1)
		}
		if old, seen := t.worst[m.Name]; !seen || ratio > old.ratio {
			t.worst[m.Name] = selftestWorst{ratio, fmt.Sprintf("%s, n = %d", r.Kind, r.N)}
		}
	}
}

// `end` prints the largest ratios and the number of solved matrices. If a matrix failed, it returns
// a *selftestError.
func (t *selftestReport) end() error {
	for _, c := range selftestColumns {
		if w, seen := t.worst[c]; seen {
			if err := t.Print("worst %-14s %10.3g  of %s\n", c, w.ratio, w.where); err != nil {
				return err
			}
		}
	}
	err := t.Print("%d of %d matrices solved, all measures below %d\n", t.rows-t.poor, t.rows, evd.Threshold)
	if err != nil {
		return err
	}
	if t.poor > 0 {
		return &selftestError{t.poor, t.rows}
	}
	return nil
}
