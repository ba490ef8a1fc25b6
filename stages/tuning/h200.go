package tuning

import (
	"github.com/vkevd/vkevd/stages/reduce"
)

// h200 is the table for an NVIDIA H200 (132 multiprocessors, driver 580.159).
var h200 = withSytrd(withSteps(withDivided(withConquer(withSmallBlock(nvidia, 256), 8192, 4), 16384), 1.45e-6, 3.3e-6), reduce.TridiagonalisationTuning{
	Values: 2816, Vectors: 3072, LocalSize: 256, Groups: 128, Rows: 8, Block: 4, Kept: 72, Polls: 1 << 22,
	Blocked: reduce.BlockedTuning{Left: 1536, Columns: 64, LocalSize: 256, Groups: 128, Block: 4, Registers: 128},
})

// withSytrd returns the table t with the sizes s, with which small matrices are reduced in one
// stage.
func withSytrd(t Tuning, s reduce.TridiagonalisationTuning) Tuning {
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

// withSmallBlock returns the table t with the rank k of the trailing updates for orders below
// ValuesFrom. On an H200, for n = 3072 / 4096 / 8192 / 16384, a band reduction takes 16.0 / 24.7 /
// 89.3 / 470 ms with k = 512 and 15.3 / 23.8 / 87.1 / 466 ms with k = 256. For n = 32768 it takes
// 3266 ms with k = 512 and 3265 ms with k = 256 if the half-bandwidth is 32, and 2892 and 2904 ms
// if it is 64. No order between 16384 and 32768 was measured.
func withSmallBlock(t Tuning, k int) Tuning {
	t.SmallBlock, t.SmallTo = k, t.ValuesFrom-1
	return t
}

// withDivided returns the table t with matrices of the order `from` and larger divided among
// several devices. Whole solves on the clock, of order 16384, take 0.61 s for values and 2.00 s
// with vectors on one H200, 0.62 and 1.58 s on two that divide only the vectors, and 0.58 and 1.39
// s on two that divide the matrix. On two H100, order 8192 takes 0.15 and 0.32 s undivided, and
// 0.18 and 0.34 s divided.
func withDivided(t Tuning, from int) Tuning {
	t.Divided = Divided{Values: from, Vectors: from}
	return t
}

// withConquer returns the table t with divide and conquer for values alone, for orders from `from`
// on if at least 1/share of the values are wanted. Whole solves of random matrices of order 4096 /
// 8192 / 16384 take 45.5 / 130.0 / 557 ms by divide and conquer, and 45.3 / 133.4 / 570 ms by
// bisection.
func withConquer(t Tuning, from, share int) Tuning {
	t.ConquerValues = ConquerValues{From: from, Share: share}
	return t
}
