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
	if _, err := dev.Fact(progressFact, func() (string, error) { return "no", nil }); err != nil {
		t.Fatal(err)
	}
	nobodyWaits(t, dev, SmallestTuning())
	waves := SmallestTuning()
	waves.Chase.Wavefront = true
	nobodyWaits(t, testDevice(t), waves)
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
