package svd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	lapackgonum "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/stages/tuning"
)

// valuesByQR returns the singular values of the bidiagonal matrix with diagonal d and off-diagonal
// e. gonum's Dbdsqr computes them. Without vectors it uses the dqds algorithm (Dlasq1), which gives
// small values with a small relative error.
func valuesByQR(t *testing.T, d, e []float64) []float64 {
	t.Helper()
	d, e = slices.Clone(d), append(slices.Clone(e), 0)
	if !(lapackgonum.Implementation{}).Dbdsqr('U', len(d), 0, 0, 0, d, e, nil, 1, nil, 1, nil, 1, make([]float64, 4*len(d))) {
		t.Fatal("dbdsqr gave up")
	}
	return d
}

// TestBidiagonalPlan solves bidiagonal matrices that are known to be difficult. The ratios of the
// vectors must be small. The values must have the same bits with and without vectors. Each value
// above 2⁻⁵⁰ of the largest must agree with the value of gonum's Dbdsqr to 20·max(n/10, 1) units in
// its last place (ulp).
func TestBidiagonalPlan(t *testing.T) {
	when.Skip(t, when.Quick, "TestVectors solves bidiagonal matrices, too")
	small := tuning.Smallest()
	for _, n := range []int{1, 2, 3, 10, 20, 30, 40, 50} { // orders in the input file of dchkbd, and edge cases
		opt := Options{U: Thin, V: Full, Certify: true, Tuning: &small}
		p, err := NewBidiagonalPlan[float64](testDevice(t), n, opt)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := NewBidiagonalPlan[float64](testDevice(t), n, Options{Tuning: &small})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range suite.BidiagonalFamilies {
			what := fmt.Sprintf("%d, %s", n, f.Name)
			d, e := f.Make(n)
			c := Bidiagonal[float64]{d, e}
			res, err := p.Solve(context.Background(), c)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			without, err := alone.Solve(context.Background(), c)
			if err != nil || !slices.Equal(res.Values, without.Values) {
				t.Errorf("%s: without vectors %v", what, err)
			}
			if !res.Certificate.Passed() {
				t.Errorf("%s: %v", what, res.Certificate)
			}
			a := turned(n, d, e, false)
			g := mat.NewDense(n, n, nil)
			g.Apply(func(i, j int, _ float64) float64 { return a.At(i, j) }, g)
			decomposed(t, what, g, opt, res)
			if r, err := p.Check(context.Background(), c, res); err != nil || !r.Passed() || !(math.Abs(r.Residual-residualOf(g, res)) <= 1) {
				t.Errorf("%s: %v, %v", what, r, err)
			}
			want := valuesByQR(t, d, e)
			for i, x := range res.Values {
				if far := math.Abs(x - want[i]); !(far <= 20*max(float64(n)/10, 1)*0x1p-52*max(want[i], 0x1p-50*want[0])) {
					t.Errorf("%s: value %d is %g, want %g", what, i, x, want[i])
				}
			}
		}
		p.Close()
		alone.Close()
	}
}

// TestBidiagonalPlanPart makes a plan for only the largest values and the vectors of one side.
// Values and vectors must agree with the results of a plan for all values.
func TestBidiagonalPlanPart(t *testing.T) {
	small, n := tuning.Smallest(), 40
	d, e := suite.BidiagonalFamilies[12].Make(n)
	var results []*Result[float64]
	for _, opt := range []Options{{U: Thin, V: Thin}, {V: Thin, Largest: 7}} {
		opt.Tuning = &small
		p, err := NewBidiagonalPlan[float64](testDevice(t), n, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		res, err := p.Solve(context.Background(), Bidiagonal[float64]{d, e})
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, res)
	}
	all, part := results[0], results[1]
	if part.U != nil || part.V.Cols != 7 || !slices.Equal(part.Values, all.Values[:7]) {
		t.Fatalf("%v, %v", part.Values, all.Values)
	}
	for i, x := range part.V.Data {
		if !(math.Abs(x-all.V.Data[i]) <= 1e-10) {
			t.Fatalf("element %d of V is %g, want %g", i, x, all.V.Data[i])
		}
	}
}

