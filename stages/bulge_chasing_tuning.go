package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/vk"
)

// ChaseTuning is the sizes of BulgeChasing.
type ChaseTuning struct {
	// PerThread is the number of elements of a row or column of a block that an invocation holds,
	// at least. In a team for the block C or D it holds twice as many.
	PerThread uint32 `json:"Own"`

	// WaitSubgroups is the number of subgroups that wait and publish while the others compute, 1 or
	// 2. With 2, one that publishes is never delayed by one that waits.
	WaitSubgroups int `json:"Spare"`

	// OneTile: one block lies in shared memory even if two would fit. For tests and measurements.
	OneTile bool

	// Team is the number of invocations for each of a step's three blocks. Blocks have teams of
	// their own where b² > PerThread·Team, because one team for all of them would then have more
	// elements for each invocation. 0: never.
	Team uint32

	// Groups is the number of workgroups in flight; 0: one for each unit of the device.
	Groups int

	// FlagStride is the distance between two flags in 32-bit words, at least 1.
	FlagStride uint32

	// Polls is the poll limit of a wait.
	Polls uint32

	// SweepCost is the minimum cost of a sweep in flops. A short sweep costs its latency.
	SweepCost float64

	// Dispatch is the cost, in flops, at which a dispatch ends.
	Dispatch float64

	// Step and TeamStep are the seconds of one step on the critical path of ChaseModel: with one
	// team and b = 32, and with teams and b = 64. 0: not measured.
	Step, TeamStep float64
}

// Fits is nil if bands of doubles of half-bandwidth b can be chased with these sizes on the device.
// Otherwise the error is a *vk.UnsupportedError.
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
		return min(t.Groups, vk.MaxGroups())
	case info.Units > 0:
		return min(info.Units, vk.MaxGroups())
	}
	return usual
}

// chaseShape is what the shape of the kernels depends on.
type chaseShape struct {
	b       int  // half-bandwidth
	vectors bool // reflectors are stored
	info    vk.Info
	wait    Waiting
	tune    ChaseTuning
}

// subgroup is the size of a subgroup; 1 if the driver does not tell.
func (c chaseShape) subgroup() int { return max(1, c.info.Subgroup) }

// flagStride is the distance between two flags in words.
func (c chaseShape) flagStride() uint32 { return max(1, c.tune.FlagStride) }

// waiters is the number of invocations that wait and publish while the others compute. One that
// publishes is never one that waits.
func (c chaseShape) waiters() int {
	return max(2, max(1, c.tune.WaitSubgroups)*c.subgroup())
}

// refuse is the error for a device that has too little of something.
func (c chaseShape) refuse(feature string, need, have int) error {
	return &vk.UnsupportedError{Device: c.info.Name, Feature: fmt.Sprintf("%s for half-bandwidth %d", feature, c.b),
		Need: fmt.Sprint(need), Have: fmt.Sprint(have)}
}

// lanesFor is the number of neighbours in a subgroup that share b elements of a row, so that each
// holds at least perThread of them: a power of two.
func lanesFor(b, perThread, subgroup int) int {
	lanes := 1
	for 2*lanes <= subgroup && lanes*max(1, perThread) < b {
		lanes *= 2
	}
	return lanes
}
