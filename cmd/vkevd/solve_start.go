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
)

// startDense is a dense problem with approximate eigenvectors q, which the solve refines.
type startDense struct {
	dense
	q    evd.Dense[float64]
	file string // of q
}

// A startFileError is a *evd.StartError with the name of the file.
type startFileError struct {
	file string
	*evd.StartError
}

func (e *startFileError) Error() string {
	return fmt.Sprintf("%s: element (%d,%d) is %v; approximate eigenvectors need finite elements (rows and columns from 1)",
		cli.InputName(e.file), e.Row+1, e.Col+1, e.Value)
}

func (e *startFileError) Unwrap() error { return e.StartError }

// withStart reads approximate eigenvectors from a file, and adds them to a dense problem.
func withStart(ctx context.Context, p problem, file string, stdin io.Reader) (problem, error) {
	a := p.(dense)
	q, err := readVectors(ctx, file, stdin, a.Order(), a.Order())
	if err != nil {
		return nil, err
	}
	if q.Rows != a.Order() || q.Cols != a.Order() {
		return nil, fmt.Errorf("%s: %d by %d elements; --start needs all %d approximate eigenvectors of a matrix of order %d",
			cli.InputName(file), q.Rows, q.Cols, a.Order(), a.Order())
	}
	return startDense{a, evd.Dense[float64]{Rows: q.Rows, Cols: q.Cols, Ld: max(q.Rows, 1), Data: q.Data}, file}, nil
}

// A refiner is a plan that refines approximate eigenvectors.
type refiner interface {
	machine.Planned
	Refine(context.Context, evd.Sym[float64], evd.Dense[float64]) (*evd.Result[float64], error)
}

type startSolution struct {
	refiner
	startDense
}

func (p startDense) Plan(dev machine.Device, opt evd.Options) (solution, error) {
	r, err := machine.PlanOf[refiner](dev, machine.Task{Kind: machine.KindRefined, N: p.Order(), Evd: opt})
	return startSolution{r, p}, err
}

func (s startSolution) solve(ctx context.Context) (found, error) {
	res, err := s.Refine(ctx, s.a, s.q)
	if start := (*evd.StartError)(nil); errors.As(err, &start) {
		err = &startFileError{s.file, start}
	}
	return found{Result: res}, err
}

// Measure returns the error ratios of a refined result. The method `Solve` has already measured
// them, for the certificate.
func (s startSolution) Measure(_ context.Context, res found) (report.Measures, error) {
	return report.Ratios(res.Certificate.Ratios), nil
}
