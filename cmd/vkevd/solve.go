package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
)

type solveJob struct {
	fileJob
	input   matrixInput
	options options
	pair    pairFlags
	batch   bool
	start   string // path of approximate eigenvectors, "" for none
	engine  string
	vectors string // path of the output, "" for none
}

func solveCommand(s *cli.Session) *cobra.Command {
	j := &solveJob{fileJob: fileJob{Session: s}}
	cmd := &cobra.Command{
		Use:  "solve [flags] FILE",
		Args: cli.OneMatrix,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := j.checkUse(cmd, args); err != nil {
				return err
			}
			if j.engine != vulkanEngine {
				return j.runCluster(cmd.Context(), args[0])
			}
			return j.run(cmd.Context(), append(args, j.pair.files()...), []string{j.vectors}, func(ctx context.Context, known *report.Facts, show *cli.Progress) (work, error) {
				if j.batch {
					return readBatchWork(ctx, j, args[0], known, show)
				}
				return j.read(ctx, args[0], known, show)
			})
		},
	}
	j.device = cli.DevicesFlag(cmd, s)
	j.input.flags(cmd)
	j.options.flags(cmd)
	j.pair.flags(cmd)
	refineFlag(cmd, &j.pair.refine)
	engineFlag(cmd, &j.engine)
	f := cmd.Flags()
	f.StringVar(&j.values, "out-values", "", "also write the eigenvalues to `FILE`: .txt, .npy or .json; .txt says\nwhich part of a spectrum it has, and plot reads that")
	f.StringVar(&j.vectors, "out-vectors", "",
		"write the eigenvectors to `FILE`, column j to eigenvalue j: .npy in\n"+
			"Fortran order, .mtx, .csv or .txt; with --batch .npy or .npz")
	f.StringVar(&j.report, "report", "", "write device, memory, times (those of compiling each kernel, too),\nratios and MRRR statistics to `FILE`: .json")
	f.StringVar(&j.start, "start", "",
		"refine the approximate eigenvectors in `FILE`, n×n: column j belongs to\n"+
			"eigenvalue j")
	f.BoolVar(&j.batch, "batch", false, "FILE has many matrices: a stack in .npy, or a .npz file")
	f.BoolVar(&j.check, "check", false,
		"measure residual and orthogonality in LAPACK's ratios: below 60 is\n"+
			"good. With --values-only compare only Σλ with the trace and Σλ² with\n"+
			"the squared Frobenius norm. With --tridiagonal, certify the\n"+
			"values by Sturm counts, with or without vectors")
	j.flags(cmd, "eigenvalues")
	return cmd
}

// checkUse returns an error if the flags and the arguments do not fit each other. It is called
// before any file is opened.
func (j *solveJob) checkUse(cmd *cobra.Command, args []string) error {
	o := &j.options
	switch {
	case j.check && o.valuesOnly && j.pair.b != "":
		return cli.Usage(cmd, "--check of a pair needs vectors: it cannot be combined with --values-only")
	case j.check && o.valuesOnly && j.batch:
		return cli.Usage(cmd, "--check of a batch needs vectors: it cannot be combined with --values-only")
	case j.check && o.valuesOnly && !o.part.all() && !o.tridiagonal:
		return cli.Usage(cmd, "--check cannot judge a part of the values without vectors: it compares sums over all")
	case j.batch && cli.Ending(j.values) == ".json":
		return cli.Usage(cmd, "--out-values: %s: the values of a batch are written as .txt, .npy or .npz", j.values)
	}
	if j.start != "" && o.precision == "" { // --start refines to double precision, whatever the type of FILE is
		o.precision = cli.PrecisionDouble
	}
	if err := errors.Join(checkEngine(cmd, j.engine), j.CheckProcesses(cmd)); err != nil {
		return err
	}
	if err := errors.Join(o.check(cmd, j.wantsVectors()), j.input.check(cmd), j.pair.check(cmd, args)); err != nil {
		return err
	}
	return cmp.Or(
		cli.CheckEnding(cmd, "out-values", j.values, j.batchEndings(cli.ValuesEndings)),
		cli.CheckEnding(cmd, "out-vectors", j.vectors, j.vectorsEndings()),
		cli.CheckEnding(cmd, "report", j.report, cli.ReportEndings))
}

func (j *solveJob) wantsVectors() bool {
	return !j.options.valuesOnly && (j.options.vectors || j.vectors != "" || j.check || j.start != "" || j.pair.refine || j.options.verify || j.options.precision == cli.PrecisionMixed)
}

type options struct {
	vectors, valuesOnly bool
	part                part
	solver              string
	tridiagonal         bool
	precision           string
	band, block         int
	verify              bool
	distribute          bool
	productsFlags
}

