package tuning_test

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestRowsFallThrough checks the choice of sizes if one row of a tuning table does not fit the
// device. This row must come from the next table of the chain, and the other rows must not change.
func TestRowsFallThrough(t *testing.T) {
	amd := vk.Info{Family: "amd", SharedBytes: 64 << 10, MaxLocal: 1024, Subgroup: 64}
	large := tuning.On(amd)
	amd.SharedBytes = 32 << 10
	small := tuning.On(amd)
	amd.SharedBytes = 16 << 10
	smallest := tuning.On(amd)
	if large.Panel.TileBytes != 33<<10 || small.Panel.TileBytes != 17<<10 || small.Panel.LocalSize != 256 || smallest.Panel.TileBytes != 9<<10 {
		t.Errorf("panels of AMD's: %+v, %+v, %+v", large.Panel, small.Panel, smallest.Panel)
	}
	nvidia := vk.Info{Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32}
	usual := tuning.On(nvidia)
	nvidia.MaxLocal = 128
	few := tuning.On(nvidia)
	if few.Panel.LocalSize != 128 || few.Products.Tiles[0].Unroll != 4 || !reflect.DeepEqual(few.MRRR, usual.MRRR) || few.Band != usual.Band {
		t.Errorf("with 128 invocations: %+v", few)
	}
}

// TestFactsOfTheDevice checks that the tuning has the number of compute units that the driver
// reports. It also checks that only the H200's tuning has measured times for forecasts of the bulge
// chasing. A GH200 has the same GPU and takes the H200's tuning, and so does an H100 with as many
// units.
func TestFactsOfTheDevice(t *testing.T) {
	for _, c := range []struct {
		info  vk.Info
		units int
		step  bool
	}{
		{vk.Info{Family: "nvidia", Name: "NVIDIA H200", Units: 132}, 132, true}, {vk.Info{Family: "nvidia", Name: "NVIDIA L4", Units: 58}, 58, false},
		{vk.Info{Family: "nvidia", Name: "NVIDIA H200 NVL", Units: 132}, 132, true}, {vk.Info{Family: "nvidia", Name: "NVIDIA GH200 480GB", Units: 132}, 132, true},
		{vk.Info{Family: "nvidia", Name: "NVIDIA H100 80GB HBM3", Units: 132}, 132, true}, {vk.Info{Family: "nvidia", Name: "NVIDIA H100 PCIe", Units: 114}, 114, false},
		{vk.Info{Family: "nvidia", Name: "NVIDIA XH200", Units: 20}, 20, false},
		{vk.Info{Family: "nvidia"}, 132, false}, {vk.Info{Family: "cpu"}, 4, false}, {vk.Info{Family: "amd", Units: 96}, 96, false},
	} {
		if got := tuning.On(c.info); got.Products.Units != c.units || got.Chase.Step > 0 != c.step {
			t.Errorf("%+v: %d units, a step %g s", c.info, got.Products.Units, got.Chase.Step)
		}
	}
}

// TestFencesAreWideWithoutChains checks the rule for memory barriers: one invocation may issue the
// memory barrier for its workgroup only if the device supports availability and visibility chains,
// and only with drivers where such barriers were tested.
func TestFencesAreWideWithoutChains(t *testing.T) {
	chains := []string{"vulkanMemoryModelAvailabilityVisibilityChains"}
	for _, c := range []struct {
		info vk.Info
		want bool
	}{
		{vk.Info{Family: "nvidia", Features: chains}, false}, {vk.Info{Family: "cpu", Features: chains}, false},
		{vk.Info{Family: "amd", Features: chains}, true}, {vk.Info{Family: "nvidia"}, true},
	} {
		if have := tuning.On(c.info).Waits.WideFence; have != c.want {
			t.Errorf("%+v: wide fences %v", c.info, have)
		}
	}
	known := false
	for _, f := range vk.Features() {
		known = known || f.Name == chains[0]
	}
	if !known {
		t.Error("nobody asks the device for chains")
	}
}

