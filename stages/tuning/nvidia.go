package tuning

import (
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/factor"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag/stebz"
	"github.com/vkevd/vkevd/stages/tridiag/stemr"
)

// nvidia is the table for GPUs of NVIDIA. Its sizes were measured on an H200. Other GPUs of NVIDIA
// use the same sizes if they fit the limits of the GPU.
var nvidia = Tuning{
	// From order 24576 on, the half-bandwidth 64 is faster than 32 if few vectors are wanted.
	Band: 32, Block: 512, ValuesBand: 64, ValuesFrom: 24576,
	// The ratio 6 is extrapolated. For 4096 columns, the times with and without a QR factorisation
	// were measured for 1.4 to 3 times as many rows. Straight lines through the two sets of times
	// meet at a ratio of 5.6 without singular vectors, and of 8.4 with them.
	QRFirst: 6,
	Products: product.Tuning{
		Tiles: []product.Tile{
			{M: 128, N: 64, K: 8, ThreadM: 8, ThreadN: 8, Unroll: 8, Buffers: 1, Resident: 2},
			{M: 128, N: 128, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 16, Buffers: 1, Resident: 1},
			{M: 64, N: 64, K: 8, ThreadM: 8, ThreadN: 4, Unroll: 8, Buffers: 1, Resident: 3},
			{M: 64, N: 64, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 2},
			{M: 128, N: 32, K: 16, ThreadM: 4, ThreadN: 8, Unroll: 16, Buffers: 1, Resident: 2},
			{M: 64, N: 32, K: 16, ThreadM: 4, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 4},
			{M: 32, N: 32, K: 16, ThreadM: 4, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 7},
		},
		Syr2k: product.Tile{M: 128, N: 64, K: 8, ThreadM: 8, ThreadN: 8, Unroll: 8, Buffers: 1, Resident: 2},
		// An H200 has 132 compute units. The function On replaces this number by that of the
		// device.
		Units: 132, Emulated: emulation,
	},
	Singles: nvidiaSingles, Complexes: nvidiaComplexes, ComplexSingles: nvidiaComplexSingles,
	// For n = 2048 singular values take 30.3 ms if a workgroup has 12 KiB for 32 rows of a panel,
	// and 32.0 ms if it has 33 KiB for 128 rows. For n = 4096 they take 77.3 and 80.9 ms. Larger
	// orders were not measured with 32 rows.
	//
	// With 128 workgroups, each workgroup has its own multiprocessor of an H200, so that all
	// workgroups are resident at the same time.
	Panel: panel.Tuning{
		LocalSize: 512, TileBytes: 33 << 10, ShortTileBytes: 12 << 10, ShortRows: 4096, Groups: 128, Whole: true, Polls: 1 << 22, Factor: 32, Merge: 512,
	},
	Cholesky: factor.Tuning{Order: 64, Block: 1024},
	// With these sizes, each of the three blocks of a bulge chasing step has its own team of
	// invocations if the half-bandwidth is 33 or more. There is one workgroup for each
	// multiprocessor.
	Chase: chase.Tuning{
		PerThread: 8, WaitSubgroups: 2, Team: 128, FlagStride: 8, Polls: 1 << 24, SweepCost: 6e6, Dispatch: 5e10,
	},
	// Narrowing a band of order 32768 with 128 superdiagonals takes 1.19 s with these sizes, 1.38 s
	// with Tile = 31 and To = 35, and 1.31 s with Tile = 48 and To = 32.
	Narrow: chase.NarrowTuning{Tile: 47, To: 34},
	// These sizes are chosen because the driver gives all workgroups of a multiprocessor only about
	// 48 KiB of shared memory together.
	ApplyQ2: back.ApplyQ2Tuning{
		Flags: true, Workgroups: 1 << 10, Polls: 1 << 24, Threads: 128, Pipe: 2, Lanes: 1 << 14,
		Items: 1 << 12, Group: 64, Chunk: 16, Batch: 16, Rows: 32, Private: true, Dispatch: 2.5e12, Squares: squares,
	},
	Bisection:     stebz.Tuning{Threads: 128, Tile: 512, Fused: true, Lanes: 1 << 15, Levels: 6, Few: 1024, Dispatch: 3e10},
	DivideConquer: anywhere.DivideConquer,
	MRRR:          stemr.Tuning{Threads: 64, Lanes: 1 << 15, Levels: 4, Vectors: 1 << 15, Dispatch: 3e10},
	// The driver gives all workgroups of a multiprocessor about 48 KiB of shared memory together.
	// Therefore matrices of order 17 or more are faster in memory than in shared memory. With vectors,
	// matrices of order 9 or more are faster in memory. On an H200, 400 matrices of order 192 take 9.7
	// ms in double precision and 5.5 ms in single precision, with the row of order 256 10.0 and 5.8
	// ms; 90 of order 384 take 12.8 and 8.5 ms, with the row of order 512 14.3 and 9.7 ms.
	Batch: batch.Tuning{
		Shared: []batch.Shared{{Order: 8, Team: 8, Matrices: 4}, {Order: 16, Team: 16, Matrices: 2, Values: true}},
		Memory: []batch.Memory{
			{Order: 16, Threads: 16, Teams: 1, Form: batch.Form{Threads: 32, Lanes: 8, Columns: 4}, Matrices: 8, Turns: batch.Turns{Threads: 16, Rows: 1, Sweeps: 4}},
			{Order: 32, Threads: 32, Teams: 1, Form: batch.Form{Threads: 64, Lanes: 8, Columns: 4}, Matrices: 8, Turns: batch.Turns{Threads: 32, Rows: 1, Sweeps: 6}},
			{Order: 64, Threads: 64, Teams: 1, Form: batch.Form{Threads: 64, Lanes: 8, Columns: 2}, Matrices: 8, Turns: batch.Turns{Threads: 64, Rows: 1, Sweeps: 8}},
			{Order: 96, Threads: 96, Teams: 2, Form: batch.Form{Threads: 128, Lanes: 16, Columns: 4}, Matrices: 4, Turns: batch.Turns{Threads: 96, Rows: 1, Sweeps: 8}},
			{Order: 128, Threads: 128, Teams: 2, Block: 2, Form: batch.Form{Threads: 128, Lanes: 16, Columns: 4}, Matrices: 4, Turns: batch.Turns{Threads: 128, Rows: 1, Sweeps: 8}},
			{Order: 192, Threads: 192, Teams: 2, Block: 4, Form: batch.Form{Threads: 128, Lanes: 32, Columns: 4}, Conquer: true, Matrices: 4, Turns: batch.Turns{Threads: 128, Rows: 1, Sweeps: 8}},
			{Order: 256, Threads: 256, Teams: 2, Block: 4, Form: batch.Form{Threads: 128, Lanes: 32, Columns: 4}, Conquer: true, Matrices: 4, Turns: batch.Turns{Threads: 128, Rows: 1, Sweeps: 8}},
			{Order: 384, Threads: 384, Teams: 2, Block: 3, Form: batch.Form{Threads: 128, Lanes: 32, Columns: 4}, Conquer: true, Matrices: 4, Turns: batch.Turns{Threads: 128, Rows: 1, Sweeps: 8}},
			{Order: 512, Threads: 512, Teams: 2, Block: 3, Form: batch.Form{Threads: 256, Lanes: 32, Columns: 2}, Conquer: true, Matrices: 4, Turns: batch.Turns{Threads: 128, Rows: 1, Sweeps: 8}},
		},
		Pairs:    []batch.Pair{{Order: 16, Tile: 8, Each: 1}, {Order: 128, Tile: 16, Each: 2}, {Order: 512, Tile: 32, Each: 2}},
		Dispatch: 2e11,
	},
	// From these orders on, the device is faster than gonum on the CPU. They were measured on an
	// H200 that reduced matrices in two stages. The orders for singular values have a safety
	// margin, because gonum was measured on two cores of another machine. For n = 512 gonum takes
	// 66 ms without vectors and 1412 ms with them, and an H200 takes 10 and 16 ms. With vectors,
	// gonum takes 126 ms for n = 256.
	Host: Host{
		Gonum:  Crossover{Symmetric: Orders{192, 128}, Singular: Orders{512, 256}},
		LAPACK: anywhere.Host.LAPACK,
	},
	Forecast: gpuForecast,
}