func (o *options) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.vectors, "vectors", false, "compute eigenvectors, too")
	f.BoolVar(&o.valuesOnly, "values-only", false, "compute no eigenvectors")
	o.part.flags(f)
	f.StringVar(&o.solver, "solver", evd.Auto.String(),
		"`METHOD` for the tridiagonal problem: "+strings.Join(evd.Solvers(), ", ")+
			".\n"+
			"dc is divide and conquer; mrrr finds a part of the vectors faster;\n"+
			"bisection finds values only; qr runs on the host")
	cli.CompleteSolver(cmd)
	cli.PrecisionFlag(cmd, &o.precision, ". mixed solves in\nsingle precision, and refines all vectors to double precision", cli.PrecisionMixed)
	f.BoolVar(&o.tridiagonal, "tridiagonal", false, "the matrix is symmetric and tridiagonal already")
	f.BoolVar(&o.verify, "verify", false,
		"certify the result before it is written, vectors by ratios and values\n"+
			"by Sturm counts, and solve again on another path if that fails")
	f.BoolVar(&o.distribute, "distribute", false,
		"divide the matrix among the devices of --device, for a matrix that is\n"+
			"too large for one of them, or where that is faster (vkevd also does so\n"+
			"by itself)")
	f.IntVar(&o.band, "band", 0, "half-bandwidth `B` of the first stage (default: the device's tuning)")
	f.IntVar(&o.block, "block", 0,
		"rank `K` of the first stage's updates, a multiple of the half-bandwidth\n"+
			"(default: the device's tuning)")
	o.productsFlags.flags(cmd)
}

func (o *options) check(cmd *cobra.Command, vectors bool) error {
	solver, err := evd.ParseSolver(o.solver)
	if err != nil {
		return cli.Usage(cmd, "--solver: %q is unknown; there are %s", o.solver, strings.Join(evd.Solvers(), ", "))
	}
	if vectors && !solver.Vectors() {
		return cli.Usage(cmd, "--solver %s finds no vectors; add --values-only", solver)
	}
	if err := o.productsFlags.check(cmd); err != nil {
		return err
	}
	if err := cli.CheckPrecision(cmd, o.precision, cli.PrecisionMixed); err != nil {
		return err
	}
	if _, err := o.part.of(anyOrder); err != nil {
		return cli.Usage(cmd, "%w", err)
	}
	return nil
}

// anyOrder is used in place of the order of a matrix that has not been read yet. It is so large
// that every range of indices fits into it.
const anyOrder = math.MaxInt

// evd returns the library's options for a matrix of order n. The error says that the matrix does
// not have the selected part of the spectrum. The method `check` must have been called before.
func (o *options) evd(n int, vectors bool) (evd.Options, error) {
	solver, _ := evd.ParseSolver(o.solver)
	selection, err := o.part.of(n)
	return evd.Options{
		Vectors: vectors, Select: selection, Solver: solver, Band: o.band, Block: o.block, Verify: o.verify, Distribute: o.distribute,
		Products: o.chosen(), Moduli: o.moduli,
	}, err
}

// aboutOption converts an error about fields of the library's options to an error about flags. The
// error may name several fields, such as "Band, Block".
func aboutOption(err *evd.OptionError) error {
	flags := strings.ReplaceAll(strings.ToLower(err.Option), ", ", ", --")
	return fmt.Errorf("--%s: %s", flags, err.Reason)
}

type productsFlags struct {
	products string
	moduli   int
}

func (p *productsFlags) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.products, "products", evd.ProductsAuto.String(),
		"auto, native or emulated: `HOW` large products are computed, in the\n"+
			"device's double precision or on its integer units")
	f.IntVar(&p.moduli, "moduli", 0,
		"moduli `N` of emulated products for the vectors, 13 to 16 (default: 14);\n"+
			"the reduction has one less, but at least 13; complex matrices: one more")
}

func (p *productsFlags) check(cmd *cobra.Command) error {
	if _, err := evd.ParseProducts(p.products); err != nil {
		return cli.Usage(cmd, "--products: %q is not auto, native or emulated", p.products)
	}
	return nil
}

// chosen returns the products that --products selects. The method `check` must have been called
// before.
func (p *productsFlags) chosen() evd.Products {
	products, _ := evd.ParseProducts(p.products)
	return products
}

// A part is the part of the spectrum that a flag selects. The zero value is the whole spectrum.
type part struct {
	index, interval   string
	largest, smallest int
	given             []string // names of the flags, in their order on the command line
}

func (p *part) flags(f *pflag.FlagSet) {
	text := func(word *string) func(string) error {
		return func(value string) error {
			if value == "" { // an unset shell variable gives an empty value
				return &cli.ValueError{Reason: "it is empty"}
			}
			*word = value
			return nil
		}
	}
	count := func(number *int) func(string) error {
		return func(value string) error {
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				return &cli.ValueError{Reason: fmt.Sprintf("%q is not a whole number, at least 1", value)}
			}
			*number = n
			return nil
		}
	}
	for _, flag := range []struct {
		name  string
		set   func(string) error
		usage string
	}{
		{"index", text(&p.index), "only eigenvalues `I:J`: indices I to J−1, from 0 at the smallest, as in\n" +
			"Python. :10 is the ten smallest, -10: the ten largest, 10: all but\n" +
			"the ten smallest"},
		{"largest", count(&p.largest), "only the `K` largest eigenvalues, ascending"},
		{"smallest", count(&p.smallest), "only the `K` smallest eigenvalues"},
		{"interval", text(&p.interval), "only eigenvalues λ with A < λ ≤ B, for `A:B`; a missing end is\ninfinite"},
	} {
		f.Var(&partFlag{part: p, name: flag.name, set: flag.set}, flag.name, flag.usage)
	}
}

