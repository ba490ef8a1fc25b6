package panel

import (
	"context"
	"os"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// crowdedPanels returns a tuning with more workgroups for a panel than a CPU driver runs at the
// same time. A CPU driver runs one workgroup for each of its threads at a time, and runs this
// workgroup to its end before the thread starts another workgroup.
func crowdedPanels() Tuning {
	t := SmallestTuning().Panel
	t.Whole, t.Groups, t.Polls = true, 200, 1<<16
	return t
}

// TestPanelsMeet checks that the trial finds workgroups that do not run at the same time, and that
// the result is stored: another device that uses the same folder does not run the trial.
func TestPanelsMeet(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	if stagetest.Device(t).Info().Type != "cpu" || !stagetest.Device(t).Info().Int64Atomics() {
		t.Skip("200 workgroups may run at the same time here")
	}
	for i := range 2 {
		dev, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		m := machine.Of(dev)
		if groups := crowdedPanels().Meeting(m.Info); groups != 0 {
			t.Errorf("on a device with few units, %d workgroups of a panel wait for each other", groups)
		}
		m.Info.Units = 256 // as if the device had 256 units
		groups := crowdedPanels().Meeting(m.Info)
		asked := ctx
		if i > 0 {
			stopped, stop := context.WithCancel(ctx)
			stop() // a trial would fail
			asked = stopped
		}
		for range 3 { // after three trials the answer is final
			if meets, err := Meet(asked, m, 8, groups, crowdedPanels()); meets || err != nil {
				t.Errorf("200 workgroups on a CPU: %v, %v", meets, err)
			}
		}
		small := SmallestTuning().Panel
		if meets, err := Meet(ctx, m, 8, small.Meeting(m.Info), small); !meets || err != nil {
			t.Errorf("panels with a dispatch a column: %v, %v", meets, err)
		}
	}
	alone := crowdedPanels()
	alone.Groups = 1
	begun := false
	fresh, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	defer func() { // one kernel prepares a panel, one factors it
		if compiled := fresh.CompileTimes(); len(compiled) != 2 || compiled[0].Count != 1 || compiled[1].Count != 1 {
			t.Errorf("the trial compiles %+v", compiled)
		}
	}()
	if info, err := panelsMeet[float64](ctx, fresh, 8, alone, func() { begun = true }); info != 0 || err != nil || !begun {
		t.Errorf("one workgroup: INFO %d, %v, written down before: %v", info, err, begun)
	}
}

// TestCrowdedPanelsDoNotMeet checks that no panel lets workgroups wait for all other workgroups on
// two kinds of devices: a device that does not run all workgroups at the same time, and a device on
// which no workgroup may wait.
func TestCrowdedPanelsDoNotMeet(t *testing.T) {
	dev := vk.Dry(vk.Info{
		Family: "nvidia", Name: "NVIDIA H200", Units: 132, SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32,
		Features: []string{"shaderBufferInt64Atomics"},
	})
	tune := TuningFor(dev.Info()).Panel
	for _, c := range []struct {
		w     stages.Waiting
		meets bool
	}{{stages.Waiting{Allowed: true}, true}, {stages.Waiting{Allowed: true, Crowded: true}, false}, {stages.Waiting{}, false}} {
		q, err := NewQR[float64](dev, 32, c.w, tune)
		if err != nil {
			t.Fatal(err)
		}
		if meets := q.whole != nil; meets != c.meets {
			t.Errorf("%+v: workgroups of a panel wait for each other: %v", c.w, meets)
		}
	}
}
