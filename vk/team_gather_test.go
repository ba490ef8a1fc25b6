package vk

import "testing"

// TestGatherSharesNoDevice reserves groups of devices. Two groups that share a device must not be
// reserved at the same time. Two groups without a common device may be reserved at the same time.
func TestGatherSharesNoDevice(t *testing.T) {
	d := make([]*Device, 5)
	for i := range d {
		d[i] = &Device{}
	}
	has := []*Device{d[0], d[1]}
	if gather(has) != nil {
		t.Fatal("free devices are not reserved")
	}
	for _, other := range [][]*Device{{d[0], d[2]}, {d[2], d[0]}, {d[1], d[2]}, {d[2], d[1]}} {
		if gather(other) == nil {
			t.Error("a device is reserved twice")
			scatter(other)
			gather(has)
		}
	}
	others := []*Device{d[2], d[3]}
	if gather(others) != nil {
		t.Error("other devices are not reserved")
	}
	scatter(has)
	if gather([]*Device{d[4], d[0]}) != nil {
		t.Error("a free device is not reserved")
	}
	scatter(others)
	scatter([]*Device{d[4], d[0]})
}
