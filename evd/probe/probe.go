// Package probe, internal to vkevd, finds out by trying what a device is like: what its arithmetic
// in double precision rounds to, and whether workgroups may wait for each other. It gives the facts of
// stages/machine to commands.
package probe

import (
	"context"

	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/vk"
)

// Arithmetic is what was found of a device's doubles.
type Arithmetic = machine.Arithmetic

// Measure measures the arithmetic anew with two small kernels.
func Measure(ctx context.Context, dev *vk.Device) (Arithmetic, error) {
	return machine.MeasureArithmetic(ctx, dev)
}

// MayWait tells whether workgroups may wait for each other: no if the trial says so, or if a wait
// failed in a solve. Where they may not, the solver chases bulges in waves.
func MayWait(ctx context.Context, dev *vk.Device) (bool, error) {
	return machine.Of(dev).MayWait(ctx)
}