// TestBidiagonalPlanChecks changes a correct result in several ways. Check must find each error.
func TestBidiagonalPlanChecks(t *testing.T) {
	small, n := tuning.Smallest(), 30
	p, err := NewBidiagonalPlan[float64](testDevice(t), n, Options{U: Thin, V: Thin, Tuning: &small})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	d, e := suite.BidiagonalFamilies[12].Make(n)
	c := Bidiagonal[float64]{d, e}
	for name, spoil := range map[string]func(*Result[float64]){
		"value": func(r *Result[float64]) { r.Values[3] += 1e-9 },
		"sign":  func(r *Result[float64]) { r.U.Data[5] *= -1 },
		"order": func(r *Result[float64]) { r.Values[3], r.Values[4] = r.Values[4], r.Values[3] },
		"twice": func(r *Result[float64]) { copy(r.V.Data[n:2*n], r.V.Data[:n]) },
		"NaN":   func(r *Result[float64]) { r.V.Data[7] = math.NaN() },
	} {
		res, err := p.Solve(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		spoil(res)
		if r, err := p.Check(context.Background(), c, res); err != nil || r.Passed() {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

// TestBidiagonalPlanRefuses calls NewBidiagonalPlan and its methods with wrong arguments. Each call
// must return the right error, and the plan must work afterwards.
func TestBidiagonalPlanRefuses(t *testing.T) {
	dev, small := testDevice(t), tuning.Smallest()
	var option *evd.OptionError
	var order *evd.ShapeError
	for _, opt := range []Options{{Band: 4}, {Block: 8}, {Largest: 6}, {U: 3}} {
		if _, err := NewBidiagonalPlan[float64](dev, 5, opt); !errors.As(err, &option) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	if _, err := NewBidiagonalPlan[float64](dev, -1, Options{}); !errors.As(err, &order) {
		t.Error(err)
	}
	p, err := NewBidiagonalPlan[float64](dev, 3, Options{U: Thin, Tuning: &small})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var shape *ShapeError
	for _, c := range []Bidiagonal[float64]{{}, {[]float64{1, 2}, []float64{1, 2}}, {[]float64{1, 2, 3}, []float64{1}}} {
		if _, err := p.Solve(context.Background(), c); !errors.As(err, &shape) {
			t.Errorf("%v: %v", c, err)
		}
	}
	var finite *evd.NonFiniteError
	if _, err := p.Solve(context.Background(), Bidiagonal[float64]{[]float64{1, 2, 3}, []float64{1, math.Inf(1)}}); !errors.As(err, &finite) ||
		finite.Row != 1 || finite.Col != 2 {
		t.Errorf("infinite entry: %v", err)
	}
	res, err := p.Solve(context.Background(), Bidiagonal[float64]{[]float64{3, -2, 1}, []float64{0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	nearScaled(t, "afterwards", res.Values, []float64{3, 2, 1}, 1)
	empty, err := NewBidiagonalPlan[float64](dev, 0, Options{U: Thin})
	if err != nil {
		t.Fatal(err)
	}
	if res, err := empty.Solve(context.Background(), Bidiagonal[float64]{}); err != nil || len(res.Values) != 0 || res.U == nil {
		t.Errorf("order 0: %v, %v", res, err)
	}
}

// TestBidiagonalCheckWaitsForASolve holds the plan as a solve does. Check must wait, because both
// use the memory of the plan.
func TestBidiagonalCheckWaitsForASolve(t *testing.T) {
	small, n := tuning.Smallest(), 30
	p, err := NewBidiagonalPlan[float64](testDevice(t), n, Options{U: Thin, V: Thin, Tuning: &small})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	d, e := suite.BidiagonalFamilies[12].Make(n)
	c := Bidiagonal[float64]{d, e}
	res, err := p.Solve(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	p.base.Lock()
	go func() {
		_, err := p.Check(context.Background(), c, res)
		done <- err
	}()
	select {
	case err := <-done:
		t.Errorf("Check did not wait: %v", err)
		done <- nil
	case <-time.After(200 * time.Millisecond):
	}
	p.base.Unlock()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestBidiagonalCosts checks how many stages the forecasts of plans with and without vectors have.
func TestBidiagonalCosts(t *testing.T) {
	for vectors, want := range map[Vectors]int{None: 1, Thin: 2} {
		p, err := NewBidiagonalPlan[float64](testDevice(t), 40, Options{U: vectors, V: vectors})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		if costs := p.Costs(); len(costs) != want {
			t.Errorf("vectors %v: %v", vectors, costs)
		}
	}
}

// TestFromGonumKeepsTheStride reads a part of a gonum matrix, whose rows are further apart than
// they are long.
func TestFromGonumKeepsTheStride(t *testing.T) {
	whole := mat.NewDense(4, 7, nil)
	for i := range 4 {
		for j := range 7 {
			whole.Set(i, j, float64(10*i+j))
		}
	}
	part := whole.Slice(1, 4, 2, 5)
	a := FromGonum(part)
	for i := range 3 {
		for j := range 3 {
			if got := a.At(i, j); got != part.At(i, j) {
				t.Errorf("entry (%d, %d) is %g, not %g", i, j, got, part.At(i, j))
			}
		}
	}
}
