package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/vk"
)

// ChaseTuning is the set of sizes of BulgeChasing.
type ChaseTuning struct {
	// PerThread is the smallest number of elements of a row or column of a block that an invocation
	// holds. In a team for one of the square blocks C and D it holds twice as many.
	PerThread uint32 `json:"Own"`

	// WaitSubgroups is the number of subgroups that wait and publish while the others compute, 1 or
	// 2. With 2, one subgroup publishes and the other waits, so that a wait never delays a
	// publication.
	WaitSubgroups int `json:"Spare"`

	// OneTile keeps only one block in shared memory even if two would fit. It serves tests and
	// measurements.
	OneTile bool

	// Team is the number of invocations for each of a step's three blocks. If b² > PerThread·Team,
	// each block has a team of its own, because one team for all blocks would have more elements
	// for each invocation. With Team = 0 there is always one team.
	Team uint32

	// Groups is the number of workgroups in flight. 0 means one for each unit of the device.
	Groups int

	// FlagStride is the distance between two flags in 32-bit words, at least 1.
	FlagStride uint32

	// Polls is the poll limit of a wait: the number of polls after which a wait fails.
	Polls uint32

	// SweepCost is the minimum cost of a sweep in flops. It stands for the latency of a short
	// sweep.
	SweepCost float64

	// Dispatch is the cost, in flops, at which a dispatch ends and the next one begins.
	Dispatch float64

	// Step and TeamStep are the seconds of one step on the critical path of ChaseModel. Step is for
	// one team and b = 32, TeamStep for teams and b = 64. 0 means that it was not measured.
	Step, TeamStep float64
}

// Fits returns nil if bands of doubles of half-bandwidth b can be chased with these sizes on the
// device.
// Otherwise it returns a *vk.UnsupportedError.
func (t ChaseTuning) Fits(info vk.Info, b int) error {
	for _, allowed := range []bool{false, true} {
		shape := chaseShape{b: b, info: info, wait: Waiting{Allowed: allowed}, tune: t}
		if _, err := chaseSpec[float64](shape); err != nil {
			return err
		}
	}
	return nil
}

// groups returns the number of workgroups of one dispatch that are in flight together.
func (t ChaseTuning) groups(info vk.Info) int {
	const usual = 32 // used if the driver does not report the number of units
	switch {
	case t.Groups > 0:
		return min(t.Groups, vk.MaxGroups())
	case info.Units > 0:
		return min(info.Units, vk.MaxGroups())
	}
	return usual
}

// chaseShape holds everything that the shape of the chasing kernels depends on.
type chaseShape struct {
	b       int  // half-bandwidth
	vectors bool // whether reflectors are stored
	info    vk.Info
	wait    Waiting
	tune    ChaseTuning
}

// subgroup returns the number of invocations in a subgroup, or 1 if the driver does not report it.
func (c chaseShape) subgroup() int { return max(1, c.info.Subgroup) }

// flagStride returns the distance between two flags in 32-bit words.
func (c chaseShape) flagStride() uint32 { return max(1, c.tune.FlagStride) }

// waiters returns the number of invocations that wait or publish while the others compute. No
// invocation does both.
func (c chaseShape) waiters() int {
	return max(2, max(1, c.tune.WaitSubgroups)*c.subgroup())
}

// refuse returns the error for a device that has too little of the named feature.
func (c chaseShape) refuse(feature string, need, have int) error {
	return &vk.UnsupportedError{Device: c.info.Name, Feature: fmt.Sprintf("%s for half-bandwidth %d", feature, c.b),
		Need: fmt.Sprint(need), Have: fmt.Sprint(have)}
}

// lanesFor returns the number of neighbouring invocations of a subgroup that share the b elements
// of a row. It is the largest power of two with which each of them holds at least perThread
// elements.
func lanesFor(b, perThread, subgroup int) int {
	lanes := 1
	for 2*lanes <= subgroup && lanes*max(1, perThread) < b {
		lanes *= 2
	}
	return lanes
}
