package evd

import (
	"errors"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// tuning.On searches a list of tables: the table of the device, if there is one, then the tables of
// its vendor, then the table for all devices. `machines` has one device for each such list.
var machines = []vk.Info{
	{Family: "nvidia", Name: "NVIDIA H200"}, {Family: "nvidia", Name: "NVIDIA GeForce RTX 4090"}, {Family: "amd"}, {Family: "intel"},
	{Family: "apple"}, {Family: "cpu"}, {Family: "other"},
}

// TestEveryTableFits checks that a plan can be made with the tuning tables of each device, whatever
// the limits of the device are. (AMD's table was once refused on drivers that give a workgroup only
// 32 KiB.)
func TestEveryTableFits(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	features := []string{"shaderFloat64", "shaderBufferInt64Atomics", "vulkanMemoryModelAvailabilityVisibilityChains"}
	for _, info := range machines {
		for _, info.SharedBytes = range []int{16 << 10, 32 << 10, 48 << 10, 64 << 10} {
			for _, info.MaxLocal = range []int{128, 256, 1024} {
				for _, info.Subgroup = range []int{4, 8, 16, 32, 64} {
					info.Features, info.Units, info.Memory, info.Free = features, 128, 1<<40, 1<<40
					for _, opt := range []Options{{Vectors: true}, {Vectors: true, Solver: MRRR}, {NoWaits: true, Solver: Bisection}} {
						_, real := NewPlan[float64](vk.Dry(info), 500, opt)
						_, double := NewPlan[complex128](vk.Dry(info), 500, opt)
						_, single := NewPlan[complex64](vk.Dry(info), 30000, opt)
						if err := errors.Join(real, double, single); err != nil {
							t.Errorf("%s %s, %d bytes, %d invocations, subgroups of %d: %v", info.Family, info.Name, info.SharedBytes, info.MaxLocal, info.Subgroup, err)
						}
					}
				}
			}
		}
	}
}

// TestIntelWithSmallSubgroups checks that all tables fit Intel's GPUs of the ninth generation with
// subgroups of 16 invocations. Such a GPU has at most 56 subgroups in a workgroup, some have only
// 36. (The size 32 was once required there, so that a workgroup of 1024 is possible. A subgroup of
// this size has too few registers for doubles.)
func TestIntelWithSmallSubgroups(t *testing.T) {
	for _, subgroups := range []int{36, 56} {
		info := vk.Info{Family: "intel", Subgroup: 16, MaxLocal: 16 * subgroups, SharedBytes: 64 << 10, Units: 24, Memory: 1 << 40, Free: 1 << 40}
		for _, opt := range []Options{{Vectors: true}, {Vectors: true, Band: 64}, {Vectors: true, Solver: MRRR}, {Solver: Bisection, NoWaits: true}} {
			if _, err := NewPlan[float64](vk.Dry(info), 1000, opt); err != nil {
				t.Errorf("%d subgroups, %+v: %v", subgroups, opt, err)
			}
		}
		// A chase of a wide band has the largest workgroup that consists of full subgroups.
		w := stages.Waiting{Allowed: true, WideFence: true}
		chase, err := chase.NewBulgeChasing[float64](vk.Dry(info), chase.Size{N: 1000, B: 64, Vectors: true}, w, tuning.On(info).Chase)
		if err != nil || chase == nil {
			t.Errorf("%d subgroups: %v", subgroups, err)
		}
	}
}
