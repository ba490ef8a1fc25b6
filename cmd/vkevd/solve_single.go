package main

import (
	"context"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
)

// These are the values of --precision. If the flag is not given, a .npy file of single precision is
// solved in single precision, and any other file in double precision.
const (
	precisionSingle = "f32"
	precisionDouble = "f64"
)

// checkPrecision returns an error for an unknown precision, and for a precision that cannot be
// combined with other flags.
func (o *options) checkPrecision(refuse func(format string, args ...any) error) error {
	switch {
	case o.precision != "" && o.precision != precisionSingle && o.precision != precisionDouble:
		return refuse("--precision: %q is neither %s nor %s", o.precision, precisionSingle, precisionDouble)
	case o.precision == precisionSingle && o.tridiagonal:
		return refuse("--precision %s cannot be combined with --tridiagonal", precisionSingle)
	}
	return nil
}

// ofPrecision makes a problem from the matrix d. `precision` is the value of --precision. If it is
// "", the problem has the precision of the file from which the matrix was read.
func ofPrecision(d *matio.Dense, precision string) problem {
	n := d.Rows
	if precision == precisionSingle || precision == "" && d.Single {
		return single{evd.NewSym(n, d.Singles(), evd.Lower)}
	}
	return dense{evd.Sym[float64]{N: n, Ld: max(n, 1), Data: d.Data, Uplo: evd.Lower}}
}

// single is the problem A = Q·Λ·Qᵀ in single precision, with all elements of A stored.
type single struct{ a evd.Sym[float32] }

type singleSolution struct {
	denseSolver[float32]
	a evd.Sym[float32]
}

func (p single) order() int { return p.a.N }

// plan makes a plan in single precision. It ignores the sizes that vkevd tune has saved, because
// vkevd tune measures double precision.
func (p single) plan(dev device, opt evd.Options) (solution, error) {
	opt.Tuning = nil
	s, err := dev.single(p.a.N, opt)
	return singleSolution{s, p.a}, err
}

func (s singleSolution) solve(ctx context.Context) (found, error) {
	res, err := s.Solve(ctx, s.a)
	if err != nil {
		return found{}, err
	}
	values := make([]float64, len(res.Values))
	for i, v := range res.Values {
		values[i] = float64(v)
	}
	return found{&evd.Result[float64]{
		First: res.First, Values: values, Profile: res.Profile, Certificate: res.Certificate, Tree: res.Tree, Retried: res.Retried,
	}, res}, nil
}

func (s singleSolution) measure(ctx context.Context, res found) (measures, error) {
	return measured(ctx, s.denseSolver, s.a, res.single)
}

// kind returns the kind of matrices that the flags select, such as tridiagonal ones. The precision
// of a file does not matter here.
func (o *options) kind() kind {
	switch {
	case o.tridiagonal:
		return kindTridiagonal
	case o.precision == precisionSingle:
		return kindSingle
	}
	return kindDense
}
