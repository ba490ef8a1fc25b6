package stages

import "github.com/vkevd/vkevd/vk"

// ChaseTuning is what is measured for the bulge chasing.
type ChaseTuning struct {
	Own        uint32  // elements of a row or column of a block that a thread holds, at least; with teams, of C and D twice as many
	Spare      int     // subgroups that wait and publish while the others compute, 1 or 2
	OneTile    bool    // one block in shared memory even if two would fit
	Team       uint32  // threads for each of a step's three blocks, which have teams of their own where all three would have more, b² > Own·Team; 0: nowhere
	Wavefront  bool    // one dispatch a wave, and no flags in ApplyQ2: for devices on which waiting workgroups starve others
	Groups     int     // workgroups that run at the same time; 0: one for each multiprocessor
	WideFence  bool    // every thread fences, not one for all: see shaders/glsl/common/flags.glsl
	FlagStride uint32  // words from one flag to the next
	Polls      uint32  // looks at a flag before waiting is given up
	SweepCost  float64 // what a sweep costs at least, its latency, in flops
	Dispatch   float64 // what one dispatch may cost, in flops
	Step       float64 // seconds that a step took on the path of ChaseModel, at the table's own half-bandwidth; 0 where nobody measured
	TeamStep   float64 // of teams, at twice that; alike
}

// groups is how many workgroups run at the same time, of one dispatch.
func (t ChaseTuning) groups(info vk.Info) int {
	const usual = 32 // where nobody tells
	switch {
	case t.Groups > 0:
		return min(t.Groups, vk.MostGroups())
	case info.Units > 0:
		return min(info.Units, vk.MostGroups())
	}
	return usual
}

// wideFence says whether every thread must fence. One may stand for all only on devices that know
// chains of availability: the workgroup's barrier is their first link, that thread's fence the second.
func (t ChaseTuning) wideFence(info vk.Info) bool {
	return t.WideFence || !info.FenceChains()
}

func chaseTuning(family string) ChaseTuning {
	switch family {
	case "nvidia":
		return ChaseTuning{Own: 8, Spare: 2, FlagStride: 8, Polls: 1 << 24, Team: 128,
			SweepCost: 6e6, Dispatch: 5e10, Step: 1.45e-6, TeamStep: 3.3e-6}
	case "cpu":
		// Who waits there keeps a core from who is waited for: with flags, two busy cores took up to eighty
		// times as long. A wave is as fast, and takes all cores.
		return ChaseTuning{Own: 16, Spare: 1, Wavefront: true, FlagStride: 1, Polls: 1 << 30, Dispatch: 1e8}
	}
	return ChaseTuning{Own: 16, Spare: 1, Groups: 32, WideFence: true, FlagStride: 8, Polls: 1 << 24, SweepCost: 1e7, Dispatch: 2e10}
}

// smallestChase has spare threads, and dispatches of a few sweeps.
func smallestChase() ChaseTuning {
	return ChaseTuning{Own: 2, Spare: 2, Groups: 3, FlagStride: 1, Polls: 1 << 30, SweepCost: 1, Dispatch: 1e4}
}
