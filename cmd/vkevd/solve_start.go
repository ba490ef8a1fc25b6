package main

import (
	"context"
	"errors"
	"fmt"
	"io"

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
		inputName(e.file), e.Row+1, e.Col+1, e.Value)
}

func (e *startFileError) Unwrap() error { return e.StartError }

// withStart reads approximate eigenvectors from a file, and adds them to a dense problem.
func withStart(ctx context.Context, p problem, file string, stdin io.Reader) (problem, error) {
	a := p.(dense)
	q, err := readVectors(ctx, file, stdin, a.order(), a.order())
	if err != nil {
		return nil, err
	}
	if q.Rows != a.order() || q.Cols != a.order() {
		return nil, fmt.Errorf("%s: %d by %d elements; --start needs all %d approximate eigenvectors of a matrix of order %d",
			inputName(file), q.Rows, q.Cols, a.order(), a.order())
	}
	return startDense{a, evd.Dense[float64]{Rows: q.Rows, Cols: q.Cols, Ld: max(q.Rows, 1), Data: q.Data}, file}, nil
}

// A refiner is a plan that refines approximate eigenvectors.
type refiner interface {
	planned
	Refine(context.Context, evd.Sym[float64], evd.Dense[float64]) (*evd.Result[float64], error)
}

type startSolution struct {
	refiner
	startDense
}

func (p startDense) plan(dev device, opt evd.Options) (solution, error) {
	r, err := planOf[refiner](dev, task{kind: kindRefined, n: p.order(), evd: opt})
	return startSolution{r, p}, err
}

func (s startSolution) solve(ctx context.Context) (found, error) {
	res, err := s.Refine(ctx, s.a, s.q)
	if start := (*evd.StartError)(nil); errors.As(err, &start) {
		err = &startFileError{s.file, start}
	}
	return found{Result: res}, err
}

// measure returns the error ratios of a refined result. The method `solve` has already measured
// them, for the certificate.
func (s startSolution) measure(_ context.Context, res found) (measures, error) {
	return ratios(res.Certificate.Ratios), nil
}

// refined prints how a solve has refined approximate vectors: the number of steps, and the clusters
// of close eigenvalues.
func (f *facts) refined(w io.Writer) {
	r := f.Refinement
	if r == nil {
		return
	}
	fmt.Fprintf(w, "refined  %s", plural(r.Steps, "step"))
	if r.Clusters > 0 {
		fmt.Fprintf(w, ", %s of eigenvalues, the largest of %d", plural(r.Clusters, "cluster"), r.Largest)
	}
	if r.Cold != "" {
		fmt.Fprintf(w, "; solved anew: %s", r.Cold)
	}
	fmt.Fprintln(w)
}
