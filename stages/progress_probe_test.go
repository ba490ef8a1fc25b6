package stages

import (
	"os"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestHandsOn: every device that the tests run on does, as far as anyone knows, and a
// chain whose first workgroup does nothing is found out.
func TestHandsOn(t *testing.T) {
	dev := testDevice(t)
	for range 2 {
		if ok, err := HandsOn(dev); !ok || err != nil {
			t.Errorf("flags are handed on: %v, %v", ok, err)
		}
	}
	info, err := probeProgress(dev, 4, 1000, true)
	if err != nil || info == 0 || info > 3 {
		t.Errorf("the first of four workgroups does nothing: INFO = %d, %v; want the ticket that was waited for", info, err)
	}
}

// TestNobodyWaitsWhereFlagsFail: on a device that fails the probe, or where waves are asked for, no
// stage takes the form in which workgroups wait for each other.
func TestNobodyWaitsWhereFlagsFail(t *testing.T) {
	dev, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	if _, err := dev.ProbeOnce(progressFact, func() (string, error) { return "no", nil }); err != nil {
		t.Fatal(err)
	}
	nobodyWaits(t, dev, SmallestTuning())
	waves := SmallestTuning()
	waves.Chase.Wavefront = true
	nobodyWaits(t, testDevice(t), waves)
}

// One thread's fence stands for all only where the memory model has chains.
func TestFencesAreWideWithoutChains(t *testing.T) {
	chains := vk.Info{Features: []string{"vulkanMemoryModelAvailabilityVisibilityChains"}}
	for _, c := range []struct {
		asked bool
		info  vk.Info
		want  bool
	}{{false, chains, false}, {true, chains, true}, {false, vk.Info{}, true}} {
		if have := (ChaseTuning{WideFence: c.asked}).wideFence(c.info); have != c.want {
			t.Errorf("asked for %v, features %v: wide fences %v", c.asked, c.info.Features, have)
		}
	}
	known := false
	for _, f := range vk.Features() {
		known = known || f.Name == chains.Features[0]
	}
	if !known {
		t.Error("nobody asks the device for chains")
	}
}

// One invocation publishes and another waits, also where a subgroup is a single one; subgroups are full.
func TestChaseHasTwoSpareInvocations(t *testing.T) {
	for _, subgroup := range []int{1, 2, 32} {
		for spare := range 3 {
			s := &BulgeChasing{n: 20, b: 4, tune: ChaseTuning{Own: 8, Spare: spare}}
			spec, err := s.spec(vk.Info{Subgroup: subgroup, SharedBytes: 1 << 15, MaxLocal: 1 << 10})
			if err != nil || spec.LocalSize < spec.Work+2 || int(spec.LocalSize)%subgroup != 0 {
				t.Errorf("subgroups of %d, %d spare: %+v, %v", subgroup, spare, spec, err)
			}
		}
	}
}

func nobodyWaits(t *testing.T, dev *vk.Device, tune Tuning) {
	t.Helper()
	s, err := NewBulgeChasing(dev, 20, true, tune)
	if err != nil || s.wave == nil || s.chase != nil {
		t.Errorf("%+v, %v: no waves", s, err)
	}
	tune.ApplyQ2.Flags = true
	q2, err := NewApplyQ2(dev, 20, 20, tune)
	if err != nil || q2.teams == nil || q2.flags != nil {
		t.Errorf("%+v, %v: Q2 waits for flags", q2, err)
	}
	tune.Panel.Groups, tune.Panel.Whole = 1, true
	qr, err := NewPanelQR(dev, 4, tune)
	if err != nil || qr.column == nil || qr.whole != nil {
		t.Errorf("%+v, %v: panels wait", qr, err)
	}
}
