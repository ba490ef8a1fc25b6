package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/evd/pencil"
	"github.com/vkevd/vkevd/vk"
)

type solveWork struct {
	*solveJob
	file string
	*report.Facts
	a   problem
	opt evd.Options
	p   solution
	res found
}

func (j *solveJob) read(ctx context.Context, file string, known *report.Facts, show *cli.Progress) (work, error) {
	a, table, err := j.readProblem(ctx, file, show)
	if err != nil {
		return nil, err
	}
	known.Table, known.Precision = table, a.precision
	opt, err := j.options.evd(a.n, j.wantsVectors())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cli.InputName(file), err)
	}
	opt.Progress = show.Update
	// If the result is not checked, the matrix A is not needed after the solve. The vectors then
	// replace A in memory, which saves n² doubles.
	opt.Overwrite = opt.Vectors && !j.check && !opt.Verify && !j.options.tridiagonal && j.start == "" && j.options.precision != cli.PrecisionMixed
	opt.Verify = opt.Verify || j.check && j.start != ""
	return &solveWork{solveJob: j, file: file, Facts: known, a: a, opt: opt}, nil
}

func (w *solveWork) Open(log io.Writer) (machine.Device, error) {
	return w.OpenAll(vk.Options{Device: w.device(), Single: w.a.kind.Single()}, log)
}

func (w *solveWork) Plan(dev machine.Device, log io.Writer) (p machine.Planned, err error) {
	if w.a.kind.Tuned() {
		w.Tuned = w.config.Apply(&w.opt, dev.Info(), log)
	}
	if p, err = dev.Plan(machine.Task{Kind: w.a.kind, Type: w.a.pair, Overlap: w.pair.drops(), Refine: w.pair.refine, N: w.a.n, Evd: w.opt}); err == nil {
		w.p = w.a.with(p)
	}
	return p, err
}

func (w *solveWork) speeds(ctx context.Context, dev machine.Device) (int, speeds) {
	return w.a.n, deviceSpeeds(ctx, dev, w.Precision)
}

func (w *solveWork) solve(ctx context.Context) (err error) {
	w.res, err = w.p.solve(ctx)
	return err
}

func (w *solveWork) known(p machine.Planned) *report.Facts {
	w.Solved(w.a.n, w.opt, w.res.Result, p.Bytes(), w.options.tridiagonal)
	w.OnAll(p)
	if w.a.pair > 0 {
		w.OfPair(w.pair.b, w.a.pair, w.res.condition, w.a.kind.Single())
		w.Pair.Drops(w.pair.drops(), w.res.dropping)
	}
	return w.Facts
}

func (w *solveWork) Measure(ctx context.Context) (report.Measures, error) {
	return w.p.measure(ctx, w.res)
}

func (w *solveWork) Write(ctx context.Context, out *cli.Outputs) error {
	part := cli.ValuesPart{First: w.First, Count: w.Values, N: w.N}
	return errors.Join(cli.WriteValues(ctx, out, w.values, w.res.Values, part), w.res.write(ctx, out, w.vectors))
}

func (w *solveWork) Print(ctx context.Context, out *cli.Outputs) error {
	return out.PrintValues(ctx, w.res.Values)
}

func (w *solveWork) Remarks(log io.Writer) error {
	w.Facts.Remarks(log)
	if w.opt.Vectors && w.vectors == "" && !w.check && !w.opt.Verify && !w.pair.refine {
		fmt.Fprintln(log, "The vectors were not kept: --out-vectors keeps them.")
	}
	return nil
}

func (w *solveWork) Report(to io.Writer) error { return w.Facts.Report(to) }
func (w *solveWork) about(err error) error     { return w.pair.about(w.file, w.a.n, err) }

