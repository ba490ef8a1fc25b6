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

// TestWavesWhereFlagsFail: a device that fails the probe gets the wavefront form.
func TestWavesWhereFlagsFail(t *testing.T) {
	dev, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	if _, err := dev.Fact(progressFact, func() (string, error) { return "no", nil }); err != nil {
		t.Fatal(err)
	}
	s, err := NewBulgeChasing(dev, 20, true, SmallestTuning())
	if err != nil || s.wave == nil || s.chase != nil {
		t.Errorf("%+v, %v: no waves", s, err)
	}
}
