package stages

// tunings is what was measured, by device family; TuningFor falls back to
// "other", which must run anywhere: 32 KiB of shared memory, 256 invocations.
var tunings = map[string]Tuning{
	"nvidia": {
		Band: 32, Block: 1024,
		Products: ProductTuning{
			Gemm: []Tile{
				{M: 128, N: 128, K: 16, ThreadM: 8, ThreadN: 8},
				{M: 64, N: 64, K: 16, ThreadM: 4, ThreadN: 4},
				{M: 32, N: 32, K: 32, ThreadM: 2, ThreadN: 2},
			},
			RankTwoK: Tile{M: 128, N: 128, K: 16, ThreadM: 8, ThreadN: 8},
			Symm:     SymmTuning{Tile: Tile{M: 64, N: 32, K: 32, ThreadM: 4, ThreadN: 4}},
			Fill:     264, // two on each of 132 multiprocessors
		},
	},
	"cpu": {
		Band: 16, Block: 64,
		Products: portableProducts,
	},
	"other": {
		Band: 32, Block: 256,
		Products: portableProducts,
	},
}

var portableProducts = ProductTuning{
	Gemm: []Tile{
		{M: 64, N: 64, K: 16, ThreadM: 8, ThreadN: 8},
		{M: 32, N: 32, K: 16, ThreadM: 4, ThreadN: 4},
	},
	RankTwoK: Tile{M: 64, N: 64, K: 16, ThreadM: 8, ThreadN: 8},
	Symm:     SymmTuning{Tile: Tile{M: 32, N: 32, K: 16, ThreadM: 4, ThreadN: 4}},
	Fill:     16,
}

// SmallestTuning makes every path run on matrices of order 50 and less. It is
// for tests.
func SmallestTuning() Tuning {
	tile := Tile{M: 8, N: 8, K: 4, ThreadM: 2, ThreadN: 2}
	return Tuning{
		Band: 4, Block: 8,
		Products: ProductTuning{
			Gemm:     []Tile{{M: 16, N: 16, K: 4, ThreadM: 4, ThreadN: 2}, tile},
			RankTwoK: tile,
			Symm:     SymmTuning{Tile: tile},
			Fill:     4,
		},
	}
}
