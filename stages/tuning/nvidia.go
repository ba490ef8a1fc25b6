package tuning

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
)

// nvidia is the table for GPUs of NVIDIA. Its sizes were measured on an H200. Other GPUs of NVIDIA
// use the same sizes, if these fit their limits.
var nvidia = Tuning{
	// From n = 24576 on, b = 64 is faster if few vectors are wanted.
	Band: 32, Block: 512, ValuesBand: 64, ValuesFrom: 24576,
	// For 4096 columns, times with and without a QR factorisation at 1.4 to 3 times as many rows meet at
	// 5.6 times as many for values and 8.4 for vectors, if they go on as straight lines.
	QRFirst: 6,
	Products: product.Tuning{
		Tiles: []product.Tile{
			{M: 128, N: 64, K: 8, ThreadM: 8, ThreadN: 8, Unroll: 8, Buffers: 1, Resident: 2},
			{M: 128, N: 128, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 16, Buffers: 1, Resident: 1},
			{M: 64, N: 64, K: 8, ThreadM: 8, ThreadN: 4, Unroll: 8, Buffers: 1, Resident: 3},
			{M: 64, N: 64, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 2},
			{M: 128, N: 32, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 2},
			{M: 64, N: 32, K: 16, ThreadM: 4, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 4},
			{M: 32, N: 32, K: 16, ThreadM: 4, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 7},
		},
		Syr2k: product.Tile{M: 128, N: 64, K: 8, ThreadM: 8, ThreadN: 8, Unroll: 8, Buffers: 1, Resident: 2},
		// An H200 has 132 units. The function On replaces this by the number of the device itself.
		Units: 132, Emulated: emulation,
	},
	// With 128 workgroups, each has a multiprocessor of an H200 to itself, so that all are
	// resident.
	Panel: stages.PanelTuning{
		LocalSize: 512, TileBytes: 33 << 10, Groups: 128, Whole: true, Polls: 1 << 22, Factor: 32, Merge: 512,
	},
	// In the bulge chasing, each of a step's three blocks has a team of its own if the
	// half-bandwidth is 33 or more. There is one workgroup for each multiprocessor.
	Chase: Chase{ChaseTuning: stages.ChaseTuning{
		PerThread: 8, WaitSubgroups: 2, Team: 128, FlagStride: 8, Polls: 1 << 24, SweepCost: 6e6, Dispatch: 5e10,
	}},
	// The driver gives all workgroups of a multiprocessor together some 48 KiB of shared memory.
	ApplyQ2: stages.ApplyQ2Tuning{
		Flags: true, Workgroups: 1 << 10, Polls: 1 << 24, Threads: 128, Pipe: 2, Lanes: 1 << 14,
		Items: 1 << 12, Group: 64, Chunk: 16, Batch: 16, Rows: 32, Private: true, Dispatch: 2.5e12,
	},
	Bisection:     stages.BisectionTuning{Threads: 64, Tile: 1024, Fused: true, Lanes: 1 << 15, Levels: 3, Dispatch: 3e10},
	DivideConquer: anywhere.DivideConquer,
	MRRR:          stages.MRRRTuning{Threads: 64, Lanes: 1 << 15, Levels: 4, Vectors: 1 << 15, Dispatch: 3e10},
	// The driver gives the workgroups of a multiprocessor some 48 KiB of shared memory together, so
	// that matrices from order 17 on are faster in memory.
	Batch: stages.BatchTuning{
		Shared: []stages.BatchShared{{Order: 8, Team: 8, Matrices: 4}, {Order: 16, Team: 16, Matrices: 2}},
		Memory: []stages.BatchMemory{
			{Order: 32, Threads: 32, Teams: 1, Apart: 32}, {Order: 64, Threads: 64, Teams: 1, Apart: 32},
			{Order: 128, Threads: 128, Teams: 2, Apart: 32}, {Order: 256, Threads: 256, Teams: 2, Apart: 32},
			{Order: 512, Threads: 512, Teams: 2, Apart: 32},
		},
		Dispatch: 2e11,
	},
}
