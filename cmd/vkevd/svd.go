package main

import (
	"cmp"
	"context"
	"errors"
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
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

type svdJob struct {
	fileJob
	input     singularInput
	precision string
	options   svdOptions
	u, v      string  // paths of output files; "" if not wanted
	squares   float64 // the sum of squares of a matrix with --center or --scale; otherwise 0
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
			return j.run(cmd.Context(), args, []string{j.u, j.v}, func(ctx context.Context, known *report.Facts, show *cli.Progress) (work, error) {
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
	f.StringVar(&j.u, "out-u", "", "write the left singular vectors to `FILE`: .npy in Fortran order,\n.mtx, .csv or .txt")
	f.StringVar(&j.v, "out-v", "", "write the right singular vectors to `FILE`: .npy in Fortran order,\n.mtx, .csv or .txt")
	f.StringVar(&j.report, "report", "", "write device, memory, times and measures to `FILE`: .json")
	f.BoolVar(&j.check, "check", false, "certify the values by Sturm counts, compare sums of squares, and\n"+
		"measure residual and orthogonality of vectors")
	j.flags(cmd, "singular values")
	return cmd
}

// checkUse returns an error if the flags are wrong or contradict each other. It is called before
// any file is opened.
func (j *svdJob) checkUse(cmd *cobra.Command) error {
	if err := errors.Join(j.CheckProcesses(cmd), j.options.check(cmd), cli.CheckPrecision(cmd, j.precision),
		j.input.check(cmd), checkStorage(cmd, j.input.storage)); err != nil {
		return err
	}
	return cmp.Or(
		cli.CheckEnding(cmd, "out-values", j.values, cli.ValuesEndings),
		cli.CheckEnding(cmd, "out-u", j.u, cli.VectorsEndings), cli.CheckEnding(cmd, "out-v", j.v, cli.VectorsEndings),
		cli.CheckEnding(cmd, "report", j.report, cli.ReportEndings))
}

func (j *svdJob) wantsVectors() bool { return j.u != "" || j.v != "" }

// sides reports which singular vectors vkevd svd computes: those for which the user has named
// files. With --check, if there is one such file, the vectors of both sides are computed.
func (j *svdJob) sides() (u, v bool) {
	both := j.check && j.wantsVectors()
	return both || j.u != "", both || j.v != ""
}

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

// svd returns the library's options, or an error if the user selects more values than an m×n matrix
// has.
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

// A singularInput says what the file of vkevd svd contains: a whole matrix, the diagonals of a band
// matrix, or the diagonals of a bidiagonal matrix.
type singularInput struct {
	matrixInput
	banded, bidiagonal bool
	center, scale      bool   // columns; the second one includes the first
	storage            string // a word of cli.PrecisionWords, or ""
}

func (m *singularInput) flags(cmd *cobra.Command) {
	m.fileFlags(cmd)
	f := cmd.Flags()
	f.BoolVar(&m.banded, "banded", false, "FILE has the diagonals of an upper band, as LAPACK's dgbbrd stores it:\n"+
		"the last row is the main diagonal; for values alone")
	f.BoolVar(&m.center, "center", false, "subtract its mean from each column first: principal components")
	f.BoolVar(&m.scale, "scale", false, "as --center, and divide each column by its standard deviation")
	storageFlag(cmd, &m.storage)
	f.BoolVar(&m.bidiagonal, "bidiagonal", false, "FILE has the diagonal d and the superdiagonal e, in a format that\n"+
		"solve --tridiagonal reads")
}

func storageFlag(cmd *cobra.Command, storage *string) {
	cmd.Flags().StringVar(storage, "storage", "", "format `S` of the numbers on the device, for values alone: f64, f32\n"+
		"or f16 (default: the precision); see above for the errors")
	cmd.RegisterFlagCompletionFunc("storage", cli.Words(cli.PrecisionWords))
}

func checkStorage(cmd *cobra.Command, storage string) error {
	if storage != "" && !slices.Contains(cli.PrecisionWords, storage) {
		return cli.Usage(cmd, "--storage: %q is none of %s", storage, strings.Join(cli.PrecisionWords, ", "))
	}
	return nil
}

// storageOf returns the format that --storage selects. Without the flag it is svd.Double, which
// means the number type of the plan.
func storageOf(word string) svd.Storage {
	return svd.Storage(max(0, slices.Index(cli.PrecisionWords, word))) // in the same order
}

// read reads the matrix of the command svd from its file. If the file contains only diagonals,
// column j of the result is column j of LAPACK's band storage, as in dgbbrd: the elements above the
// main diagonal from top to bottom, and then the element on the main diagonal. Elements outside the
// matrix are set to zero.
func (m *singularInput) read(ctx context.Context, file string, stdin io.Reader) (none realOrComplex, _ machine.SingularShape, _ error) {
	if m.bidiagonal {
		a, err := m.readBidiagonal(ctx, file, stdin)
		if err != nil {
			return none, machine.SingularShape{}, err
		}
		return realOrComplex{real: a}, machine.SingularShape{M: a.Cols, N: a.Cols, Form: machine.BidiagonalMatrix, Above: 1}, nil
	}
	either, err := m.readAnyShape(ctx, file, stdin)
	if err != nil {
		return none, machine.SingularShape{}, err
	}
	if z := either.complex; z != nil {
		return either, machine.SingularShape{M: z.Rows, N: z.Cols}, m.checkComplex(file)
	}
	a := either.real
	if !m.banded {
		return either, machine.SingularShape{M: a.Rows, N: a.Cols, Storage: storageOf(m.storage)}, nil
	}
	for j := range min(a.Cols, a.Rows-1) {
		clear(a.Data[j*a.Rows : j*a.Rows+a.Rows-1-j])
	}
	return either, machine.SingularShape{M: a.Cols, N: a.Cols, Form: machine.BandMatrix, Above: max(a.Rows-1, 0), Storage: storageOf(m.storage)}, nil
}

// checkComplex returns an error if a flag selects a solve that takes real matrices only.
func (m *singularInput) checkComplex(file string) error {
	flag := ""
	switch {
	case m.banded:
		flag = "--banded"
	case m.storage != "":
		flag = "--storage"
	case m.center || m.scale:
		flag = "--center or --scale"
	default:
		return nil
	}
	return fmt.Errorf("%s: the elements are complex, and %s takes real matrices only", cli.InputName(file), flag)
}

// checkStorage returns an error for --storage f64 if the matrix in the file is solved in single
// precision.
func (m *singularInput) checkStorage(file string, single bool) error {
	if single && m.storage == cli.PrecisionDouble {
		return fmt.Errorf("%s: --storage f64 stores no more digits than single precision has; "+
			"--precision f64 solves in double precision", cli.InputName(file))
	}
	return nil
}

// readBidiagonal reads the diagonals of a bidiagonal matrix. The rows of the result are the
// diagonal above the main diagonal, and the main diagonal.
func (m *singularInput) readBidiagonal(ctx context.Context, file string, stdin io.Reader) (*matio.Dense, error) {
	return cli.UnlessDone(ctx, func() (*matio.Dense, error) {
		t, err := readTridiagonal(file, stdin, m.options())
		if err != nil {
			return nil, m.hint(err)
		}
		n := len(t.D)
		a := &matio.Dense{Rows: 2, Cols: n, Data: make([]float64, 2*n), Table: t.Table}
		for j := range n {
			if a.Data[2*j+1] = t.D[j]; j > 0 {
				a.Data[2*j] = t.E[j-1]
			}
		}
		return a, nil
	})
}

// stored is a matrix as it lies in memory. Dense has either all elements of the matrix, or only its
// diagonals.
type stored[T evd.Number] struct {
	evd.Dense[T]
	machine.SingularShape
}

// storedAs returns the rows×cols matrix of a file with the type T and the shape `of`. `data` has its
// numbers.
func storedAs[T evd.Number](rows, cols int, data []T, of machine.SingularShape) stored[T] {
	return stored[T]{evd.Dense[T]{Rows: rows, Cols: cols, Ld: max(rows, 1), Data: data}, of}
}

type svdWork[T evd.Number] struct {
	*svdJob
	file string
	report.SvdFacts
	a   stored[T]
	opt svd.Options
	p   machine.SingularSolver[T]
	res *svd.Result[T]
}

func (j *svdJob) read(ctx context.Context, file string, known *report.Facts, show *cli.Progress) (work, error) {
	either, shape, err := j.input.read(ctx, file, j.Stdin)
	if err != nil {
		return nil, err
	}
	if z := either.complex; z != nil {
		return svdWorkFor[complex128, complex64](j, file, z.Single, z, z.Rows, z.Cols, z.Data, shape, known, show)
	}
	a := either.real
	known.Table = report.TableOf(a.Rows, a.Cols, a.Table)
	if j.input.center || j.input.scale {
		if j.squares, err = standardize(file, a, j.input.scale); err != nil {
			return nil, err
		}
	}
	single := isSingle(a.Single, j.precision)
	if err := j.input.checkStorage(file, single); err != nil {
		return nil, err
	}
	return svdWorkFor[float64, float32](j, file, a.Single, a, a.Rows, a.Cols, a.Data, shape, known, show)
}

// svdWorkFor returns the work for a matrix of a file, in the precision of the file or of
// --precision. `data` has the numbers of `d`, and `stored` tells whether the file has single
// precision.
func svdWorkFor[E float64 | complex128, S float32 | complex64](
	j *svdJob, file string, stored bool, d elements[E, S], rows, cols int, data []E, shape machine.SingularShape, known *report.Facts, show *cli.Progress,
) (work, error) {
	if !isSingle(stored, j.precision) {
		return newSVDWork(j, file, storedAs(rows, cols, data, shape), known, show)
	}
	narrow, err := singlesOf(file, stored, d)
	if err != nil {
		return nil, err
	}
	return newSVDWork(j, file, storedAs(rows, cols, narrow, shape), known, show)
}

func newSVDWork[T evd.Number](j *svdJob, file string, a stored[T], known *report.Facts, show *cli.Progress) (work, error) {
	u, v := j.sides()
	opt, err := j.options.svd(a.M, a.N, u, v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cli.InputName(file), err)
	}
	opt.Progress, opt.Certify, opt.Storage = show.Update, j.check, a.Storage
	known.Precision = precisionName[T]()
	return &svdWork[T]{svdJob: j, file: file, SvdFacts: report.SvdFacts{Facts: known, Verified: opt.Verify}, a: a, opt: opt}, nil
}

func (w *svdWork[T]) Open(log io.Writer) (machine.Device, error) {
	return w.Session.Open(vk.Options{Device: w.device()}, log)
}

// Plan makes the plan. Sizes that vkevd tune has saved are not for single precision, because vkevd
// tune measures double precision.
func (w *svdWork[T]) Plan(dev machine.Device, log io.Writer) (p machine.Planned, err error) {
	if computedIn(w.Precision, w.a.SingularShape) == precisionName[float64]() {
		var kept evd.Options
		w.Tuned = w.config.Apply(&kept, dev.Info(), log)
		w.opt.Tuning = kept.Tuning
	}
	w.p, err = machine.PlanOf[machine.SingularSolver[T]](dev, machine.Task{Kind: machine.SingularKindOf[T](), Shape: w.a.SingularShape, Svd: w.opt})
	return w.p, err
}

func (w *svdWork[T]) speeds(ctx context.Context, dev machine.Device) (int, speeds) {
	return min(w.a.M, w.a.N), deviceSpeeds(ctx, dev, computedIn(w.Precision, w.a.SingularShape)).singular()
}

func (w *svdWork[T]) solve(ctx context.Context) (err error) {
	w.res, err = w.p.Solve(ctx, w.a.Dense)
	return err
}

func (w *svdWork[T]) known(machine.Planned) *report.Facts {
	report.SolvedSVD(&w.SvdFacts, w.a.SingularShape, w.res, w.p.Bytes())
	w.StoredIn(w.a.Storage)
	w.Explain(w.res.Values, w.squares)
	return w.Facts
}

func (w *svdWork[T]) Measure(ctx context.Context) (report.Measures, error) {
	return singularMeasures(ctx, w.p, w.a, w.res)
}

func (w *svdWork[T]) Write(ctx context.Context, out *cli.Outputs) error {
	part := w.Part()
	part.Squares = w.squares
	return errors.Join(cli.WriteValues(ctx, out, w.values, w.res.Values, part),
		writeVectors(ctx, out, w.u, "u", w.res.U), writeVectors(ctx, out, w.v, "v", w.res.V))
}

func (w *svdWork[T]) Print(ctx context.Context, out *cli.Outputs) error {
	return out.PrintValues(ctx, w.res.Values)
}

func (w *svdWork[T]) Summary(to io.Writer)      { w.SvdFacts.Summary(to) }
func (w *svdWork[T]) Report(to io.Writer) error { return w.SvdFacts.Report(to) }
func (w *svdWork[T]) about(err error) error     { return aboutRectangle(w.file, w.a.M, w.a.N, err) }

func (w *svdWork[T]) Remarks(to io.Writer) error {
	w.SvdFacts.Remarks(to)
	return nil
}

// computedIn returns the name of the precision in which most of the work is done. The matrix has
// the shape `of`, and its numbers have the precision named `precision`. A dense matrix is reduced
// in single precision if --storage has fewer digits than doubles.
func computedIn(precision string, of machine.SingularShape) string {
	if of.Form == machine.WholeMatrix && of.Storage != svd.Double {
		return precisionName[float32]()
	}
	return precision
}

func (m matrixInput) readAnyShape(ctx context.Context, file string, stdin io.Reader) (realOrComplex, error) {
	return cli.UnlessDone(ctx, func() (realOrComplex, error) {
		a, err := readEither(file, stdin, m.options())
		return a, m.hint(err)
	})
}

func aboutRectangle(file string, rows, cols int, err error) error {
	return aboutInput(file, fmt.Sprintf("%d by %d", rows, cols), "singular values", err)
}

// singularMeasures measures the errors of a result. Without vectors of both sides it takes only the
// measures of the values. The sums of squares are compared only if the result has all values.
func singularMeasures[T evd.Number](ctx context.Context, p machine.SingularSolver[T], a stored[T], res *svd.Result[T]) (report.Measures, error) {
	found := certified(a, res)
	if res.U == nil || res.V == nil {
		return found, nil
	}
	r, err := p.Check(ctx, a.Dense, res)
	return append(found, singularRatios[T](r)...), err
}

func singularRatios[T evd.Number](r svd.Ratios) report.Measures {
	turned := "ᵀ"
	if machine.KindOf[T]().Complex() {
		turned = "ᴴ"
	}
	return report.Measures{
		{Name: "residual", Formula: "‖A·V − U·Σ‖₁ / (n·ε·‖A‖₁)", Ratio: r.Residual},
		{Name: "left", Formula: "‖I − U" + turned + "·U‖₁ / (M·ε)", Ratio: r.Left},
		{Name: "right", Formula: "‖I − V" + turned + "·V‖₁ / (N·ε)", Ratio: r.Right},
	}
}

// certified returns those error ratios of singular values that need no vectors.
func certified[T evd.Number](a stored[T], res *svd.Result[T]) report.Measures {
	c := res.Certificate
	found := report.Measures{
		{Name: "certificate", Formula: "|σ − σ(C)| / (n·ε·‖C‖), proved by Sturm counts", Ratio: c.Counts},
		{Name: "norm", Formula: a.normFormula(), Ratio: c.Norm},
	}
	if len(res.Values) < min(a.M, a.N) {
		return found
	}
	return append(found, a.squares(res.Values))
}

// normFormula describes Certificate.Norm, whose unit depends on the format of the numbers. (A plan
// for a dense matrix in single precision divides by n, as the documentation of svd.Options says.)
func (a stored[T]) normFormula() string {
	switch {
	case a.Storage == svd.Double:
		return "|‖A‖F − ‖C‖F| / (n·ε·‖A‖F)"
	case a.Storage == svd.Single && a.Form == machine.WholeMatrix:
		return "|‖A‖F − ‖C‖F| / (n·ε·‖A‖F), ε of the storage"
	}
	return "|‖A‖F − ‖C‖F| / (ε·‖A‖F), ε of the storage"
}

// squares compares Σσ² with ‖A‖F², the sum of squares of the elements. If numbers are stored with
// fewer digits, the measure is in units of the ε of their format. For bands and in half precision
// it is not divided by n, because these errors do not grow with n. Dense matrices in single
// precision have the unit of normFormula.
func (a stored[T]) squares(values []float64) report.Measure {
	m := report.Measure{Name: "squares", Formula: squaresFormula, Ratio: squares(a.Dense, values, report.LeastNorm[T]())}
	ulp := a.Storage.Ulp()
	switch {
	case ulp <= report.UlpOf[T]():
	case a.Storage == svd.Single && a.Form == machine.WholeMatrix:
		m.Formula = squaresFormula + ", ε of the storage"
		m.Ratio *= report.UlpOf[T]() / ulp
	default:
		m.Formula = "|Σσ² − ‖A‖F²| / (ε·‖A‖F²), ε of the storage"
		m.Ratio *= float64(max(a.Rows, a.Cols)) * report.UlpOf[T]() / ulp
	}
	return m
}

const squaresFormula = "|Σσ² − ‖A‖F²| / (n·ε·‖A‖F²)"

// squares returns |Σσ² − ‖A‖F²| / (n·ε·‖A‖F²), where n is the larger dimension of A. In one of the
// factors ‖A‖F, a norm below `least` is replaced by `least`. The result is +Inf if a value is
// negative or larger than the previous value, because such values cannot be singular values.
func squares[T evd.Number](a evd.Dense[T], values []float64, least float64) float64 {
	if !ratio.Descending(values) {
		return math.Inf(1)
	}
	if len(a.Data) == 0 {
		return 0
	}
	most := 0.0
	report.Parts(a.Data, func(_ int, x float64, _ bool) { most = max(most, math.Abs(x)) })
	scale := report.PowerOfTwo(most) // otherwise squares could overflow or underflow
	var ofA, ofValues float64
	for j := range a.Cols {
		column := 0.0 // summed by columns, for smaller rounding errors
		report.Parts(a.Data[j*a.Ld:j*a.Ld+a.Rows], func(_ int, x float64, _ bool) {
			y := x * scale
			column += y * y
		})
		ofA += column
	}
	for _, v := range values {
		y := float64(v) * scale
		ofValues += y * y
	}
	norm := math.Sqrt(ofA)
	unit := float64(max(a.Rows, a.Cols)) * report.UlpOf[T]() * max(norm, least*scale) // n times the rounding error of a value
	return report.Over(ofValues-ofA, unit*norm)
}
