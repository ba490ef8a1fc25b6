package tuning

import (
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/vk"
)

func init() {
	devices = append(devices,
		device{"nvidia", func(info vk.Info) bool { return info.Named("H200") }, h200},
		// A GH200 has the same GPU, beside another CPU. An H100 has the same processor and slower
		// memory. Solves of order 1024 on an H100 with as many multiprocessors take 3.1 ms for
		// values and 5.4 ms with vectors with this table, and 9.2 and 12.2 ms with the table
		// nvidia. At the orders 2048 to 8192 this table is faster, too.
		device{"nvidia", func(info vk.Info) bool {
			return info.Named("GH200") || info.Named("H100") && info.Units >= 132
		}, changed(h200, func(t *Tuning) { t.Host = nvidia.Host })},
	)
}

// h200 is the table for an NVIDIA H200 (132 multiprocessors, driver 580.159).
var h200 = changed(nvidia, func(t *Tuning) {
	// k is the number of columns between two updates of the trailing matrix. For n = 3072 / 4096 /
	// 8192 / 16384, a band reduction takes 16.0 / 24.7 / 89.3 / 470 ms with k = 512 and 15.3 / 23.8
	// / 87.1 / 466 ms with k = 256. For n = 32768 and half-bandwidth 32 it takes 3266 and 3265 ms,
	// and for half-bandwidth 64 it takes 2892 and 2904 ms. No order between 16384 and 32768 was
	// measured.
	t.SmallBlock, t.SmallTo = 256, nvidia.ValuesFrom-1

	t.Sytrd = reduce.TridiagonalisationTuning{
		Values: 2816, Vectors: 3072, LocalSize: 256, Groups: 128, Rows: 8, Block: 4, Kept: 72, Polls: 1 << 22,
		Blocked: reduce.BlockedTuning{Left: 1536, Columns: 64, LocalSize: 256, Groups: 128, Block: 4, Registers: 128},
	}

	// For complex128 and n = 2048 / 2560 / 3072, values take 27.9 / 52.0 / 87.9 ms in one stage,
	// and 32.9 / 44.1 / 57.0 ms in two. Vectors take 36.8 / 67.5 / 110 ms in one stage, and 46.5 /
	// 68.9 / 94.7 ms in two. The registers hold a matrix of order 1024.
	t.Complexes.Sytrd = t.Sytrd
	t.Complexes.Sytrd.Values, t.Complexes.Sytrd.Vectors = 2048, 2048
	t.Complexes.Sytrd.Blocked.Left, t.Complexes.Sytrd.Blocked.Columns = 1024, 32

	// Step and TeamStep are measured times of one step of the bulge chasing, in seconds. Step is
	// for half-bandwidth 32 and one team of invocations, and TeamStep is for half-bandwidth 64 and
	// a team for each of the three blocks of a step.
	t.Chase.Step, t.Chase.TeamStep = 1.45e-6, 3.3e-6

	// Whole solves of random matrices of order 4096 / 8192 / 16384, for values alone, take 45.5 /
	// 130.0 / 557 ms by divide and conquer, and 45.3 / 133.4 / 570 ms by bisection.
	t.ConquerValues = ConquerValues{From: 8192, Share: 4}

	// Whole solves of order 16384 take 0.61 s for values and 2.00 s with vectors on one H200, by
	// the host's clock. On two that divide only the vectors they take 0.62 and 1.58 s, and on two
	// that divide the matrix 0.58 and 1.39 s. On two H100, order 8192 takes 0.15 and 0.32 s
	// undivided, and 0.18 and 0.34 s divided.
	t.Divided = Divided{Values: 16384, Vectors: 16384}

	t.Host = Host{
		// gonum finds eigenvalues faster at order 64. At order 128 the H200 is 3 to 4 times as
		// fast.
		Gonum: Crossover{Symmetric: Orders{96, 96}, Singular: Orders{512, 256}},
		// These orders were measured against OpenBLAS 0.3.34 on 16 CPU cores of the same machine.
		// From these orders on, the H200 is faster even for a single problem, which needs a new
		// plan. With an existing plan it is faster from orders between 256 and 512 on
		// (docs/drop-in.md).
		LAPACK: Crossover{Symmetric: Orders{512, 512}, Tridiagonal: Orders{768, 768}, Singular: Orders{512, 512}},
	}
})