// writeVectors writes the columns of v in the format of the path. In text, their names are `name`
// with a number, from 1 on.
func writeVectors[T evd.Number](ctx context.Context, out *cli.Outputs, path, name string, v *evd.Dense[T]) error {
	return out.Write(ctx, path, func(w io.Writer) error {
		switch cli.Ending(path) {
		case ".mtx":
			return matio.WriteMatrixMarket(w, v.Rows, v.Cols, v.Data, max(v.Ld, 1))
		case ".csv":
			return matio.WriteTable(w, ',', name, v.Rows, v.Cols, v.Data, max(v.Ld, 1))
		case ".txt":
			return matio.WriteTable(w, ' ', name, v.Rows, v.Cols, v.Data, max(v.Ld, 1))
		}
		return matio.WriteNPY(w, v.Rows, v.Cols, v.Data, max(v.Ld, 1))
	})
}

// A problem is what has been read from files: a dense or tridiagonal matrix, a pair of matrices, or
// a matrix and approximate eigenvectors.
type problem struct {
	kind      machine.Kind // of its plan
	pair      machine.PairType
	n         int
	precision string                         // as in reports
	with      func(machine.Planned) solution // binds what was read to its plan
}

// A solution is a plan together with the problem that it solves.
type solution struct {
	machine.Planned
	solve   func(context.Context) (found, error)
	measure func(context.Context, found) (report.Measures, error)
}

// found is the result of a solve. Vectors of another type than float64 are missing in the Result,
// but the function `write` writes vectors of every type.
type found struct {
	*evd.Result[float64]
	write     func(ctx context.Context, out *cli.Outputs, path string) error
	condition float64         // of B
	dropping  pencil.Dropping // with --overlap
}

func foundOf[T evd.Number](res *evd.Result[T], err error) (found, error) {
	if res == nil {
		return found{}, err
	}
	f := found{write: func(ctx context.Context, out *cli.Outputs, path string) error {
		return writeVectors(ctx, out, path, "q", res.Vectors)
	}}
	var double bool
	if f.Result, double = any(res).(*evd.Result[float64]); !double {
		f.Result = &evd.Result[float64]{
			First: res.First, Values: res.Values, Profile: res.Profile, Certificate: res.Certificate, Tree: res.Tree, Retried: res.Retried,
			Refinement: res.Refinement,
		}
	}
	return f, err
}

// readProblem reads the matrix that the command solves. It prints remarks above the progress line.
func (j *solveJob) readProblem(ctx context.Context, file string, show *cli.Progress) (p problem, _ *report.TableFacts, _ error) {
	if j.options.tridiagonal {
		t, err := cli.UnlessDone(ctx, func() (*matio.Tridiagonal, error) { return readTridiagonal(file, j.Stdin, j.input.options()) })
		if cli.As[*matio.NotSquareError](err) {
			return p, nil, fmt.Errorf("%w; --tridiagonal reads a square matrix, or d and e as two rows or two columns", err)
		} else if err != nil {
			return p, nil, j.input.hint(err)
		}
		return tridiagonalProblem(evd.Tridiagonal[float64]{D: t.D, E: t.E}), report.TableOf(len(t.D), 2, t.Table), nil
	}
	if j.pair.b != "" {
		return j.readPair(ctx, file, show.Above())
	}
	either, err := j.input.read(ctx, file, j.Stdin, show.Above())
	if err != nil {
		if either.complex == nil { // complex matrices have no other command
			err = suggestOthers(err)
		}
		return p, nil, err
	}
	if z := either.complex; z != nil {
		p, err = j.complexProblem(ctx, file, z, show)
		return p, nil, err
	}
	d := either.real
	n, table := d.Rows, report.TableOf(d.Rows, d.Cols, d.Table)
	if isSingle(d.Single, j.options.precision) {
		data, err := singlesOf(file, d.Single, d)
		return denseProblem(evd.NewSym(n, data, evd.Lower)), table, err
	}
	a := evd.Sym[float64]{N: n, Ld: max(n, 1), Data: d.Data, Uplo: evd.Lower}
	switch {
	case j.start != "":
		p, err = startProblem(ctx, a, j.start, j.Stdin, show, readRealVectors)
		return p, table, err
	case j.options.precision == cli.PrecisionMixed:
		return mixedProblem(a), table, nil
	}
	return denseProblem(a), table, nil
}

