package evd_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// TestCheckRefusesWhatIsNotThePlans calls Plan.Check with results that this plan cannot have made.
// Check must return an error and must not read out of bounds.
func TestCheckRefusesWhatIsNotThePlans(t *testing.T) {
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

// TestCheckOfVectorsThatDoNotFit calls Plan.Check with vectors whose slice is too short for their
// shape. Check must return an error and must not panic.
func TestCheckOfVectorsThatDoNotFit(t *testing.T) {
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
