package back

import (
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestNoGroupWaitsWhereItMayNot checks that ApplyQ2 takes the form without waits between workgroups
// if Waiting does not allow such waits.
func TestNoGroupWaitsWhereItMayNot(t *testing.T) {
	tune := SmallestTuning().ApplyQ2
	tune.Flags = true
	q2, err := NewApplyQ2[float64](stagetest.Device(t), Size{N: 20, B: 4, M: 20}, stages.Waiting{}, tune)
	if err != nil || q2.teams == nil || q2.waiting != nil {
		t.Errorf("%+v, %v: Q2 waits for flags", q2, err)
	}
}

// TestSharedMemoryOfQ2 checks how much shared memory ApplyQ2 needs for the half-bandwidth 64. The
// sizes are those that were measured and documented.
func TestSharedMemoryOfQ2(t *testing.T) {
	info := vk.Info{Subgroup: 32, SharedBytes: 48 << 10, MaxLocal: 1024}
	spec, err := q2Spec[float64](tuningFor("nvidia").ApplyQ2, info, Size{N: 1 << 14, B: 64, M: 1 << 14}, product.NoTrans)
	if err != nil {
		t.Fatal(err)
	}
	stagetest.SharedBytes(t, "teams", shaders.OrmtrQ2Teams[float64](), spec, 8*(16*69+1))
	stagetest.SharedBytes(t, "flags", shaders.OrmtrQ2Flags[float64](), flagsSpec(spec, false), 8*(16*69+1+1))
}