// TestWaiting checks which waits between workgroups a tuning allows on a dry device, for which
// Machine.MayWait returns true.
func TestWaiting(t *testing.T) {
	m := machine.Of(vk.Dry(vk.Info{Features: []string{"vulkanMemoryModelAvailabilityVisibilityChains"}}))
	for _, c := range []struct {
		waits tuning.Waits
		want  stages.Waiting
	}{
		{tuning.Waits{}, stages.Waiting{Allowed: true}}, {tuning.Waits{Wavefront: true}, stages.Waiting{}},
		{tuning.Waits{WideFence: true}, stages.Waiting{Allowed: true, WideFence: true}},
	} {
		if got, err := (tuning.Tuning{Waits: c.waits}).Waiting(context.Background(), m); got != c.want || err != nil {
			t.Errorf("%+v: %+v, %v", c.waits, got, err)
		}
	}
}

// TestWaitingAsksWhetherPanelsMeet checks that a tuning whose panels have many workgroups makes
// Waiting call the machine's MayMeet. It also checks that no matrix is reduced in one stage if the
// workgroups of a panel do not run at the same time.
func TestWaitingAsksWhetherPanelsMeet(t *testing.T) {
	dev, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	m := machine.Of(dev)
	if m.Info.Type != "cpu" || !m.Info.Int64Atomics() {
		t.Skip("200 workgroups may run at the same time here")
	}
	m.Info.Units, m.Units = 256, 256 // as if the device had 256 units
	small := tuning.Smallest()
	small.Panel.Whole, small.Panel.Groups, small.Panel.Polls = true, 200, 1<<16
	small.Sytrd = reduce.TridiagonalisationTuning{Values: 64, LocalSize: 32, Groups: 4, Rows: 8, Kept: 64, Polls: 1 << 16}
	w, err := small.Waiting(context.Background(), m)
	if !w.Allowed || !w.Crowded || err != nil {
		t.Errorf("%+v, %v", w, err)
	}
	if tuning.OneStage[float64](small, 10, 0, w, m.Info) || !tuning.OneStage[float64](small, 10, 0, stages.Waiting{Allowed: true}, m.Info) {
		t.Error("a reduction in one stage does not depend on the machine's answer")
	}
}

// TestWaitingOnAPartOfADevice checks a device with fewer units than the panels of the tuning have
// workgroups, such as a part of a GPU. Its panels have a dispatch for each column, but a reduction
// in one stage uses all units. So the trial must run with as many workgroups as there are units.
// (The trial was once skipped on such a device.) A device whose tuning has no such stage runs no
// trial.
func TestWaitingOnAPartOfADevice(t *testing.T) {
	dev, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	m := machine.Of(dev)
	if m.Info.Type != "cpu" || !m.Info.Int64Atomics() {
		t.Skip("200 workgroups may run at the same time here")
	}
	m.Info.Units, m.Units = 200, 200 // as if the device had 200 units
	small := tuning.Smallest()
	small.Panel.Whole, small.Panel.Groups, small.Panel.Polls = true, 256, 1<<16
	small.Sytrd = reduce.TridiagonalisationTuning{Values: 64, LocalSize: 32, Groups: 256, Rows: 8, Kept: 64, Polls: 1 << 16}
	if panel, all := small.Panel.Meeting(m.Info), small.Meeting(m.Info); panel != 0 || all != 200 {
		t.Errorf("%d workgroups of a panel, %d of any stage wait for all others", panel, all)
	}
	if w, err := small.Waiting(context.Background(), m); !w.Allowed || !w.Crowded || err != nil {
		t.Errorf("%+v, %v", w, err)
	}
	small = small.NeverMeeting()
	if w, err := small.Waiting(context.Background(), m); !w.Allowed || w.Crowded || err != nil || small.Meeting(m.Info) != 0 {
		t.Errorf("without stages that need the trial: %+v, %v", w, err)
	}
}

// The example prints some measured sizes. Changes of the files in which tuning tables are stored
// must not change them.
func ExampleOn() {
	t := tuning.On(vk.Info{Family: "nvidia", Name: "NVIDIA H200", Units: 132, SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32})
	fmt.Println(t.Band, t.Block, t.ValuesBand, t.ValuesFrom, t.Products.Syr2k, len(t.Products.Tiles))
	fmt.Println(t.For(32768, 100).Band, t.For(32768, 32768).Band)
	// Output:
	// 32 512 64 24576 128×64×8 tile of 8×8 7
	// 64 32
}