type partFlag struct {
	part  *part
	name  string
	set   func(string) error
	value string
}

func (f *partFlag) Set(value string) error {
	if err := f.set(value); err != nil {
		return err
	}
	f.value = value
	if len(f.part.given) == 0 || f.part.given[0] != f.name {
		f.part.given = append(f.part.given, f.name)
	}
	return nil
}

func (f *partFlag) String() string { return f.value }
func (f *partFlag) Type() string   { return "string" }

func (p part) all() bool { return len(p.given) == 0 }

func (p part) of(n int) (evd.Selection, error) {
	switch {
	case p.all():
		return evd.Selection{}, nil
	case len(p.given) > 1:
		return evd.Selection{}, fmt.Errorf("--%s cannot be combined with --%s", p.given[1], p.given[0])
	case p.given[0] == "interval":
		a, b, err := ends("--interval", p.interval, "A:B, two numbers such as -1:2.5", parseFloat, math.Inf(-1), math.Inf(1))
		if err == nil && !(a < b) { // the library returns the same error, but only after the matrix is read
			err = fmt.Errorf("--interval: (%v, %v] holds no number", a, b)
		}
		return evd.Interval(a, b), err
	}
	from, to, err := p.indices(n)
	if err != nil {
		return evd.Selection{}, err
	}
	return evd.Index(from, to), nil
}

// indices returns the range `from`:`to` of indices that --index, --largest or --smallest selects.
// The error says that the flag has no such form, or that a matrix of order n does not have these
// indices. One of these flags must be given.
func (p part) indices(n int) (from, to int, err error) {
	switch p.given[0] {
	case "largest":
		return atEnd("--largest", p.largest, n-p.largest, n, n)
	case "smallest":
		return atEnd("--smallest", p.smallest, 0, p.smallest, n)
	}
	from, to, err = ends("--index", p.index, "I:J, two indices such as 0:10", strconv.Atoi, 0, n)
	if err != nil {
		return 0, 0, err
	}
	return within("--index", p.index, fromEnd(from, n), fromEnd(to, n), n)
}

// count is the number of selected eigenvalues of a matrix of order n. The method `of` must have
// been called before and must have returned no error. For an interval the result is n, because an
// interval may contain all eigenvalues.
func (p part) count(n int) int {
	switch {
	case p.largest > 0:
		return p.largest
	case p.smallest > 0:
		return p.smallest
	case p.index != "":
		from, to, _ := ends("", p.index, "", strconv.Atoi, 0, n)
		return fromEnd(to, n) - fromEnd(from, n)
	}
	return n
}

// fromEnd counts a negative index from the end, as in Python.
func fromEnd(i, n int) int {
	if i < 0 {
		return n + i
	}
	return i
}

// atEnd returns `from` and `to`, the range of the k smallest or largest of n eigenvalues, or an
// error if k > n.
func atEnd(flag string, k, from, to, n int) (int, int, error) {
	if k > n {
		return 0, 0, fmt.Errorf("%s: %d is too many; the number of all eigenvalues is %d", flag, k, n)
	}
	return from, to, nil
}

// `within` returns the range `from`:`to`, or an error if it is not a range of indices of a matrix
// of order n. `value` is what the user wrote.
func within(flag, value string, from, to, n int) (int, int, error) {
	if from < 0 || to > n {
		return 0, 0, fmt.Errorf("%s: %s is outside 0:%d, the indices of all eigenvalues", flag, value, n)
	}
	counted := n != anyOrder || from < anyOrder/2 // false if from is an offset from the end of a spectrum of unknown order
	if from > to && counted {
		return 0, 0, fmt.Errorf("%s: %s ends before it begins (%d:%d)", flag, value, from, to)
	}
	return from, to, nil
}

// `ends` splits a range such as 3:7 at its colon, and parses both ends. A missing left end has the
// value `first`, and a missing right end has the value `last`.
func ends[T any](flag, word, form string, parse func(string) (T, error), first, last T) (from, to T, err error) {
	left, right, found := strings.Cut(word, ":")
	from, to = first, last
	if left != "" && found {
		from, err = parse(left)
	}
	if right != "" && err == nil {
		to, err = parse(right)
	}
	if err != nil || !found {
		err = fmt.Errorf("%s: %q must be %s", flag, word, form)
	}
	return from, to, err
}

func parseFloat(word string) (float64, error) { return strconv.ParseFloat(word, 64) }
