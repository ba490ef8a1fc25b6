package evd

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestSpoiledValuesAreSettled replaces some eigenvalues that a method has computed by wrong values.
// The solve must compute these eigenvalues again. If they are wrong by a few ulp, up or down, it
// must find them by Sturm counts around the values, and if they are far off, by bisection.
// Bisection must not change the other eigenvalues.
func TestSpoiledValuesAreSettled(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	when.Pick(t, when.Race)
	const n = 21
	diagonal, off := matgen.Toeplitz(2, -1).Tridiagonal(n)
	m := Tridiagonal[float64]{D: diagonal, E: off}
	unit := spectrum.Ulp * m.times(1).Norm1()
	small := tuning.Smallest()
	p, err := NewTridiagonalPlan[float64](verifyDevice(t), n, Options{Solver: QR, Tuning: &small})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	method := p.spectrum.Method
	exact := vector(n, func(k int) float64 { return 2 - 2*math.Cos(float64(k+1)*math.Pi/(n+1)) })
	all := map[int]float64{} // wrong values, so many that the method nearby could have only two cells for each value
	for k := range n {
		all[k] = 10
	}
	for _, c := range []struct {
		by              map[int]float64 // the error that each value gets, in units of ulp·‖T‖₁
		counts, bisects bool            // whether the solve must count around values, and whether it must bisect
	}{
		{nil, false, false},
		{map[int]float64{3: 10}, true, false},
		{map[int]float64{0: -10, 7: 15, 20: -3.5}, true, false},
		{map[int]float64{3: 1e6}, true, true},
		{map[int]float64{2: -1e6, 3: 10, 19: math.Inf(1), 20: math.NaN()}, true, true},
		{map[int]float64{0: math.Inf(-1)}, true, true},
		{all, false, true},
	} {
		p.spectrum.Method = spoiled{method, func(_ *plan.Call, _ vk.Slice[float64], values []float64, _ stages.Matrix) error {
			for k, by := range c.by {
				values[k] += by * unit
			}
			return nil
		}}
		res, err := p.Solve(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		times := map[string]int{}
		for _, phase := range res.Profile.Phases {
			times[phase.Name] = phase.Count
		}
		want := map[bool]int{true: 2, false: 1} // the first counts test all values
		if times[stages.PhaseCounts] != want[c.counts] || (times[stages.PhaseBisection] > 0) != c.bisects {
			t.Errorf("spoiled by %v: %d times counts, %d times bisection", c.by, times[stages.PhaseCounts], times[stages.PhaseBisection])
		}
		if !slices.IsSorted(res.Values) {
			t.Errorf("spoiled by %v: values do not ascend", c.by)
		}
		for k, v := range res.Values {
			if !(math.Abs(v-exact[k]) <= (spectrum.Narrowest+1)*unit) { // the formula has rounding errors, too
				t.Errorf("spoiled by %v: value %d is %g ulp·‖T‖ off", c.by, k, (v-exact[k])/unit)
			}
		}
		if w, err := p.Certify(context.Background(), m, res); err != nil || !(w*n <= spectrum.Narrowest) {
			t.Errorf("spoiled by %v: certified to %g ulp·‖T‖, %v", c.by, w*n, err)
		}
	}
}

// TestSettledValuesDoNotDependOnSpeed computes wrong eigenvalues again, by Sturm counts, with
// different numbers of counts per dispatch. The number of counts follows from the device's measured
// speed (tuning.Tuning.Bounded). The bits of the results must not depend on it.
func TestSettledValuesDoNotDependOnSpeed(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	when.Pick(t, when.Race)
	const n = 100
	diagonal, off := matgen.Toeplitz(2, -1).Tridiagonal(n)
	m := Tridiagonal[float64]{D: diagonal, E: off}
	unit := spectrum.Ulp * m.times(1).Norm1()
	var values [][]float64
	for _, dispatch := range []float64{1, 7500, 1e9} {
		tune := tuning.Smallest()
		tune.Bisection.Dispatch = dispatch
		p, err := NewTridiagonalPlan[float64](verifyDevice(t), n, Options{Solver: QR, Tuning: &tune})
		if err != nil {
			t.Fatal(err)
		}
		p.spectrum.Method = spoiled{p.spectrum.Method, func(_ *plan.Call, _ vk.Slice[float64], values []float64, _ stages.Matrix) error {
			for k := range 30 {
				values[3*k] += (4.5 - float64(k%10)/16) * unit
			}
			return nil
		}}
		res, err := p.Solve(context.Background(), m)
		p.Close()
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, res.Values)
	}
	for _, v := range values[1:] {
		if !slices.Equal(v, values[0]) {
			t.Error("values have other bits where more counts are done at once")
		}
	}
}

