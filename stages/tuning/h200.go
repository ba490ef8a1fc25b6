package tuning

import "github.com/vkevd/vkevd/stages"

// h200 is the table for an NVIDIA H200 (132 multiprocessors, driver 580.159).
var h200 = withSytrd(withSteps(nvidia, 1.45e-6, 3.3e-6), stages.TridiagonalisationTuning{
	Values: 2816, Vectors: 3072, LocalSize: 256, Groups: 128, Rows: 8, Block: 4, Kept: 72, Polls: 1 << 22,
	Blocked: stages.BlockedTuning{Left: 1536, Columns: 64, LocalSize: 256, Groups: 128, Block: 4, Registers: 128},
})

// withSytrd returns the table t with the sizes s, with which small matrices are reduced in one
// stage.
func withSytrd(t Tuning, s stages.TridiagonalisationTuning) Tuning {
	t.Sytrd = s
	return t
}

// withSteps returns the table t with the measured time, in seconds, of one step of the bulge
// chasing: `step` is for half-bandwidth 32 and one team of invocations, and `team` is for
// half-bandwidth 64 and a team for each of the three blocks of a step.
func withSteps(t Tuning, step, team float64) Tuning {
	t.Chase.Step, t.Chase.TeamStep = step, team
	return t
}
