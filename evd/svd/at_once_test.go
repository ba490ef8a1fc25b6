package svd_test

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plantest"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
)

// TestMethodsAtOnce calls methods of each kind of plan at the same time, Close included (see
// plantest.AtOnce).
func TestMethodsAtOnce(t *testing.T) {
	when.Pick(t, when.Race)
	ctx, d, small := context.Background(), stagetest.Device(t), tuning.Smallest()
	const n, b = 5, 2
	a := evd.Dense[float64]{Rows: n, Cols: n, Ld: n, Data: make([]float64, n*n)}
	of := svd.Bidiagonal[float64]{D: make([]float64, n), E: make([]float64, n-1)}
	band := svd.Band[float64]{N: n, B: b, Ld: b + 1, Data: make([]float64, n*(b+1))}
	for i := range n {
		a.Data[i+i*n], of.D[i], band.Data[b+i*(b+1)] = float64(i), float64(i), float64(i)
	}
	opt := svd.Options{U: svd.Full, V: svd.Full, Tuning: &small}
	dense, err := svd.NewPlan[float64](d, n, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := svd.NewBidiagonalPlan[float64](d, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	bands, err := svd.NewBandPlan[float64](d, n, b, svd.BandOptions{Tuning: &small})
	if err != nil {
		t.Fatal(err)
	}
	res, err := dense.Solve(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	solves := []func() error{
		func() error { _, err := dense.Solve(ctx, a); return err },
		func() error { _, err := dense.Check(ctx, a, res); return err },
		func() error { _, err := lines.Solve(ctx, of); return err },
		func() error { _, err := bands.Solve(ctx, band); return err },
	}
	plantest.AtOnce(t, solves, func() {
		dense.Band()
		dense.Block()
		dense.Emulated()
		bands.Passes()
		for _, p := range []plantest.Forecast{dense, lines, bands} {
			p.Costs()
		}
	}, dense, lines, bands)
}
