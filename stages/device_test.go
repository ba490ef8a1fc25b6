package stages

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// These variables and types are short names for functions and types of package stagetest.
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

// dividesExactly reports whether quotients and square roots of the device are correctly rounded.
// Vulkan does not demand this, and Mesa's drivers for GPUs do not do it. If they are correctly
// rounded, a kernel that divides gives the same bits as a function of the host.
func dividesExactly(t testing.TB) bool {
	t.Helper()
	a, err := machine.Of(testDevice(t)).Arithmetic(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return a.Division <= 0.5 && a.Sqrt <= 0.5
}

// skipInexact skips a test of bits on a device whose quotients or square roots are not correctly
// rounded.
func skipInexact(t testing.TB) {
	t.Helper()
	if !dividesExactly(t) {
		t.Skip("quotients or square roots are not correctly rounded here")
	}
}

// skipFlushed skips a test of bits on a device that flushes subnormal numbers to zero. Vulkan does
// not demand that a device keeps subnormal numbers. The CPU driver of Mesa 26.2 does not keep them.
func skipFlushed(t testing.TB) {
	t.Helper()
	a, err := machine.Of(testDevice(t)).Arithmetic(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !a.Subnormals {
		t.Skip("subnormal numbers become zero here")
	}
}
