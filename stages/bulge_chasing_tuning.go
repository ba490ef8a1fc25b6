package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/vk"
)

// ChaseTuning is the sizes of BulgeChasing.
type ChaseTuning struct {
	PerThread     uint32  `json:"Own"`   // elements of a row or column of a block that an invocation holds, at least; teams: twice as many of the blocks C and D
	WaitSubgroups int     `json:"Spare"` // subgroups that wait and publish while the others compute, 1 or 2
	OneTile       bool    // one block in shared memory even if two would fit
	Team          uint32  // invocations for each of a step's three blocks, which then have teams of their own: where b² > PerThread·Team; 0: never
	Groups        int     // workgroups in flight; 0: one for each unit of the device
	FlagStride    uint32  // words from one flag to the next, at least 1
	Polls         uint32  // poll limit
	SweepCost     float64 // minimum cost of a sweep, because of its latency, in flops
	Dispatch      float64 // cost of one dispatch, in flops, at which it ends
	Step          float64 // seconds of a step on the critical path of ChaseModel, with b = 32; 0: not measured
	TeamStep      float64 // seconds of a step of teams, with b = 64; 0: not measured
}

// Fits is nil if bands of doubles of half-bandwidth b can be chased with these sizes on the device. Else it is a
// *vk.UnsupportedError.
func (t ChaseTuning) Fits(info vk.Info, b int) error {
	for _, allowed := range []bool{false, true} {
		shape := chaseShape{b: b, info: info, wait: Waiting{Allowed: allowed}, tune: t}
		if _, err := chaseSpec[float64](shape); err != nil {
			return err
		}
	}
	return nil
}

// groups is the number of workgroups of one dispatch that are in flight together.
func (t ChaseTuning) groups(info vk.Info) int {
	const usual = 32 // where the driver does not tell the number of units
	switch {
	case t.Groups > 0:
		return min(t.Groups, vk.MostGroups())
	case info.Units > 0:
		return min(info.Units, vk.MostGroups())
	}
	return usual
}

// chaseShape is what the shape of the kernels depends on.
type chaseShape struct {
	b       int
	vectors bool
	info    vk.Info
	wait    Waiting
	tune    ChaseTuning
}

func (c chaseShape) subgroup() int { return max(1, c.info.Subgroup) }

func (c chaseShape) flagStride() uint32 { return max(1, c.tune.FlagStride) }

// waiters is the number of invocations that wait and publish while the others compute. One that publishes is
// never one that waits.
func (c chaseShape) waiters() int {
	return max(2, max(1, c.tune.WaitSubgroups)*c.subgroup())
}

// refuse is the error for a device that has too little of something.
func (c chaseShape) refuse(feature string, need, have int) error {
	return &vk.UnsupportedError{Device: c.info.Name, Feature: fmt.Sprintf("%s for half-bandwidth %d", feature, c.b),
		Need: fmt.Sprint(need), Have: fmt.Sprint(have)}
}

// lanesFor is the number of neighbours in a subgroup that share b elements of a row, so that each holds at least
// perThread of them: a power of two.
func lanesFor(b, perThread, subgroup int) int {
	lanes := 1
	for 2*lanes <= subgroup && lanes*max(1, perThread) < b {
		lanes *= 2
	}
	return lanes
}
