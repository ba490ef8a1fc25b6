package tuning

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
)

// lavapipe is for drivers that run on a CPU. It was measured with Mesa 25.0.7 on two cores.
//
// Products read memory directly: a CPU's caches are as fast as its shared memory, which would only
// add barriers, so this is two to six times as fast. A workgroup is one vector.
//
// No workgroup waits for another. One that polls keeps a core from the one it waits for: two busy
// cores took up to eighty times as long with flags. A wave is as fast and takes all cores.
var lavapipe = Tuning{
	Band: 16, Block: 64,
	Products: product.Tuning{
		Tiles: []product.Tile{
			{M: 64, N: 8, K: 1, ThreadM: 8, ThreadN: 8, Unroll: 1, Resident: 1},
			{M: 16, N: 8, K: 1, ThreadM: 2, ThreadN: 8, Unroll: 1, Resident: 1},
		},
		Syr2k: product.Tile{M: 64, N: 64, K: 1, ThreadM: 8, ThreadN: 8, Unroll: 1, Resident: 1},
		Units: 4,
	},
	Panel: stages.PanelTuning{LocalSize: 64, TileBytes: 17 << 10, Groups: 8, Factor: 16, Merge: 64},
	Chase: Chase{
		ChaseTuning: stages.ChaseTuning{PerThread: 16, WaitSubgroups: 1, FlagStride: 1, Polls: 1 << 30, Dispatch: 1e8},
		Wavefront:   true,
	},
	ApplyQ2:       stages.ApplyQ2Tuning{Threads: 16, Pipe: 1, Group: 16, Chunk: 16, Batch: 1, Dispatch: 4e8},
	Bisection:     stages.BisectionTuning{Threads: 32, Tile: 512, Lanes: 16, Levels: 1, Dispatch: 2e7},
	DivideConquer: stages.DivideConquerTuning{Leaf: 32, Lanes: 8, Threads: 32, Panels: 8, Grouped: 1 << 20},
	MRRR:          stages.MRRRTuning{Threads: 32, Lanes: 16, Levels: 1, Vectors: 1 << 10, Dispatch: 2e7},
	QR:            stages.QRTuning{Vectors: 64, Values: 256}, // orders up to 256 were measured
}
