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
)

// anywhere is the table for every device that Vulkan allows: it needs at most 16 KiB of shared
// memory and 128 invocations in a workgroup. It was not measured. The function On tries it last, so
// it must fit every device. With it, no workgroup of a panel or of ApplyQ2 waits for another one.
var anywhere = Tuning{
	Band: 32, Block: 256,
	// QRFirst is the ratio of rows to columns from which a general matrix gets a QR factorisation
	// first. If only singular values are wanted, the QR factorisation reduces the number of
	// operations from a ratio of 5/3 on.
	QRFirst: 2,
	Products: product.Tuning{
		// The tiles of products need at most 128 invocations in a workgroup, and at most 8352 bytes
		// of shared memory.
		Tiles: []product.Tile{
			{M: 64, N: 64, K: 8, ThreadM: 8, ThreadN: 4, Unroll: 4, Buffers: 1, Resident: 2},
			{M: 64, N: 32, K: 8, ThreadM: 4, ThreadN: 4, Unroll: 4, Buffers: 1, Resident: 4},
			{M: 32, N: 32, K: 8, ThreadM: 4, ThreadN: 4, Unroll: 4, Buffers: 1, Resident: 8},
		},
		Syr2k: product.Tile{M: 64, N: 64, K: 8, ThreadM: 8, ThreadN: 4, Unroll: 4, Buffers: 1, Resident: 2},
		Units: 32, Emulated: emulationAnywhere,
	},
	Panel:    panel.Tuning{LocalSize: 128, TileBytes: 9 << 10, Groups: 64, Factor: 16, Merge: 256},
	Cholesky: factor.Tuning{Order: 32, Block: 256}, // not measured
	// The bulge chasing has 32 workgroups in flight, because most drivers do not report the number
	// of compute units.
	Chase: chase.Tuning{
		PerThread: 8, WaitSubgroups: 1, Groups: 32, FlagStride: 8, Polls: 1 << 24, SweepCost: 1e7, Dispatch: 2e10,
	},
	Narrow: chase.NarrowTuning{Tile: 31, To: 35}, // not measured
	ApplyQ2: back.ApplyQ2Tuning{
		Threads: 64, Pipe: 2, Lanes: 1 << 13, Group: 16, Chunk: 8, Batch: 4, Rows: 32, Dispatch: 1e11, Squares: squares,
	},
	Bisection:     stebz.Tuning{Threads: 64, Tile: 512, Fused: true, Lanes: 1 << 12, Levels: 3, Dispatch: 2e9},
	DivideConquer: stedc.Tuning{Leaf: 32, Lanes: 32, Threads: 128, Deflate: 128, Panels: 8, Columns: 2048, Grouped: 128},
	MRRR:          stemr.Tuning{Threads: 64, Lanes: 1 << 12, Levels: 4, Vectors: 1 << 13, Dispatch: 2e9},
	Batch: batch.Tuning{
		Shared: []batch.Shared{
			{Order: 8, Team: 8, Matrices: 4}, {Order: 16, Team: 16, Matrices: 2}, {Order: 32, Team: 32, Matrices: 1},
			{Order: 40, Team: 40, Matrices: 1}, {Order: 56, Team: 56, Matrices: 1},
		},
		// The sizes for batches were not measured on any device. For matrices of order above 128
		// there are two rows: one with many invocations, and one with few for devices with small
		// workgroups.
		Memory: []batch.Memory{
			{Order: 128, Threads: 96, Teams: 1, Form: batch.Form{Threads: 64, Lanes: 16, Columns: 4}, Matrices: 4, Turns: batch.Turns{Threads: 64, Rows: 1, Sweeps: 8}},
			{Order: 256, Threads: 256, Teams: 1, Form: batch.Form{Threads: 128, Lanes: 32, Columns: 2}, Matrices: 2, Turns: batch.Turns{Threads: 64, Rows: 1, Sweeps: 8}},
			{Order: 256, Threads: 96, Teams: 1, Form: batch.Form{Threads: 96, Lanes: 32, Columns: 2}, Matrices: 2, Turns: batch.Turns{Threads: 64, Rows: 1, Sweeps: 8}},
			{Order: 384, Threads: 384, Teams: 1, Form: batch.Form{Threads: 128, Lanes: 32, Columns: 2}, Conquer: true, Matrices: 2, Turns: batch.Turns{Threads: 64, Rows: 1, Sweeps: 8}},
			{Order: 384, Threads: 96, Teams: 1, Form: batch.Form{Threads: 96, Lanes: 32, Columns: 2}, Conquer: true, Matrices: 2, Turns: batch.Turns{Threads: 64, Rows: 1, Sweeps: 8}},
		},
		Pairs:    []batch.Pair{{Order: 8, Tile: 8, Each: 1}, {Order: 512, Tile: 16, Each: 2}},
		Dispatch: 1e9,
	},
	// One invocation can issue the memory barrier for its workgroup if the driver allows it. This
	// was tested only with the drivers of the tables nvidia and lavapipe.
	Waits: Waits{WideFence: true},
	// From the orders in Host on, the device is faster than the functions of gonum, or than a
	// LAPACK, on the CPU. The orders for gonum are estimates from NVIDIA's times at n = 1024. The
	// orders for LAPACK were not measured.
	Host: Host{
		Gonum:  Crossover{Symmetric: Orders{512, 256}, Singular: Orders{1024, 512}},
		LAPACK: Crossover{Symmetric: Orders{2048, 2048}, Tridiagonal: Orders{Never, 4096}, Singular: Orders{2048, 1024}},
	},
	Forecast: gpuForecast,
}

// gpuForecast was fitted to an H200 for n = 1024 to 32768 (docs/benchmarks.md). The rates are those
// of the H200.
var gpuForecast = Forecast{
	Rates: machine.PeakRates{FP64: 32e12, FP32: 61e12},
	Other: Speed{Share: 0.3},
	Stages: map[string]Speed{
		stages.PhaseQR:                 {Share: 0.1},
		stages.PhaseTridiagonalisation: {Row: 1.6e-6, Share: 0.055},
		stages.PhaseBandReduction:      {Row: 5.5e-6, Share: 0.47, Products: 0.5},
		stages.PhaseBulgeChasing:       {Row: 4.8e-6, Share: 0.2},
		stages.PhaseBandNarrowing:      {Row: 5e-6, Share: 0.06},
		stages.PhaseTridiagonal:        {Row: 1.5e-6, Share: 0.78, Products: 0.75, Double: true},
		stages.PhaseBidiagonal:         {Row: 2e-6, Share: 0.65, Products: 0.75, Double: true},
		stages.PhaseBisection:          {Row: 0.6e-6, Share: 0.04, Double: true},
		stages.PhaseDqds:               {Share: 0.1, Double: true},
		stages.PhaseApplyQ2:            {Row: 0.2e-6, Share: 0.46},
		stages.PhaseApplyP2:            {Row: 0.2e-6, Share: 0.46},
		stages.PhaseApplyQ1:            {Row: 0.4e-6, Share: 0.58, Products: 1},
		stages.PhaseApplyP1:            {Row: 0.4e-6, Share: 0.58, Products: 1},
		stages.PhaseRefineProducts:     {Row: 0.5e-6, Share: 0.58, Products: 1, Double: true},
		stages.PhaseBatch:              {Row: 50e-6, Share: 0.04},
	},
}
