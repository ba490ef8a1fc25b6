package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
)

// A problem is a dense or tridiagonal matrix that has been read from files.
type problem struct {
	kind      machine.Kind // of its plan
	n         int
	precision string                         // as in reports
	with      func(machine.Planned) solution // binds the matrix to its plan
}

// A solution is a plan together with the matrix that it solves.
type solution struct {
	machine.Planned
	solve   func(context.Context) (found, error)
	measure func(context.Context, found) (report.Measures, error)
}

// found is the result of a solve. For a problem in single precision, the field `single` is the
// result, and the field Result has the same data except the vectors. For double precision, `single`
// is nil.
type found struct {
	*evd.Result[float64]
	single *evd.Result[float32]
}

func foundOf[T evd.Float](res *evd.Result[T], err error) (found, error) {
	switch r := any(res).(type) {
	case *evd.Result[float64]:
		return found{Result: r}, err
	case *evd.Result[float32]:
		if r != nil {
			return found{&evd.Result[float64]{
				First: r.First, Values: r.Values, Profile: r.Profile, Certificate: r.Certificate, Tree: r.Tree, Retried: r.Retried,
			}, r}, err
		}
	}
	return found{}, err
}

// readProblem reads a tridiagonal or a dense matrix, and approximate vectors if there are any. If the
// matrix is a table of text, the result says how it was read. Remarks are printed above the progress.
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
	d, err := j.input.readDense(ctx, file, j.Stdin, show.Above())
	if err != nil {
		return p, nil, suggestOthers(err)
	}
	n, table := d.Rows, report.TableOf(d.Rows, d.Cols, d.Table)
	if isSingle(d, j.options.precision) {
		data, err := singlesOf(file, d)
		return denseProblem(machine.KindSingle, evd.NewSym(n, data, evd.Lower)), table, err
	}
	a := evd.Sym[float64]{N: n, Ld: max(n, 1), Data: d.Data, Uplo: evd.Lower}
	switch {
	case j.start != "":
		show.Stage("reading " + cli.InputName(j.start))
		p, err = startProblem(ctx, a, j.start, j.Stdin)
		return p, table, err
	case j.options.precision == cli.PrecisionMixed:
		return mixedProblem(a), table, nil
	}
	return denseProblem(machine.KindDense, a), table, nil
}

// suggestOthers adds other commands and flags to the error about a matrix that is not square. If the
// matrix has two or three columns, they may be the diagonals of a tridiagonal matrix, and the hint is the
// flag --tridiagonal. The same holds for two or three rows, because SciPy stores bands as rows.
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

// denseProblem is the problem A = Q·Λ·Qᵀ with all elements of A stored.
func denseProblem[T evd.Float](of machine.Kind, a evd.Sym[T]) problem {
	return problem{of, a.N, precisionName[T](), func(plan machine.Planned) solution {
		p := plan.(machine.DenseSolver[T])
		var res *evd.Result[T]
		return solution{plan, func(ctx context.Context) (_ found, err error) {
			res, err = p.Solve(ctx, a)
			return foundOf(res, err)
		}, func(ctx context.Context, _ found) (report.Measures, error) { return report.Measured(ctx, p, a, res) }}
	}}
}

// tridiagonalProblem is the problem T = S·Λ·Sᵀ. Its values are measured by Sturm counts, and its vectors,
// if there are any, by error ratios.
func tridiagonalProblem(t evd.Tridiagonal[float64]) problem {
	return problem{machine.KindTridiagonal, t.N(), precisionName[float64](), func(plan machine.Planned) solution {
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
				return append(report.Ratios(r), all...), err
			}}
	}}
}

// alreadyMeasured returns the measures of a result that has been certified: the solve has measured it.
func alreadyMeasured(_ context.Context, res found) (report.Measures, error) {
	return report.Ratios(res.Certificate.Ratios), nil
}

// mixedProblem is solved in single precision, and refined to double precision.
func mixedProblem(a evd.Sym[float64]) problem {
	return problem{machine.KindMixed, a.N, cli.PrecisionMixed, func(plan machine.Planned) solution {
		p := plan.(interface {
			Solve(context.Context, evd.Sym[float64]) (*evd.Result[float64], error)
		})
		return solution{plan, func(ctx context.Context) (found, error) { return foundOf(p.Solve(ctx, a)) }, alreadyMeasured}
	}}
}

// startProblem is a dense problem with approximate eigenvectors from a file, which the solve refines.
func startProblem(ctx context.Context, a evd.Sym[float64], file string, stdin io.Reader) (problem, error) {
	d, err := readVectors(ctx, file, stdin, a.N, a.N)
	if err != nil {
		return problem{}, err
	}
	if d.Rows != a.N || d.Cols != a.N {
		return problem{}, fmt.Errorf("%s: %d by %d elements; --start needs all %d approximate eigenvectors of a matrix of order %d",
			cli.InputName(file), d.Rows, d.Cols, a.N, a.N)
	}
	q := evd.Dense[float64]{Rows: d.Rows, Cols: d.Cols, Ld: max(d.Rows, 1), Data: d.Data}
	return problem{machine.KindRefined, a.N, precisionName[float64](), func(plan machine.Planned) solution {
		p := plan.(interface {
			Refine(context.Context, evd.Sym[float64], evd.Dense[float64]) (*evd.Result[float64], error)
		})
		return solution{plan, func(ctx context.Context) (found, error) {
			res, err := p.Refine(ctx, a, q)
			if start := (*evd.InitialVectorsError)(nil); errors.As(err, &start) {
				err = &startFileError{file, start}
			}
			return foundOf(res, err)
		}, alreadyMeasured}
	}}, nil
}

// A startFileError is a *evd.InitialVectorsError with the name of the file.
type startFileError struct {
	file string
	*evd.InitialVectorsError
}

func (e *startFileError) Error() string {
	return fmt.Sprintf("%s: element (%d,%d) is %v; approximate eigenvectors need finite elements (rows and columns from 1)",
		cli.InputName(e.file), e.Row+1, e.Col+1, e.Value)
}

func (e *startFileError) Unwrap() error { return e.InitialVectorsError }
