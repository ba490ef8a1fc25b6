package chase

import (
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestNoSweepWaitsWhereItMayNot checks that the bulge chasing takes a form without waits between
// workgroups if Waiting does not allow such waits.
func TestNoSweepWaitsWhereItMayNot(t *testing.T) {
	size := Size{N: 20, B: 4, Vectors: true}
	s, err := NewBulgeChasing[float64](stagetest.Device(t), size, stages.Waiting{}, SmallestTuning().Chase.Tuning)
	if err != nil || s.wave == nil || s.chase != nil {
		t.Errorf("%+v, %v: no waves", s, err)
	}
}

// TestChaseHasTwoInvocationsThatWait checks the sizes of a bulge chasing workgroup: one invocation
// must publish progress and another one must wait, even if a subgroup has only one invocation. It
// also checks that subgroups are full.
func TestChaseHasTwoInvocationsThatWait(t *testing.T) {
	for _, subgroup := range []int{1, 2, 32} {
		for waiters := range 3 {
			spec, err := chaseSpec[float64](chaseShape{
				b: 4, wait: stages.Waiting{Allowed: true}, tune: Tuning{PerThread: 8, WaitSubgroups: waiters},
				info: vk.Info{Subgroup: subgroup, SharedBytes: 1 << 15, MaxLocal: 1 << 10},
			})
			if err != nil || spec.LocalSize < spec.Work+2 || int(spec.LocalSize)%subgroup != 0 {
				t.Errorf("subgroups of %d, %d that wait: %+v, %v", subgroup, waiters, spec, err)
			}
		}
	}
}

// TestSharedMemoryOfChases checks how much shared memory the kernels need for the half-bandwidths
// 32, 56 and 64. The sizes are those that were measured and documented.
func TestSharedMemoryOfChases(t *testing.T) {
	two := shaders.Sb2stChaseSpec{B: 32, Lanes: 4, Tiles: 2}
	one := shaders.Sb2stChaseSpec{B: 56, Lanes: 2, Tiles: 1}
	stagetest.SharedBytes(t, "two tiles", shaders.Sb2stChase[float64](), two, 8*(2*32*36+64)+16)
	stagetest.SharedBytes(t, "one tile", shaders.Sb2stChase[float64](), one, 8*(56*66+112)+16)
	stagetest.SharedBytes(t, "teams", shaders.Sb2stTeams[float64](), shaders.Sb2stTeamsSpec{B: 64, Lanes: 4, LanesA: 8}, 8*(64*68+192+2)+16)
}
