package tuning

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/factor"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag/stebz"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/stages/tridiag/stemr"
	"github.com/vkevd/vkevd/stages/tridiag/steqr"
)

// lavapipe is the table for drivers that run on a CPU. It was measured with Mesa 25.0.7 on two
// cores.
//
// Products read memory directly, which is two to six times as fast as a copy in shared memory. On a
// CPU, caches are as fast as shared memory, and shared memory would need barriers. Except for
// rank-2k updates (Syr2k), a workgroup has as many invocations as a vector register of the CPU has
// elements.
//
// No workgroup waits for another workgroup, because a workgroup that polls uses the core that the
// other workgroup needs. With flags, a chase took up to eighty times as long on two busy cores.
// Instead, each set of independent steps (a wave) is one dispatch. This is as fast on idle cores,
// and uses all cores.
var lavapipe = Tuning{
	Band: 16, Block: 64, QRFirst: anywhere.QRFirst,
	Products: product.Tuning{
		Tiles: []product.Tile{
			{M: 64, N: 8, K: 1, ThreadM: 8, ThreadN: 8, Unroll: 1, Resident: 1},
			{M: 16, N: 8, K: 1, ThreadM: 2, ThreadN: 8, Unroll: 1, Resident: 1},
		},
		Syr2k: product.Tile{M: 64, N: 64, K: 1, ThreadM: 8, ThreadN: 8, Unroll: 1, Resident: 1},
		Units: 4, Emulated: emulationOnCPU,
	},
	Panel:         panel.Tuning{LocalSize: 64, TileBytes: 17 << 10, Groups: 8, Factor: 16, Merge: 64},
	Cholesky:      factor.Tuning{Order: 32, Block: 128},
	Waits:         Waits{Wavefront: true},
	Chase:         chase.Tuning{PerThread: 16, WaitSubgroups: 1, FlagStride: 1, Polls: 1 << 30, Dispatch: 1e8},
	Narrow:        anywhere.Narrow,
	ApplyQ2:       back.ApplyQ2Tuning{Threads: 16, Pipe: 1, Group: 16, Chunk: 16, Batch: 1, Dispatch: 4e8, Squares: squares},
	Bisection:     stebz.Tuning{Threads: 32, Tile: 512, Lanes: 16, Levels: 1, Dispatch: 2e7},
	DivideConquer: stedc.Tuning{Leaf: 32, Lanes: 8, Threads: 32, Deflate: 32, Panels: 8, Grouped: 1 << 20},
	MRRR:          stemr.Tuning{Threads: 32, Lanes: 16, Levels: 1, Vectors: 1 << 10, Dispatch: 2e7},
	// One matrix has as many invocations as a vector register has elements. Outside of shared
	// memory, each of them processes eight rows at a time, because loads and stores are slow. A
	// workgroup of steqr_batch computes the rotations of eight matrices.
	Batch: batch.Tuning{
		Shared: []batch.Shared{{Order: 8, Team: 8, Matrices: 1}, {Order: 16, Team: 8, Matrices: 1}},
		Memory: []batch.Memory{
			{Order: 32, Threads: 8, Teams: 1, Rows: 8, Form: batch.Form{Threads: 8, Lanes: 8, Columns: 4}, Matrices: 8, Turns: batch.Turns{Threads: 8, Rows: 4, Sweeps: 4}},
			{Order: 64, Threads: 8, Teams: 1, Rows: 8, Form: batch.Form{Threads: 8, Lanes: 8, Columns: 4}, Matrices: 8, Turns: batch.Turns{Threads: 8, Rows: 8, Sweeps: 4}},
			{Order: 128, Threads: 8, Teams: 1, Rows: 8, Form: batch.Form{Threads: 8, Lanes: 8, Columns: 4}, Matrices: 8, Turns: batch.Turns{Threads: 8, Rows: 8, Sweeps: 4}},
			{Order: 256, Threads: 8, Teams: 1, Rows: 8, Form: batch.Form{Threads: 8, Lanes: 8, Columns: 4}, Conquer: true, Matrices: 4, Turns: batch.Turns{Threads: 8, Rows: 8, Sweeps: 4}},
		},
		Pairs:    []batch.Pair{{Order: 8, Tile: 8, Each: 2}, {Order: 256, Tile: 16, Each: 4}},
		Dispatch: 2e8,
	},
	QR:            steqr.QRTuning{Vectors: 64, Values: 256}, // orders up to 256 were measured
	ConquerValues: ConquerValues{From: 1024, Share: 4},      // at 512 the faster way depends on how much deflates
	// gonum takes 5.6 s for the singular values of order 2048, and lavapipe 8.2 s. With singular
	// vectors both take the same time for order 512.
	Host: Host{
		Gonum:  Crossover{Symmetric: Orders{1024, 512}, Singular: Orders{4096, 1024}},
		LAPACK: Crossover{Symmetric: Orders{Never, Never}, Tridiagonal: Orders{Never, Never}, Singular: Orders{Never, Never}},
	},
	// These speeds are rough. They were fitted for n = 500 and 1000, while other programs also used
	// the two cores. Such load slows some stages more than others.
	Forecast: Forecast{
		Rates: machine.PeakRates{FP64: 40e9, FP32: 80e9},
		Other: Speed{Share: 0.3},
		Stages: map[string]Speed{
			stages.PhaseQR:                 {Share: 0.1},
			stages.PhaseTridiagonalisation: {Share: 0.1},
			stages.PhaseBandReduction:      {Share: 0.2, Products: 0.5},
			stages.PhaseBulgeChasing:       {Share: 0.05},
			stages.PhaseBandNarrowing:      {Share: 0.05},
			stages.PhaseTridiagonal:        {Share: 0.5, Products: 0.75, Double: true},
			stages.PhaseBidiagonal:         {Share: 0.2, Products: 0.75, Double: true},
			stages.PhaseBisection:          {Share: 0.03, Double: true},
			stages.PhaseDqds:               {Share: 0.1, Double: true}, // one processor, 30·n² nanoseconds
			stages.PhaseApplyQ2:            {Share: 0.05},
			stages.PhaseApplyP2:            {Share: 0.05},
			stages.PhaseApplyQ1:            {Share: 0.25, Products: 1},
			stages.PhaseApplyP1:            {Share: 0.25, Products: 1},
			stages.PhaseRefineProducts:     {Share: 0.25, Products: 1, Double: true},
			stages.PhaseBatch:              {Share: 0.04},
		},
	},
}
