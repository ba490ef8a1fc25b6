package tuning_test

import (
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

func waiting(t testing.TB, dev *vk.Device, tune tuning.Tuning) stages.Waiting {
	t.Helper()
	return roomtest.Waits{Wavefront: tune.Waits.Wavefront, WideFence: tune.Waits.WideFence}.Waiting(t, dev)
}
