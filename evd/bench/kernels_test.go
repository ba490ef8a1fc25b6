package bench

import (
	"errors"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

func TestRefusal(t *testing.T) {
	sound := vk.KernelStatistics{Kernel: "symm", Declared: 100, List: []vk.Statistic{{Name: "Register Count", Value: 255}, {Name: "Shared Memory Size", Value: 1124}}}
	spilled := vk.KernelStatistics{Kernel: "gemm", Constants: []vk.Constant{{Name: "TileM", Value: 64}}, List: []vk.Statistic{{Name: "Stack Size", Value: 16}}}
	if err := refusal([]vk.KernelStatistics{sound}); err != nil {
		t.Errorf("a sound kernel: %v", err)
	}
	var refused *RefusedError
	err := refusal([]vk.KernelStatistics{sound, spilled})
	if !errors.As(err, &refused) || len(refused.Kernels) != 1 || err.Error() != "refused: gemm TileM=64 spills (16)" {
		t.Errorf("a spilled one: %v", err)
	}
}

// TestRefused calls Refused on a device whose driver reports no statistics. No usable tuning may be
// refused. If a tuning cannot be used, the error must not be a *RefusedError.
func TestRefused(t *testing.T) {
	dev, err := vk.Open(vk.Options{Device: deviceName(), Statistics: true})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	err = Refused(dev, 20, tuning.Smallest(), evd.Options{Vectors: true})
	if dev.Info().Type == "cpu" && err != nil {
		t.Error(err)
	}
	if err := Refused(dev, 20, tuning.Tuning{Band: 4, Block: 8}, evd.Options{}); err == nil || errors.As(err, new(*RefusedError)) {
		t.Errorf("an empty table: %v", err)
	}
}
