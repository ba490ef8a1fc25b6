package evd

import (
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// What a plan on a dry device forecasts is what one on the device itself allocates.
func TestForecastsAreWhatIsAllocated(t *testing.T) {
	d := verifyDevice(t)
	dry, small := vk.Dry(d.Info()), stages.SmallestTuning()
	const n = 40
	for _, opt := range []Options{
		{}, {Vectors: true}, {Vectors: true, Select: Index(3, 8)}, {Vectors: true, Select: Interval(0, 1)}, {Vectors: true, Select: Interval(0, 1).AtMost(4)},
		{Solver: MRRR}, {Solver: MRRR, Vectors: true}, {Solver: DivideConquer, Vectors: true, Select: Index(3, 8)}, {Vectors: true, Verify: true, Select: Index(0, 2)},
	} {
		opt.Tuning = &small
		forecast, err := NewPlan[float64](dry, n, opt)
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPlan[float64](d, n, opt)
		if err != nil {
			t.Fatal(err)
		}
		compareForecast(t, fmt.Sprintf("%+v", opt), &forecast.holder, &p.holder)
		if opt.Verify {
			continue
		}
		tforecast, err := NewTridiagonalPlan[float64](dry, n, opt)
		if err != nil {
			t.Fatal(err)
		}
		q, err := NewTridiagonalPlan[float64](d, n, opt)
		if err != nil {
			t.Fatal(err)
		}
		compareForecast(t, fmt.Sprintf("tridiagonal, %+v", opt), &tforecast.holder, &q.holder)
	}
}

// compareForecast closes the plan that was made.
func compareForecast(t *testing.T, name string, forecast, made *holder) {
	t.Helper()
	if f, m := forecast.Bytes(), made.arena.Bytes(); f != m {
		t.Errorf("%s: %d bytes were forecast, %d allocated", name, f, m)
	}
	var end uint64
	for _, r := range forecast.Memory() {
		end = max(end, r.Offset+r.Bytes)
	}
	if f := forecast.Bytes(); end > f || f-end >= 256 {
		t.Errorf("%s: the regions end at %d of %d bytes", name, end, f)
	}
	made.Close()
}
