package evd_test

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plantest"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// TestMethodsAtOnce calls methods of each kind of plan at the same time, Close included, from
// several goroutines. After Close each method that solves returns ErrClosed. With the race detector
// the test finds accesses that no lock guards.
func TestMethodsAtOnce(t *testing.T) {
	when.Pick(t, when.Race)
	ctx, d := context.Background(), device(t, vk.Options{})
	const n = 5
	a := evd.NewSym(n, make([]float64, n*n), evd.Lower)
	q := evd.Dense[float64]{Rows: n, Cols: n, Ld: n, Data: make([]float64, n*n)}
	of := evd.Tridiagonal[float64]{D: make([]float64, n), E: make([]float64, n-1)}
	for i := range n {
		a.Data[i+i*n], q.Data[i+i*n], of.D[i] = float64(i), 1, float64(i)
	}
	res := &evd.Result[float64]{Values: of.D, Vectors: &q}
	opt := evd.Options{Vectors: true, Tuning: small()}
	dense, err := evd.NewPlan[float64](d, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	three, err := evd.NewTridiagonalPlan[float64](d, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	refine, err := evd.NewRefinePlan[float64](d, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	mixed, err := evd.NewMixedPlan[float64](d, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	solves := []func() error{
		func() error { _, err := dense.Solve(ctx, a); return err },
		func() error { _, err := dense.Check(ctx, a, res); return err },
		func() error { _, err := three.Solve(ctx, of); return err },
		func() error { _, err := three.Check(ctx, of, res); return err },
		func() error { _, err := three.CountBelow(ctx, of, 1.5); return err },
		func() error { _, err := refine.Refine(ctx, a, q); return err },
		func() error { _, err := mixed.Solve(ctx, a); return err },
	}
	plantest.AtOnce(t, solves, func() {
		dense.Band()
		dense.Block()
		dense.Emulated()
		dense.Distributed()
		dense.Devices()
		for _, p := range []plantest.Forecast{dense, three, refine, mixed} {
			p.Costs()
		}
	}, dense, three, refine, mixed)
}
