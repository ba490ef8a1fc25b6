package roomtest

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/vk"
)

// Family describes a device of a vendor with limits so large that all sizes fit.
func Family(vendor string) vk.Info {
	return vk.Info{Family: vendor, SharedBytes: 64 << 10, MaxLocal: 1024, Subgroup: 32}
}

type Waits struct{ Wavefront, WideFence bool }

// Waiting returns how workgroups may wait for each other on a device if the table has the rules w.
func (w Waits) Waiting(t testing.TB, dev *vk.Device) stages.Waiting {
	t.Helper()
	waiting := stages.Waiting{WideFence: w.WideFence || !dev.Info().FenceChains()}
	if w.Wavefront {
		return waiting
	}
	var err error
	if waiting.Allowed, err = machine.Of(dev).MayWait(context.Background(), waiting.WideFence); err != nil {
		t.Fatal(err)
	}
	return waiting
}