func (j *solveJob) complexProblem(ctx context.Context, file string, z *matio.Complex, show *cli.Progress) (problem, error) {
	if isSingle(z.Single, j.options.precision) {
		data, err := singlesOf(file, z.Single, z)
		return denseProblem(evd.NewSym(z.Rows, data, evd.Lower)), err
	}
	a := evd.NewSym(z.Rows, z.Data, evd.Lower)
	switch {
	case j.start != "":
		return startProblem(ctx, a, j.start, j.Stdin, show, readComplexVectors)
	case j.options.precision == cli.PrecisionMixed:
		return mixedProblem(a), nil
	}
	return denseProblem(a), nil
}

// suggestOthers adds other commands and flags to the error about a matrix that is not square. If
// the matrix has two or three columns, they may be the diagonals of a tridiagonal matrix, and the
// hint is the flag --tridiagonal. The same holds for two or three rows, because SciPy stores bands
// as rows.
func suggestOthers(err error) error {
	var shape *matio.NotSquareError
	if !errors.As(err, &shape) {
		return err
	}
	if least := min(shape.Rows, shape.Cols); least == 2 || least == 3 {
		return fmt.Errorf("%w; --tridiagonal reads diagonals, and vkevd svd takes matrices of any shape", err)
	}
	return fmt.Errorf("%w; vkevd svd takes matrices of any shape", err)
}

// denseProblem is the problem A = Q·Λ·Qᴴ with all elements of A stored.
func denseProblem[T evd.Number](a evd.Sym[T]) problem {
	return problem{machine.KindOf[T](), 0, a.N, precisionName[T](), func(plan machine.Planned) solution {
		p := plan.(machine.DenseSolver[T])
		var res *evd.Result[T]
		return solution{plan, func(ctx context.Context) (_ found, err error) {
			res, err = p.Solve(ctx, a)
			return foundOf(res, err)
		}, func(ctx context.Context, _ found) (report.Measures, error) { return report.Measured(ctx, p, a, res) }}
	}}
}

// tridiagonalProblem is the problem T = S·Λ·Sᵀ. Its values are measured by Sturm counts, and its
// vectors, if there are any, by error ratios.
func tridiagonalProblem(t evd.Tridiagonal[float64]) problem {
	return problem{machine.KindTridiagonal, 0, t.N(), precisionName[float64](), func(plan machine.Planned) solution {
		p := plan.(machine.TridiagonalSolver)
		return solution{plan, func(ctx context.Context) (found, error) { return foundOf(p.Solve(ctx, t)) },
			func(ctx context.Context, res found) (report.Measures, error) {
				certified, err := p.Certify(ctx, t, res.Result)
				if err != nil {
					return nil, err
				}
				all := report.Measures{{Name: "certificate", Formula: "|λ − λ(T)| / (n·ε·‖T‖₁), proved by Sturm counts", Ratio: certified}}
				if res.Vectors == nil {
					return all, nil
				}
				r, err := p.Check(ctx, t, res.Result)
				return append(report.Ratios[float64](r), all...), err
			}}
	}}
}

// alreadyMeasured returns the measures of a result that has been certified: the solve has measured
// it.
func alreadyMeasured(_ context.Context, res found) (report.Measures, error) {
	return report.Ratios[float64](res.Certificate.Ratios), nil
}

// mixedProblem is a dense problem that is solved in single precision and then refined to double
// precision.
func mixedProblem[T evd.Double](a evd.Sym[T]) problem {
	return problem{ofKind[T](machine.KindMixed, machine.KindComplexMixed), 0, a.N, cli.PrecisionMixed, func(plan machine.Planned) solution {
		p := plan.(interface {
			Solve(context.Context, evd.Sym[T]) (*evd.Result[T], error)
		})
		return solution{plan, func(ctx context.Context) (found, error) { return foundOf(p.Solve(ctx, a)) }, alreadyMeasured}
	}}
}

// ofKind returns the kind of real or of complex matrices.
func ofKind[T evd.Double](real, complex machine.Kind) machine.Kind {
	if machine.KindOf[T]().Complex() {
		return complex
	}
	return real
}

