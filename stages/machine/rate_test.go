package machine

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestFloat64Rate checks that the FP64 rate of a device is plausible: between 10⁷ flops per second,
// which any CPU reaches, and 10¹⁶, which no GPU reaches. A rate must be measured once and stored.
// Float64Rate must return 0 for a dry device and for a CPU.
func TestFloat64Rate(t *testing.T) {
	ctx, dev := context.Background(), stagetest.Device(t)
	rate, err := measureRate[float64](ctx, dev)
	if err != nil || !(rate >= 1e7 && rate <= 1e16) {
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
	if r := fresh.rateOf(t); !(r >= 1e7) || fresh.Rates().FP64 != r || fresh.rateOf(t) != r {
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

// TestPeakRates checks that both rates are plausible on any device, a CPU among them, that they are
// measured once, and that they do not become the rate by which plans divide their work.
func TestPeakRates(t *testing.T) {
	ctx, m := context.Background(), Of(open(t))
	if r := m.KnownPeakRates(); r != (PeakRates{}) {
		t.Errorf("before any measurement %+v", r)
	}
	r, err := m.PeakRates(ctx)
	if err != nil || !(r.FP64 >= 1e7 && r.FP64 <= 1e16 && r.FP32 >= r.FP64/4 && r.FP32 <= 1e17) {
		t.Errorf("%+v, %v", r, err)
	}
	t.Logf("%.3g and %.3g flops per second", r.FP64, r.FP32)
	if again, err := m.PeakRates(ctx); again != r || err != nil || m.KnownPeakRates() != r {
		t.Errorf("again %+v, %v; stored %+v", again, err, m.KnownPeakRates())
	}
	if m.Rates().FP64 != 0 {
		t.Errorf("plans divide by %g", m.Rates().FP64)
	}
	if r, err := Of(vk.Dry(vk.Info{Memory: 1 << 40, Free: 1 << 40})).PeakRates(ctx); r != (PeakRates{}) || err != nil {
		t.Errorf("of a dry device: %+v, %v", r, err)
	}
}

// TestRateWithoutFloat64 checks the rates of a device without double precision: PeakRates has no
// FP64 rate, and Rate is the stored rate of FP32, or 0 on a CPU.
func TestRateWithoutFloat64(t *testing.T) {
	dev, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), Without: []string{"shaderFloat64"}})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	ctx, m := context.Background(), Of(dev)
	if r, err := m.PeakRates(ctx); err != nil || r.FP64 != 0 || !(r.FP32 > 1e7) {
		t.Errorf("%+v, %v", r, err)
	}
	if m.Info.Type == "cpu" {
		if r, err := m.Rate(ctx); r != 0 || err != nil {
			t.Errorf("%g, %v", r, err)
		}
		m.Info.Type = "discrete" // as if the rate of a GPU were asked for
	}
	r, err := m.Rate(ctx)
	if err != nil || !(r > 1e7) || m.Rates() != (Rates{FP32: r}) {
		t.Errorf("%g, %v; stored %+v", r, err, m.Rates())
	}
	if again, err := m.Rate(ctx); again != r || err != nil {
		t.Errorf("again %g, %v", again, err)
	}
	if _, err := MeasureArithmetic(ctx, dev); !errors.As(err, new(*vk.UnsupportedError)) {
		t.Errorf("the arithmetic of doubles: %v", err)
	}
}
