package batch_test

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/internal/plantest"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
)

// TestMethodsAtOnce calls methods of both kinds of plan at the same time, Close included: see
// plantest.AtOnce. A batch has more matrices than the plan solves at the same time.
func TestMethodsAtOnce(t *testing.T) {
	when.Pick(t, when.Race)
	ctx, d, small := context.Background(), stagetest.Device(t), tuning.Smallest()
	opt := batch.Options{Vectors: true, Tuning: &small}
	const n = 4
	p, err := batch.NewPlan[float64](d, n, 2, opt)
	if err != nil {
		t.Fatal(err)
	}
	q, err := batch.NewTridiagonalPlan[float64](d, n, 2, opt)
	if err != nil {
		t.Fatal(err)
	}
	a := evd.NewSym(n, make([]float64, n*n), evd.Lower)
	of := evd.Tridiagonal[float64]{D: make([]float64, n), E: make([]float64, n-1)}
	for i := range n {
		a.Data[i+i*n], of.D[i] = float64(i), float64(i)
	}
	dense, lines := []evd.Sym[float64]{a, a, a}, []evd.Tridiagonal[float64]{of, of, of}
	res, err := p.Solve(ctx, dense)
	if err != nil {
		t.Fatal(err)
	}
	plantest.AtOnce(t, []func() error{
		func() error { _, err := p.Solve(ctx, dense); return err },
		func() error { _, err := q.Solve(ctx, lines); return err },
	}, func() { // a check needs no device
		if _, err := p.Check(ctx, dense, res.Spectra); err != nil {
			t.Error(err)
		}
		if _, err := q.Check(ctx, lines, res.Spectra); err != nil {
			t.Error(err)
		}
	}, p, q)
}
