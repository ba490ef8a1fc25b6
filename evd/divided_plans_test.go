package evd

import (
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestPlansDivideWhereItIsFaster checks which plans for two devices divide the matrix by
// themselves: those for two H200, from the order 16384 on.
func TestPlansDivideWhereItIsFaster(t *testing.T) {
	card := func(name string) *vk.Device {
		return vk.Dry(vk.Info{
			Name: name, Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 132, Memory: 1 << 40, Free: 1 << 40,
		})
	}
	for _, c := range []struct {
		n             int
		vectors       bool
		first, second string
		divided       bool
	}{
		{16384, true, "NVIDIA H200", "NVIDIA H200", true}, {16384, false, "NVIDIA H200", "NVIDIA H200", true},
		{16383, true, "NVIDIA H200", "NVIDIA H200", false}, {16383, false, "NVIDIA H200", "NVIDIA H200", false},
		{16384, true, "NVIDIA H200", "NVIDIA H100", false}, {16384, true, "NVIDIA L4", "NVIDIA L4", false},
	} {
		p, err := NewPlan[float64](card(c.first), c.n, Options{Vectors: c.vectors, Devices: []*vk.Device{card(c.second)}})
		if err != nil || p.Distributed() != c.divided {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if p, err := NewPlan[float64](card("NVIDIA H200"), 16384, Options{}); err != nil || p.Distributed() {
		t.Errorf("one device: %v", err)
	}
}
