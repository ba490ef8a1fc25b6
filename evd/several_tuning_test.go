package evd

import (
	"errors"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestTuningOfAnotherDevice checks that the sizes of Options.Tuning are not used on a further
// device with another name, because they were found for the first device. The half-bandwidth must
// be that of the first device, which makes the reflectors.
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
		got := undivided(p.stages.Now).Helpers[k].Tune
		if got.ApplyQ2.Threads != want || got.Band != p.lead().Tune.Band || want == 0 {
			t.Errorf("device %d: %d threads, half-bandwidth %d; want %d, %d", k+1, got.ApplyQ2.Threads, got.Band, want, p.lead().Tune.Band)
		}
	}
	if small.ApplyQ2.Threads == table.ApplyQ2.Threads {
		t.Error("both tables have the same size")
	}
}

// TestGivenSizesKeepThoseOfFloat32 makes plans with a device's table of sizes, in which only the
// half-bandwidth was changed, as stored results of `vkevd tune` do. A solve in single precision
// must have its own tiles and the new half-bandwidth. (It once had the tiles for double precision.)
func TestGivenSizesKeepThoseOfFloat32(t *testing.T) {
	when.Pick(t, when.Single)
	dev := vk.Dry(vk.Info{Name: "NVIDIA H200", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Memory: 1 << 40, Free: 1 << 40})
	given, want := tuning.On(dev.Info()), tuning.For[float32](dev.Info()).Products.Tiles
	given.Band = 16
	opt := Options{Vectors: true, Tuning: &given}
	p, err := NewPlan[float32](dev, 5000, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	m, err := NewMixedPlan[float64](dev, 5000, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for name, got := range map[string]tuning.Tuning{"single": p.lead().Tune, "mixed": singleOf(m).Now.Tune} {
		if got.Band != 16 || !slices.Equal(got.Products.Tiles, want) || slices.Equal(want, given.Products.Tiles) {
			t.Errorf("%s: half-bandwidth %d, tiles %v, want %v", name, got.Band, got.Products.Tiles, want)
		}
		if !slices.Equal(got.Double().Products.Tiles, given.Products.Tiles) {
			t.Errorf("%s: the tridiagonal problem has the tiles %v", name, got.Double().Products.Tiles)
		}
	}
}

// TestRefinePlanChecksDevices checks that a refinement plan refuses a bad list of devices when it
// is made, although only a cold solve uses the devices.
func TestRefinePlanChecksDevices(t *testing.T) {
	d := vk.Dry(vk.Info{Memory: 1 << 40, Free: 1 << 40})
	for _, list := range [][]*vk.Device{{nil}, {d}} {
		var bad *OptionError
		if _, err := NewRefinePlan[float64](d, 50, Options{Devices: list}); !errors.As(err, &bad) || bad.Option != "Devices" {
			t.Errorf("%v: %v", list, err)
		}
	}
}
