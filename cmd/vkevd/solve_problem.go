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

// A problem is a dense or tridiagonal matrix that has been read from a file, with its precision.
type problem interface {
	Order() int
	Plan(machine.Device, evd.Options) (solution, error)
}

// A solution is a plan together with the matrix that it solves.
type solution interface {
	machine.Planned
	solve(context.Context) (found, error)
	Measure(context.Context, found) (report.Measures, error)
}

// found is the result of a solve. For a problem in single precision, the field `single` is the
// result, and the field Result has the same data except the vectors. For double precision, `single`
// is nil.
type found struct {
	*evd.Result[float64]
	single *evd.Result[float32]
}

// readProblem reads a tridiagonal or a dense matrix. If its file is a table of text, the result says how
// the table was read. readProblem prints remarks about the matrix to the writer `log`.
func readProblem(
	ctx context.Context, file string, stdin io.Reader, input matrixInput, o options, log io.Writer,
) (problem, *report.TableFacts, error) {
	if o.tridiagonal {
		t, err := cli.UnlessDone(ctx, func() (*matio.Tridiagonal, error) { return readTridiagonal(file, stdin, input.options()) })
		if cli.As[*matio.NotSquareError](err) {
			return nil, nil, fmt.Errorf("%w; --tridiagonal reads a square matrix, or d and e as two rows or two columns", err)
		} else if err != nil {
			return nil, nil, input.hint(err)
		}
		return diagonals{evd.Tridiagonal[float64]{D: t.D, E: t.E}}, report.TableOf(len(t.D), 2, t.Table), nil
	}
	a, err := input.readDense(ctx, file, stdin, log)
	if err != nil {
		return nil, nil, suggestOthers(err)
	}
	p, err := ofPrecision(file, a, o.precision)
	return p, report.TableOf(a.Rows, a.Cols, a.Table), err
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

// dense is the problem A = Q·Λ·Qᵀ with all elements of A stored.
type dense struct{ a evd.Sym[float64] }

type denseSolution struct {
	machine.Solver
	a evd.Sym[float64]
}

func (p dense) Order() int { return p.a.N }

func (p dense) Plan(dev machine.Device, opt evd.Options) (solution, error) {
	s, err := machine.PlanOf[machine.Solver](dev, machine.Task{N: p.a.N, Evd: opt})
	return denseSolution{s, p.a}, err
}

func (s denseSolution) solve(ctx context.Context) (found, error) {
	res, err := s.Solve(ctx, s.a)
	return found{Result: res}, err
}

func (s denseSolution) Measure(ctx context.Context, res found) (report.Measures, error) {
	return report.Measured(ctx, s.Solver, s.a, res.Result)
}

// diagonals is the problem T = S·Λ·Sᵀ, where T is tridiagonal and stored as its diagonals.
type diagonals struct{ t evd.Tridiagonal[float64] }

type diagonalsSolution struct {
	machine.TridiagonalSolver
	t evd.Tridiagonal[float64]
}

func (p diagonals) Order() int { return p.t.N() }

func (p diagonals) Plan(dev machine.Device, opt evd.Options) (solution, error) {
	s, err := machine.PlanOf[machine.TridiagonalSolver](dev, machine.Task{Kind: machine.KindTridiagonal, N: p.t.N(), Evd: opt})
	return diagonalsSolution{s, p.t}, err
}

func (s diagonalsSolution) solve(ctx context.Context) (found, error) {
	res, err := s.Solve(ctx, s.t)
	return found{Result: res}, err
}

// Measure measures the errors of a result for a tridiagonal matrix: by Sturm counts for the
// eigenvalues, and by error ratios for the vectors, if there are any.
func (s diagonalsSolution) Measure(ctx context.Context, res found) (report.Measures, error) {
	certified, err := s.Certify(ctx, s.t, res.Result)
	if err != nil {
		return nil, err
	}
	all := report.Measures{{Name: "certificate", Formula: "|λ − λ(T)| / (n·ε·‖T‖₁), proved by Sturm counts", Ratio: certified}}
	if res.Vectors == nil {
		return all, nil
	}
	r, err := s.Check(ctx, s.t, res.Result)
	return append(report.Ratios(r), all...), err
}
