package evd_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// TestCheckRefusesWhatIsNotThePlans calls Plan.Check with results that this plan cannot have made.
// Check must return an error and must not read out of bounds.
func TestCheckRefusesWhatIsNotThePlans(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	ctx := context.Background()
	d := device(t, vk.Options{})
	const n = 3
	a := evd.Sym[float64]{N: n, Ld: n, Data: full(random(n))}
	one := &evd.Result[float64]{Values: make([]float64, 1), Vectors: &evd.Dense[float64]{Rows: 1, Cols: 1, Ld: 1, Data: make([]float64, 1)}}
	for _, vectors := range []bool{false, true} {
		p, err := evd.NewPlan[float64](d, n, evd.Options{Vectors: vectors, Tuning: small()})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Check(ctx, a, one)
		var option *evd.OptionError
		var shape *evd.ShapeError
		if !vectors && !errors.As(err, &option) || vectors && !errors.As(err, &shape) {
			t.Errorf("plan with vectors %v: %v", vectors, err)
		}
		p.Close()
	}
}

// TestCheckOfVectorsThatDoNotFit calls Plan.Check with vectors whose shape is wrong: a slice that
// is too short, a leading dimension that is too small, or a negative number of columns. Check must
// return a *ShapeError and must not panic.
func TestCheckOfVectorsThatDoNotFit(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	ctx := context.Background()
	d := device(t, vk.Options{})
	const n = 3
	a := evd.Sym[float64]{N: n, Ld: n, Data: full(random(n))}
	p, err := evd.NewPlan[float64](d, n, evd.Options{Vectors: true, Tuning: small()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	tp := tridiagonalPlan(t, d, n, evd.Options{Vectors: true, Tuning: small()})
	for _, z := range []evd.Dense[float64]{
		{Rows: n, Cols: n, Ld: 1, Data: make([]float64, 9)}, {Rows: n, Cols: n, Ld: n, Data: make([]float64, 8)},
		{Rows: n, Cols: n, Ld: 2, Data: make([]float64, 9), RowMajor: true}, {Rows: n, Cols: 2, Ld: 2, Data: make([]float64, 5), RowMajor: true},
		{Rows: n, Cols: -1, Ld: n}, {Rows: n, Cols: n, Ld: math.MaxInt, Data: make([]float64, 9)},
	} {
		res := &evd.Result[float64]{Values: make([]float64, max(z.Cols, 0)), Vectors: &z}
		_, dense := p.Check(ctx, a, res)
		_, tridiagonal := tp.Check(ctx, evd.Tridiagonal[float64]{D: make([]float64, n), E: make([]float64, n-1)}, res)
		for _, err := range []error{dense, tridiagonal} {
			if shape := (*evd.ShapeError)(nil); !errors.As(err, &shape) {
				t.Errorf("%+v: %v", z, err)
			}
		}
	}
}

// TestCheckOfColumnsWithGaps checks vectors with gaps of NaN between their columns, or between
// their rows. The ratios must be those without gaps, for dense and for tridiagonal matrices. The
// dense matrix has gaps, too.
func TestCheckOfColumnsWithGaps(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	ctx, d := context.Background(), device(t, vk.Options{})
	const n = 13
	a := full(random(n))
	wide := apart(evd.Dense[float64]{Rows: n, Cols: n, Ld: n, Data: a})
	for _, rowMajor := range []bool{false, true} {
		opt := evd.Options{Vectors: true, RowMajor: rowMajor, Select: evd.Index(2, 9), Tuning: small()}
		p, q := mustPlan(t, d, n, opt), tridiagonalPlan(t, d, n, opt)
		tri := evd.Tridiagonal[float64]{D: a[:n], E: a[n : 2*n-1]}
		dense, err := p.Solve(ctx, evd.NewSym(n, a, evd.Lower))
		if err != nil {
			t.Fatal(err)
		}
		tridiagonal, err := q.Solve(ctx, tri)
		if err != nil {
			t.Fatal(err)
		}
		for what, c := range map[string]struct {
			res   *evd.Result[float64]
			check func(m []float64, ld int, res *evd.Result[float64]) (evd.Ratios, error)
		}{
			"dense": {dense, func(m []float64, ld int, res *evd.Result[float64]) (evd.Ratios, error) {
				return p.Check(ctx, evd.Sym[float64]{N: n, Ld: ld, Data: m}, res)
			}},
			"tridiagonal": {tridiagonal, func(_ []float64, _ int, res *evd.Result[float64]) (evd.Ratios, error) {
				return q.Check(ctx, tri, res)
			}},
		} {
			want, err := c.check(a, n, c.res)
			if err != nil || !want.Passed() || want.Residual == 0 || want.Orthogonality == 0 {
				t.Errorf("%s: %+v, %v", what, want, err)
			}
			z := apart(*c.res.Vectors)
			c.res.Vectors = &z
			if got, err := c.check(wide.Data, wide.Ld, c.res); err != nil || got != want {
				t.Errorf("%s, row-major %v: %+v, %v, without gaps %+v", what, rowMajor, got, err, want)
			}
		}
	}
}
