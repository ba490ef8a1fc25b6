// Package probe, internal to vkevd, finds properties of a device by experiment: how its arithmetic
// in double precision rounds, and whether workgroups may wait for each other. It gives the facts of
// stages/machine to commands.
package probe

import (
	"context"

	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/vk"
)

// Arithmetic describes how a device computes with doubles.
type Arithmetic = machine.Arithmetic

// Measure measures the arithmetic with two small kernels, even if it was measured before.
func Measure(ctx context.Context, dev *vk.Device) (Arithmetic, error) {
	return machine.MeasureArithmetic(ctx, dev)
}

// MayWait tells whether workgroups may wait for each other. The answer is no if the experiment says
// so, or if a wait failed in a solve. The solver then chases bulges in waves.
func MayWait(ctx context.Context, dev *vk.Device) (bool, error) {
	return machine.Of(dev).MayWait(ctx)
}