// startProblem is a dense problem with approximate eigenvectors from a file, which the solve
// refines.
func startProblem[T evd.Double](
	ctx context.Context, a evd.Sym[T], file string, stdin io.Reader, show *cli.Progress, read fileOfVectors[T],
) (problem, error) {
	q, _, err := read(ctx, file, stdin, a.N, a.N, show)
	if err != nil {
		return problem{}, err
	}
	if q.Rows != a.N || q.Cols != a.N {
		return problem{}, fmt.Errorf("%s: %d by %d elements; --start needs all %d approximate eigenvectors of a matrix of order %d",
			cli.InputName(file), q.Rows, q.Cols, a.N, a.N)
	}
	return problem{ofKind[T](machine.KindRefined, machine.KindComplexRefined), 0, a.N, precisionName[T](), func(plan machine.Planned) solution {
		p := plan.(interface {
			Refine(context.Context, evd.Sym[T], evd.Dense[T]) (*evd.Result[T], error)
		})
		return solution{plan, func(ctx context.Context) (found, error) {
			res, err := p.Refine(ctx, a, *q)
			if start := (*evd.InitialVectorsError)(nil); errors.As(err, &start) {
				err = &startFileError{file, start}
			}
			return foundOf(res, err)
		}, alreadyMeasured}
	}}, nil
}

type startFileError struct {
	file string
	*evd.InitialVectorsError
}

func (e *startFileError) Error() string {
	return fmt.Sprintf("%s: element (%d,%d) is %v; approximate eigenvectors need finite elements (rows and columns from 1)",
		cli.InputName(e.file), e.Row+1, e.Col+1, e.Value)
}

func (e *startFileError) Unwrap() error { return e.InitialVectorsError }

// isSingle tells whether a matrix is solved in single precision. `stored` says that its file has
// single precision.
func isSingle(stored bool, precision string) bool {
	return precision == cli.PrecisionSingle || precision == "" && stored
}

func precisionName[T evd.Number]() string { return fmt.Sprintf("%T", *new(T)) }

// singlesOf rounds the matrix `d` of a file to single precision, in the memory of d. The error is a
// *singleRangeError if the largest element is beyond the range of single precision. `stored` says
// that the file has single precision, so that there is nothing to check.
func singlesOf[E float64 | complex128, S float32 | complex64](file string, stored bool, d elements[E, S]) ([]S, error) {
	if err := singleRange(file, stored, d); err != nil {
		return nil, err
	}
	return d.Singles(), nil
}

func singleRange[E float64 | complex128, S float32 | complex64](file string, stored bool, d elements[E, S]) error {
	if row, col := d.Largest(); row >= 0 && !stored {
		x := largestPart(d.At(row, col))
		if y := math.Abs(float64(float32(x))); y > math.MaxFloat32 && !math.IsInf(x, 0) || x != 0 && y < 0x1p-126 {
			return &singleRangeError{file, row, col, x}
		}
	}
	return nil
}

// elements are those of a *matio.Dense or of a *matio.Complex.
type elements[E float64 | complex128, S float32 | complex64] interface {
	Largest() (row, col int)
	At(i, j int) E
	Singles() []S
}

// largestPart returns a real number, or the part of a complex one with the larger magnitude.
func largestPart[E float64 | complex128](x E) float64 {
	if z, ok := any(x).(complex128); ok {
		if math.Abs(imag(z)) > math.Abs(real(z)) {
			return imag(z)
		}
		return real(z)
	}
	return any(x).(float64)
}

type singleRangeError struct {
	file     string
	row, col int
	x        float64
}

func (e *singleRangeError) Error() string {
	return fmt.Sprintf("%s: a(%d,%d) is %g, the largest entry, and beyond the range of single precision, "+
		"2⁻¹²⁶ to 2¹²⁸ (rows and columns from 1); --precision f64 solves it", cli.InputName(e.file), e.row+1, e.col+1, e.x)
}

// kind is the kind of matrices that the flags select. It does not consider the precision of a file.
func (o *options) kind() machine.Kind {
	switch {
	case o.tridiagonal:
		return machine.KindTridiagonal
	case o.precision == cli.PrecisionSingle:
		return machine.KindSingle
	case o.precision == cli.PrecisionMixed:
		return machine.KindMixed
	}
	return machine.KindDense
}
