package evd

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

type forecast interface {
	Bytes() uint64
	Memory() []vk.Placed
	Close()
}

// TestForecastsAreWhatIsAllocated compares the number of bytes that a plan for a dry device
// predicts with the number that a plan for the real device allocates. Both must be equal.
func TestForecastsAreWhatIsAllocated(t *testing.T) {
	when.Skip(t, when.Quick|when.Slow, "values of forecasts")
	d := verifyDevice(t)
	dry, small := vk.Dry(d.Info()), tuning.Smallest()
	const n = 40
	for _, c := range []struct {
		tridiagonal bool
		opt         Options
	}{
		{false, Options{}},
		{false, Options{Vectors: true}},
		{false, Options{Vectors: true, Select: Index(3, 8)}},
		{false, Options{Vectors: true, Select: Index(0, 2), Verify: true}},
		{true, Options{Solver: MRRR}},
		{true, Options{Vectors: true, Select: Interval(0, 1)}},
		{true, Options{Vectors: true, Select: Interval(0, 1).AtMost(4)}},
	} {
		c.opt.Tuning = &small
		plan := func(d *vk.Device) (forecast, *plan.Base) {
			if c.tridiagonal {
				p, err := NewTridiagonalPlan[float64](d, n, c.opt)
				if err != nil {
					t.Fatal(err)
				}
				return p, &p.base
			}
			p, err := NewPlan[float64](d, n, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			return p, &p.team.Base
		}
		forecast, _ := plan(dry)
		allocated, base := plan(d)
		isAllocated(t, c, forecast, base)
		allocated.Close()
	}
}

func TestComplexForecastsAreWhatIsAllocated(t *testing.T) {
	when.Skip(t, when.Quick|when.Slow, "values of forecasts")
	complexForecasts[complex128](t)
	complexForecasts[complex64](t)
}

func complexForecasts[T Number](t *testing.T) {
	d, small := verifyDevice(t), tuning.Smallest()
	for _, opt := range []Options{{}, {Vectors: true}, {Vectors: true, Select: Index(0, 2), Verify: true}} {
		opt.Tuning = &small
		isAllocated(t, opt, planFor[T](t, vk.Dry(d.Info()), 40, opt), &planFor[T](t, d, 40, opt).team.Base)
	}
}

func isAllocated(t *testing.T, what any, forecast forecast, base *plan.Base) {
	t.Helper()
	if f, r := forecast.Bytes(), base.Begin(context.Background(), nil).Arena.Bytes(); f != r {
		t.Errorf("%+v: %d bytes were forecast, %d allocated", what, f, r)
	}
	var end uint64
	for _, r := range forecast.Memory() {
		end = max(end, r.Offset+r.Bytes)
	}
	if f := forecast.Bytes(); end > f || f-end >= 256 { // the end of the last region is aligned
		t.Errorf("%+v: the regions end at %d of %d bytes", what, end, f)
	}
}
