package machine

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestFloat64Rate checks that the FP64 rate of a device is plausible: faster than a slow CPU, and
// slower than any future GPU. For a dry device no rate is known. A rate is measured once and
// stored.
func TestFloat64Rate(t *testing.T) {
	ctx, dev := context.Background(), stagetest.Device(t)
	rate, err := measureFloat64Rate(ctx, dev)
	if err != nil || rate < 1e7 || rate > 1e16 {
		t.Errorf("%g flops per second, %v", rate, err)
	}
	t.Logf("%.3g flops per second", rate)
	dry := vk.Info{Type: "discrete", Memory: 1 << 40, Free: 1 << 40}
	if rate, err := Of(vk.Dry(dry)).Float64Rate(ctx); rate != 0 || err != nil {
		t.Errorf("of a dry device: %g, %v", rate, err)
	}
	m := Of(open(t))
	m.KeepRates(Rates{FP64: 1e11, INT8: 7})
	m.Info.Type = "discrete"
	if rate, err := m.Float64Rate(ctx); rate != 1e11 || err != nil {
		t.Errorf("the kept rate is %g, %v", rate, err)
	}
	fresh := Of(open(t))
	fresh.Info.Type = "discrete"
	if r := fresh.rateOf(t); r < 1e7 || fresh.Rates().FP64 != r || fresh.rateOf(t) != r {
		t.Errorf("measured %g, kept %+v", r, fresh.Rates())
	}
	if m.Info.Type = "cpu"; m.rateOf(t) != 0 {
		t.Error("a CPU was measured")
	}
}

func (m *Machine) rateOf(t *testing.T) float64 {
	t.Helper()
	rate, err := m.Float64Rate(context.Background())
	if err != nil {
		t.Error(err)
	}
	return rate
}
