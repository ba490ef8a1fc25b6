package roomtest

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/stagetest"
)

// DividesExactly reports whether quotients and square roots of the device are correctly rounded.
// Vulkan does not demand this, and Mesa's drivers for GPUs do not do it. If they are correctly
// rounded, a kernel that divides gives the same bits as a function of the host.
func DividesExactly(t testing.TB) bool {
	t.Helper()
	a, err := machine.Of(stagetest.Device(t)).Arithmetic(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	// If an error is NaN, the result is true, so that the tests that ask run and fail.
	return !(a.Division > 0.5 || a.Sqrt > 0.5)
}

// SkipInexact skips a test of bits on a device that does not round quotients and roots correctly.
func SkipInexact(t testing.TB) {
	t.Helper()
	if !DividesExactly(t) {
		t.Skip("quotients or square roots are not correctly rounded here")
	}
}

// SkipFlushed skips a test of bits on a device that flushes subnormal numbers to zero. Vulkan does
// not demand that a device keeps subnormal numbers. The CPU driver of Mesa 26.2 does not keep them.
func SkipFlushed(t testing.TB) {
	t.Helper()
	a, err := machine.Of(stagetest.Device(t)).Arithmetic(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !a.Subnormals {
		t.Skip("subnormal numbers become zero here")
	}
}
