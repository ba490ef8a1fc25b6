package stages

import (
	"testing"

	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// These are short names for functions and types that tests of this package use often.
var (
	testDevice = stagetest.Device
	run        = stagetest.Run
	arena      = stagetest.Arena
)

func put[T any](t testing.TB, d *vk.Device, dst vk.Slice[T], src []T) {
	t.Helper()
	stagetest.Put(t, d, dst, src)
}

func get[T any](t testing.TB, d *vk.Device, src vk.Slice[T]) []T {
	t.Helper()
	return stagetest.Get(t, d, src)
}
