package evd

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/tests/testmat"
	"github.com/vkevd/vkevd/vk"
)

// Values that are off are found again: a few ulp by counts around them, at either side, many by bisection, which then
// leaves the others alone.
func TestSpoiledValuesAreSettled(t *testing.T) {
	const n = 21
	diagonal, off := testmat.Toeplitz(2, -1).Tridiagonal(n)
	m := Tridiagonal[float64]{D: diagonal, E: off}
	unit := ulp * m.norm1()
	small := stages.SmallestTuning()
	p, err := NewTridiagonalPlan[float64](verifyDevice(t), n, Options{Solver: QR, Tuning: &small})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	method := p.spectral.solver
	exact := vector(n, func(k int) float64 { return 2 - 2*math.Cos(float64(k+1)*math.Pi/(n+1)) })
	all := map[int]float64{} // so many that two cells are left for each
	for k := range n {
		all[k] = 10
	}
	for _, c := range []struct {
		by              map[int]float64 // what values are spoiled by, in ulp·‖T‖₁
		counts, bisects bool            // what is seen of it: counts around values; bisection
	}{
		{nil, false, false},
		{map[int]float64{3: 10}, true, false},
		{map[int]float64{0: -10, 7: 15, 20: -3.5}, true, false},
		{map[int]float64{3: 1e6}, true, true},
		{map[int]float64{2: -1e6, 3: 10, 19: math.Inf(1), 20: math.NaN()}, true, true},
		{map[int]float64{0: math.Inf(-1)}, true, true},
		{all, false, true},
	} {
		p.spectral.solver = spoiled{method, func(_ *call, _ vk.Slice[float64], values []float64, _ stages.Matrix) error {
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
		want := map[bool]int{true: 2, false: 1} // the first is the certificate
		if times[stageCount] != want[c.counts] || (times[stageBisect] > 0) != c.bisects {
			t.Errorf("spoiled by %v: %d times counts, %d times bisection", c.by, times[stageCount], times[stageBisect])
		}
		if !slices.IsSorted(res.Values) {
			t.Errorf("spoiled by %v: values do not ascend", c.by)
		}
		for k, v := range res.Values {
			if !(math.Abs(v-exact[k]) <= (narrowest+1)*unit) { // the formula errs, too
				t.Errorf("spoiled by %v: value %d is %g ulp·‖T‖ off", c.by, k, (v-exact[k])/unit)
			}
		}
		if w, err := p.Certify(context.Background(), m, res); err != nil || w*n > narrowest {
			t.Errorf("spoiled by %v: certified to %g ulp·‖T‖, %v", c.by, w*n, err)
		}
	}
}

func vector(n int, f func(k int) float64) []float64 {
	v := make([]float64, n)
	for k := range v {
		v[k] = f(k)
	}
	return v
}