// TestSpoiledPartsAreSettled replaces computed eigenvalues by wrong values, and the solve must
// compute them again. It tests a part of the spectrum, the order 2, equal eigenvalues, and norms at
// the ends of the range of doubles.
func TestSpoiledPartsAreSettled(t *testing.T) {
	when.Pick(t, when.Race)
	d := verifyDevice(t)
	small := tuning.Smallest()
	twice := func(n int, x float64) Tridiagonal[float64] { // the eigenvalues 3·x and 4·x, n/2 times each, because T splits into blocks of order 2
		m := Tridiagonal[float64]{D: slices.Repeat([]float64{3.5 * x}, n), E: make([]float64, n-1)}
		for i := 0; i < n-1; i += 2 {
			m.E[i] = x / 2
		}
		return m
	}
	for _, c := range []struct {
		name     string
		m        Tridiagonal[float64]
		from, to int
		by       map[int]float64 // by index, the error of the value in ulp·‖T‖₁
		bisects  bool
	}{
		{"middle", wilkinson(21), 5, 12, map[int]float64{0: 10, 3: -7, 6: 12}, false},
		{"both ends of the middle, far", wilkinson(21), 5, 12, map[int]float64{0: 1e9, 6: -1e9}, true},
		{"last", wilkinson(21), 20, 21, map[int]float64{0: -25}, false},
		{"order 2", twice(2, 1), 0, 2, map[int]float64{0: -10, 1: 10}, false},
		{"order 2, the upper one", twice(2, 1), 1, 2, map[int]float64{0: -10}, false},
		{"equal", twice(20, 1), 0, 20, map[int]float64{0: 5, 4: -9, 9: 8, 10: -8, 19: 9}, false},
		{"small", twice(20, 0x1p-900), 3, 20, map[int]float64{0: 5, 16: -9}, false},
		{"a norm above the largest number", Tridiagonal[float64]{
			D: slices.Repeat([]float64{0.7 * math.MaxFloat64}, 3), E: slices.Repeat([]float64{0.2 * math.MaxFloat64}, 2),
		}, 0, 3, map[int]float64{0: 9, 1: -9}, false},
		{"tiny", twice(20, 0x1p-1000), 3, 20, map[int]float64{0: 5, 16: -9}, false},
		{"tinier", twice(20, 0x1p-1030), 3, 20, map[int]float64{0: 5, 16: -9}, true},
		{"tiniest", twice(20, 0x1p-1060), 3, 20, map[int]float64{0: 5, 16: -9}, true},
		{"large", twice(20, 0x1p900), 3, 20, map[int]float64{0: 5, 16: -9}, false},
	} {
		p, err := NewTridiagonalPlan[float64](d, c.m.N(), Options{Solver: QR, Select: Index(c.from, c.to), Tuning: &small})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		unit := spectrum.Ulp * min(c.m.times(1).Norm1(), math.MaxFloat64)
		p.spectrum.Method = spoiled{p.spectrum.Method, func(_ *plan.Call, _ vk.Slice[float64], values []float64, _ stages.Matrix) error {
			for k, by := range c.by {
				values[k] += by * unit
			}
			return nil
		}}
		res, err := p.Solve(context.Background(), c.m)
		if err != nil {
			t.Fatal(err)
		}
		if have := res.Profile.Phase(stages.PhaseBisection) > 0; have != c.bisects {
			t.Errorf("%s: bisection %v", c.name, have)
		}
		if w, err := p.Certify(context.Background(), c.m, res); err != nil || !(w*float64(c.m.N()) <= spectrum.Narrowest) || !slices.IsSorted(res.Values) {
			t.Errorf("%s: certified to %g ulp·‖T‖, %v; %g", c.name, w*float64(c.m.N()), err, res.Values)
		}
	}
}

// wilkinson returns Wilkinson's matrix W⁺ of order n. Its largest eigenvalues come in close pairs.
func wilkinson(n int) Tridiagonal[float64] {
	return Tridiagonal[float64]{
		D: vector(n, func(k int) float64 { return math.Abs(float64(k - n/2)) }), E: slices.Repeat([]float64{1}, n-1),
	}
}

func vector(n int, f func(k int) float64) []float64 {
	v := make([]float64, n)
	for k := range v {
		v[k] = f(k)
	}
	return v
}
