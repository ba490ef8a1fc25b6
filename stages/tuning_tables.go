package stages

// tunings is what was measured, by device family; TuningFor falls back to
// "other", which must run anywhere: 16 KiB of shared memory, 128 invocations.
var tunings = map[string]Tuning{
	"nvidia": {
		Band: 32, Block: 1024,
		Panel: panelTuning("nvidia"),
		Products: ProductTuning{
			Tiles: []Tile{
				{M: 128, N: 128, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 16, Buffers: 1, Groups: 132},
				{M: 64, N: 64, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Groups: 396},
				{M: 128, N: 32, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Groups: 396},
				{M: 64, N: 32, K: 16, ThreadM: 4, ThreadN: 4, Unroll: 16, Buffers: 1, Groups: 660},
				{M: 32, N: 32, K: 16, ThreadM: 4, ThreadN: 4, Unroll: 16, Buffers: 1, Groups: 1320},
			},
			RankTwoK: Tile{M: 128, N: 128, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 16, Buffers: 1, Groups: 132},
		},
	},
	"cpu": {
		Band: 16, Block: 64,
		Panel:    panelTuning("cpu"),
		Products: portableProducts,
	},
	"other": {
		Band: 32, Block: 256,
		Panel:    panelTuning("other"),
		Products: portableProducts,
	},
}

var portableProducts = ProductTuning{
	Tiles: []Tile{
		{M: 64, N: 64, K: 8, ThreadM: 8, ThreadN: 8, Unroll: 1, Buffers: 1, Groups: 4},
		{M: 64, N: 16, K: 16, ThreadM: 4, ThreadN: 4, Unroll: 1, Buffers: 1, Groups: 4},
		{M: 32, N: 32, K: 16, ThreadM: 4, ThreadN: 4, Unroll: 1, Buffers: 1, Groups: 4},
	},
	RankTwoK: Tile{M: 64, N: 64, K: 8, ThreadM: 8, ThreadN: 8, Unroll: 1, Buffers: 1, Groups: 4},
}

// SmallestTuning makes every path run on matrices of order 50 and less. It is
// for tests.
func SmallestTuning() Tuning {
	tile := Tile{M: 8, N: 8, K: 4, ThreadM: 2, ThreadN: 2, Unroll: 2, Buffers: 1, Groups: 16}
	return Tuning{
		Band: 4, Block: 8,
		Panel: smallestPanel, Chase: smallestChase(), DivideConquer: DivideConquerTuning{Leaf: 3, Threads: 8},
		Products: ProductTuning{
			Tiles: []Tile{
				{M: 16, N: 8, K: 8, ThreadM: 4, ThreadN: 2, Unroll: 4, Buffers: 2, Groups: 16},
				tile,
			},
			RankTwoK: tile,
		},
	}
}
