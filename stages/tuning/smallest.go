package tuning

import (
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/factor"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag/stebz"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/stages/tridiag/stemr"
)

// Smallest returns sizes with which matrices of order 50 or less reach most paths of the stages.
// Products have small tiles. Panels have several workgroups, with several chunks of rows each, and
// triangular factors T that are joined from blocks. Dispatches of the bulge chasing have only a few
// sweeps. Smallest is for tests. Each call returns a new value, which the caller may change.
func Smallest() Tuning {
	return Tuning{
		Band: 4, Block: 8, QRFirst: 2,
		Products: product.Tuning{
			// The tiles cover products with two buffers in shared memory, with one buffer, with no
			// shared memory, and with few columns.
			Tiles: []product.Tile{
				{M: 16, N: 8, K: 8, ThreadM: 4, ThreadN: 2, Unroll: 4, Buffers: 2, Resident: 2},
				{M: 8, N: 8, K: 4, ThreadM: 2, ThreadN: 2, Unroll: 2, Buffers: 1, Resident: 2},
				{M: 16, N: 4, K: 4, ThreadM: 4, ThreadN: 2, Unroll: 2, Buffers: 1, Resident: 2},
				{M: 16, N: 8, K: 1, ThreadM: 2, ThreadN: 8, Unroll: 1, Resident: 2},
			},
			Syr2k: product.Tile{M: 16, N: 8, K: 8, ThreadM: 4, ThreadN: 2, Unroll: 2, Buffers: 1, Resident: 2},
			Units: 8, Emulated: smallestEmulation,
		},
		Panel:    panel.Tuning{LocalSize: 8, TileBytes: 8 * 3 * 5, Groups: 3, Factor: 2, Merge: 16},
		Cholesky: factor.Tuning{Order: 8, Block: 32},
		Chase: chase.Tuning{
			PerThread: 2, WaitSubgroups: 2, Groups: 3, FlagStride: 1, Polls: 1 << 30, SweepCost: 1, Dispatch: 1e4,
		},
		Narrow: chase.NarrowTuning{Tile: 3, To: 4},
		ApplyQ2: back.ApplyQ2Tuning{
			Flags: true, Workgroups: 3, Polls: 1 << 30, Threads: 4, Group: 4, Chunk: 4, Batch: 2, Dispatch: 1e4,
			Squares: back.Q2SquareTuning{Sweeps: 7},
		},
		Bisection:     stebz.Tuning{Threads: 8, Tile: 8, Fused: true, Lanes: 100, Levels: 3, Dispatch: 1e4},
		DivideConquer: stedc.Tuning{Leaf: 3, Lanes: 4, Threads: 8, Deflate: 8, Panels: 3, Grouped: 10},
		MRRR:          stemr.Tuning{Threads: 8, Lanes: 64, Levels: 3, Vectors: 12, Dispatch: 1e4},
		// Matrices of the largest orders have more rows than a workgroup has invocations, and need
		// several dispatches.
		Batch: batch.Tuning{
			Shared: []batch.Shared{{Order: 3, Team: 2, Matrices: 3, Apart: 3}, {Order: 9, Team: 4, Matrices: 2}},
			Memory: []batch.Memory{
				{Order: 20, Threads: 32, Teams: 2, Form: batch.Form{Threads: 20, Lanes: 20, Columns: 1}},
				{Order: 60, Threads: 32, Teams: 1, Form: batch.Form{Threads: 8, Lanes: 4, Columns: 2}, Matrices: 3, Turns: batch.Turns{Threads: 16, Rows: 2, Sweeps: 3}},
				{Order: 160, Threads: 32, Teams: 1, Block: 2, Form: batch.Form{Threads: 16, Lanes: 8, Columns: 3}, Conquer: true},
			},
			Pairs:    []batch.Pair{{Order: 5, Tile: 2, Each: 1}, {Order: 160, Tile: 4, Each: 2}},
			Dispatch: 1e6,
		},
	}
}
