package stages

// ChaseTuning is what is measured for the bulge chasing.
type ChaseTuning struct {
	Threads    uint32  // a workgroup; wide bands get more
	OneTile    bool    // two blocks take turns in shared memory even if both would fit
	Wavefront  bool    // one dispatch a wave: for devices on which waiting workgroups starve others
	Groups     int     // workgroups that run at the same time
	WideFence  bool    // every thread fences, not one for all: see shaders/common/flags.glsl
	FlagStride uint32  // words from one flag to the next
	Polls      uint32  // looks at a flag before waiting is given up
	SweepCost  float64 // what a sweep costs at least, its latency, in flops
	Dispatch   float64 // what one dispatch may cost, in flops
	Step       float64 // seconds that a step took on the path of ChaseModel; 0 where nobody measured
}

func chaseTuning(family string) ChaseTuning {
	switch family {
	case "nvidia":
		return ChaseTuning{Threads: 512, Groups: 264, FlagStride: 8, Polls: 1 << 24, SweepCost: 6e6, Dispatch: 5e10}
	case "cpu":
		// Two cores; and many threads, so that few elements are unrolled: compiling is dear.
		return ChaseTuning{Threads: 128, Groups: 2, FlagStride: 1, Polls: 1 << 30, Dispatch: 1e8}
	}
	return ChaseTuning{Threads: 128, Groups: 32, WideFence: true, FlagStride: 8, Polls: 1 << 24, SweepCost: 1e7, Dispatch: 2e10}
}

// smallestChase has spare threads, and dispatches of a few sweeps.
func smallestChase() ChaseTuning {
	return ChaseTuning{Threads: 8, Groups: 3, FlagStride: 1, Polls: 1 << 30, SweepCost: 1, Dispatch: 1e4}
}
