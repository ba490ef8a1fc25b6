package pencil

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestSubnormalValues verifies pairs whose scales differ so much that the values are subnormal
// numbers, or that the factor between them and those of the scaled pair is no double.
func TestSubnormalValues(t *testing.T) {
	const n = 4
	for _, c := range []struct {
		typ  Type
		a, b int
	}{{AxLBx, -520, 520}, {AxLBx, 0, 1020}, {AxLBx, -600, 600}, {ABxLx, -520, -520}, {BAxLx, -530, -520}, {AxLBx, -1050, -1040}} {
		pr := newPair[float64](n, 10, true)
		a, b := given[float64](n, pr.a, evd.Lower, false), given[float64](n, pr.b, evd.Lower, false)
		dense.Multiply(a.Data, math.Ldexp(1, c.a))
		dense.Multiply(b.Data, math.Ldexp(1, c.b))
		p := planFor[float64](t, n, Options{Type: c.typ, Vectors: true, Verify: true, Tuning: small()})
		res, err := p.SolvePair(context.Background(), a, b)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		res.Values[n-1] *= 2
		if r, err := p.Check(context.Background(), a, b, res); err != nil || c.a < -1000 && !(r.Residual > Threshold) {
			t.Errorf("%+v: a value that is wrong has the residual %g, %v", c, r.Residual, err)
		}
	}
}

// TestSafePathFactorsAgain damages the factor that a plan keeps. Solve must find this, compute the
// factor again, and return the right result.
func TestSafePathFactorsAgain(t *testing.T) {
	const n = 40
	ctx, pr := context.Background(), newPair[float64](40, 10, true)
	p := planFor[float64](t, n, Options{Vectors: true, Verify: true, Tuning: small()})
	if _, err := p.Factor(ctx, given[float64](n, pr.b, evd.Lower, false)); err != nil {
		t.Fatal(err)
	}
	l := p.factor.Parts(p.base.Begin(ctx, nil).Arena)[0].Sub(35, 1) // element (35, 0)
	if err := vk.Upload(ctx, stagetest.Device(t), l, vk.Columns[float64]{Rows: 1, Cols: 1, Ld: 1, Data: []float64{0.7}}); err != nil {
		t.Fatal(err)
	}
	a := given[float64](n, pr.a, evd.Lower, false)
	for _, safe := range []bool{true, false} {
		res, err := p.Solve(ctx, a)
		if err != nil || res.Certificate.Safe != safe {
			t.Fatalf("safe path %v: %v", safe, err)
		}
		solved[float64]{t: t, where: fmt.Sprint(safe), p: pr, typ: AxLBx, result: res}.judge(1)
	}
}

// TestNotPositiveByEmulatedProducts factors a matrix that is not positive definite. After the first
// pivot that is not positive, numbers of the factor become infinite, and emulated products refuse
// them. This must not change the plan.
func TestNotPositiveByEmulatedProducts(t *testing.T) {
	const n = 70
	p, err := NewPlan[float64](stagetest.Device(t), n, Options{Products: evd.ProductsEmulated, Tuning: small()})
	if err != nil {
		t.Skip(err)
	}
	defer p.Close()
	b := given[float64](n, newPair[float64](n, 10, false).a, evd.Lower, false) // A is indefinite
	b.Data[0] = 1
	var not *NotPositiveError
	if _, err := p.Factor(context.Background(), b); !errors.As(err, &not) || not.Order < 2 || !p.Emulated() {
		t.Errorf("%v, emulated %v", err, p.Emulated())
	}
}

// TestCheckOfBadVectors checks the errors for vectors that are too short, and the ratios of a pair
// of order 1.
func TestCheckOfBadVectors(t *testing.T) {
	const n = 4
	ctx, pr := context.Background(), newPair[float64](n, 10, true)
	a, b := given[float64](n, pr.a, evd.Lower, false), given[float64](n, pr.b, evd.Lower, false)
	p := planFor[float64](t, n, Options{Vectors: true, Tuning: small()})
	for _, z := range []evd.Dense[float64]{{Rows: n, Cols: n, Ld: n}, {Rows: n, Cols: n, Ld: 2, Data: make([]float64, n*n)}, {Rows: n, Cols: n, Ld: n, RowMajor: true}} {
		var shape *evd.ShapeError
		if _, err := p.Check(ctx, a, b, &Result[float64]{Result: evd.Result[float64]{Values: make([]float64, n), Vectors: &z}}); !errors.As(err, &shape) {
			t.Errorf("%+v: %v", z, err)
		}
	}
	for typ := AxLBx; typ <= BAxLx; typ++ {
		one := planFor[float64](t, 1, Options{Type: typ, Vectors: true})
		a, b := evd.NewSym(1, []float64{2}, evd.Lower), evd.NewSym(1, []float64{3}, evd.Lower)
		res, err := one.SolvePair(ctx, a, b)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := one.Check(ctx, a, b, res); err != nil || !(r.Residual < 2) || !(r.Orthogonality < 2) {
			t.Errorf("type %d: %+v, %v", typ, r, err)
		}
		res.Values[0], res.Vectors.Data[0] = 99, 7
		if r, err := one.Check(ctx, a, b, res); err != nil || !(r.Residual > Threshold) || !(r.Orthogonality > Threshold) {
			t.Errorf("type %d, wrong: %+v, %v", typ, r, err)
		}
	}
}
