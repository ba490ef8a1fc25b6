package chase

import (
	"fmt"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

type Tuning struct {
	// PerThread is the largest number of elements of a row or column of a block that an invocation
	// keeps in registers, if subgroups and workgroups may be large enough. If each block of a step
	// has its own team, invocations keep up to twice as many elements of a row of the blocks C and
	// D (see sb2st_teams.comp).
	PerThread uint32 `json:"Own"`

	// WaitSubgroups is the number of subgroups of a workgroup, 1 or 2, that only wait for the
	// previous sweep and publish the progress of their own sweep. With 2, one subgroup publishes
	// and the other waits, so that a wait never delays a publication.
	WaitSubgroups int `json:"Spare"`

	// OneTile is for tests and measurements: one block is in shared memory even if two would fit.
	OneTile bool

	// Team is the number of invocations of a team, a part of a workgroup that processes whole
	// blocks. If b² > PerThread·Team, each of the three blocks of a step has its own team, because
	// one team for all blocks would have too many elements for each invocation. If Team is 0, one
	// team processes all blocks.
	Team uint32

	// Groups is the largest number of workgroups of a dispatch. 0 means one workgroup for each
	// compute unit of the device, or 32 if the driver does not report the number of units.
	Groups int

	// FlagStride is the distance in memory between the flags of two successive sweeps, in 32-bit
	// words. 0 counts as 1.
	FlagStride uint32

	// Polls is the number of times that a waiting workgroup reads a flag before the wait fails.
	Polls uint32

	// SweepCost is a lower limit for the estimated cost of a sweep, in flops. A short sweep takes
	// longer than its operations suggest, because of latency.
	SweepCost float64

	// Dispatch is the approximate cost of the largest dispatch, in flops.
	Dispatch float64

	// Step and TeamStep are the measured times of one step on the critical path of ChaseModel, in
	// seconds. Step is for half-bandwidth 32, where one team of invocations computes the three
	// blocks of a step (see sb2st.comp). TeamStep is for half-bandwidth 64, where each block has
	// its own team (see sb2st_teams.comp). 0 means that the time was not measured.
	Step, TeamStep float64
}

// Fits returns nil if bands of doubles of half-bandwidth b can be chased with these sizes on the
// device, and a *vk.UnsupportedError otherwise.
func (t Tuning) Fits(info vk.Info, b int) error { return Fits[float64](t, info, b) }

// Fits does the same as Tuning.Fits for numbers of type T.
func Fits[T spirv.Scalar](t Tuning, info vk.Info, b int) error {
	for _, allowed := range []bool{false, true} {
		shape := chaseShape{b: b, info: info, wait: stages.Waiting{Allowed: allowed}, tune: t}
		if _, err := chaseSpec[T](shape); err != nil {
			return err
		}
	}
	return nil
}

func (t Tuning) on(info vk.Info) Tuning {
	const usual = 32 // used if the driver does not report the number of units
	switch {
	case t.Groups > 0:
	case info.Units > 0:
		t.Groups = info.Units
	default:
		t.Groups = usual
	}
	t.Groups = min(t.Groups, vk.MaxGroups())
	return t
}

func (t Tuning) flagStride() uint32 { return max(1, t.FlagStride) }

type chaseShape struct {
	b       int  // half-bandwidth
	vectors bool // whether reflectors are stored
	info    vk.Info
	wait    stages.Waiting
	tune    Tuning
}

func (c chaseShape) subgroup() int { return max(1, c.info.Subgroup) }

// waiters returns the number of invocations that wait or publish while the other invocations
// compute. No invocation both waits and publishes.
func (c chaseShape) waiters() int {
	return max(2, max(1, c.tune.WaitSubgroups)*c.subgroup())
}

func (c chaseShape) refuse(feature string, need, have int) error {
	return &vk.UnsupportedError{Device: c.info.Name, Feature: fmt.Sprintf("%s for half-bandwidth %d", feature, c.b),
		Need: fmt.Sprint(need), Have: fmt.Sprint(have)}
}

// lanesFor returns the number of neighbouring invocations of a subgroup that share the b elements
// of a row. It is the smallest power of two for which each invocation has at most perThread
// elements, but not more than the size of a subgroup.
func lanesFor(b, perThread, subgroup int) int {
	lanes := 1
	for 2*lanes <= subgroup && lanes*max(1, perThread) < b {
		lanes *= 2
	}
	return lanes
}
