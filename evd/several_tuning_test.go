package evd

import (
	"errors"
	"testing"

	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestTuningOfAnotherDevice checks that the sizes of Options.Tuning are not used on a further device
// with another name, because they were found for the first device. The half-bandwidth must be that of
// the first device, which makes the reflectors.
func TestTuningOfAnotherDevice(t *testing.T) {
	info := vk.Info{Name: "large", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Memory: 1 << 40, Free: 1 << 40}
	first, same := vk.Dry(info), vk.Dry(info)
	info.Name = "another"
	other := vk.Dry(info)
	small := tuning.Smallest()
	p, err := NewPlan[float64](first, 300, Options{Vectors: true, Tuning: &small, Devices: []*vk.Device{same, other}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	table := tuning.On(info)
	for k, want := range []uint32{small.ApplyQ2.Threads, table.ApplyQ2.Threads} {
		got := p.path.back[k].tune
		if got.ApplyQ2.Threads != want || got.Band != p.path.tune.Band || want == 0 {
			t.Errorf("device %d: %d threads, half-bandwidth %d; want %d, %d", k+1, got.ApplyQ2.Threads, got.Band, want, p.path.tune.Band)
		}
	}
	if small.ApplyQ2.Threads == table.ApplyQ2.Threads {
		t.Error("both tables have the same size")
	}
}

// TestRefinePlanChecksDevices checks that a refinement plan refuses a bad list of devices when it is
// made, although only a cold solve uses the devices.
func TestRefinePlanChecksDevices(t *testing.T) {
	d := vk.Dry(vk.Info{Memory: 1 << 40, Free: 1 << 40})
	for _, list := range [][]*vk.Device{{nil}, {d}} {
		var bad *OptionError
		if _, err := NewRefinePlan(d, 50, Options{Devices: list}); !errors.As(err, &bad) || bad.Option != "Devices" {
			t.Errorf("%v: %v", list, err)
		}
	}
}
