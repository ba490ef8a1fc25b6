package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
)

// A problem is a matrix that has been read, dense or tridiagonal.
type problem interface {
	order() int
	plan(device, evd.Options) (solution, error)
}

// A solution is a plan together with its matrix.
type solution interface {
	forecast
	solve(context.Context) (*evd.Result[float64], error)
	measure(context.Context, *evd.Result[float64]) (measures, error)
	Close()
}

// readProblem reads a tridiagonal or a dense matrix. Remarks are printed to log.
func readProblem(
	ctx context.Context, file string, stdin io.Reader, input matrixInput, tridiagonal bool, log io.Writer,
) (problem, error) {
	if tridiagonal {
		t, err := unlessDone(ctx, func() (*matio.Tridiagonal, error) { return readTridiagonal(file, stdin, input.options()) })
		if err != nil {
			return nil, input.hint(err)
		}
		return diagonals{evd.Tridiagonal[float64]{D: t.D, E: t.E}}, nil
	}
	a, err := input.read(ctx, file, stdin, log)
	return dense{a}, suggestTridiagonal(err)
}

// suggestTridiagonal adds the flag --tridiagonal to the error about a matrix of two or three
// columns (or rows, as SciPy stores bands), because these may be diagonals.
func suggestTridiagonal(err error) error {
	var shape *matio.NotSquareError
	if errors.As(err, &shape) {
		if least := min(shape.Rows, shape.Cols); least == 2 || least == 3 {
			return fmt.Errorf("%w; --tridiagonal reads diagonals", err)
		}
	}
	return err
}

// dense is the problem A = Q·Λ·Qᵀ with all elements of A stored.
type dense struct{ a evd.Sym[float64] }

type denseSolution struct {
	solver
	a evd.Sym[float64]
}

func (p dense) order() int { return p.a.N }

func (p dense) plan(dev device, opt evd.Options) (solution, error) {
	s, err := dev.plan(p.a.N, opt)
	return denseSolution{s, p.a}, err
}

func (s denseSolution) solve(ctx context.Context) (*evd.Result[float64], error) {
	return s.Solve(ctx, s.a)
}

func (s denseSolution) measure(ctx context.Context, res *evd.Result[float64]) (measures, error) {
	return measured(ctx, s.solver, s.a, res)
}

// diagonals is the problem T = S·Λ·Sᵀ with a tridiagonal T.
type diagonals struct{ t evd.Tridiagonal[float64] }

type diagonalsSolution struct {
	tridiagonalSolver
	t evd.Tridiagonal[float64]
}

func (p diagonals) order() int { return p.t.N() }

func (p diagonals) plan(dev device, opt evd.Options) (solution, error) {
	s, err := dev.tridiagonal(p.t.N(), opt)
	return diagonalsSolution{s, p.t}, err
}

func (s diagonalsSolution) solve(ctx context.Context) (*evd.Result[float64], error) {
	return s.Solve(ctx, s.t)
}

// measure certifies the values by Sturm counts and, with vectors, measures their ratios.
func (s diagonalsSolution) measure(ctx context.Context, res *evd.Result[float64]) (measures, error) {
	certified, err := s.Certify(ctx, s.t, res)
	if err != nil {
		return nil, err
	}
	found := measures{{"certificate", "|λ − λ(T)| / (n·ε·‖T‖₁), proved by Sturm counts", certified}}
	if res.Vectors == nil {
		return found, nil
	}
	r, err := s.Check(ctx, s.t, res)
	return append(ratios(r), found...), err
}
