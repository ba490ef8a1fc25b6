package stages

// ProductTuning is what is measured for the products.
type ProductTuning struct {
	Tiles    []Tile // of Gemm and Symm, which take the cheapest for each shape
	RankTwoK Tile   // M a multiple of N
	Units    int    // multiprocessors, or what else holds workgroups
}

var nvidiaProducts = ProductTuning{
	Tiles: []Tile{
		{M: 128, N: 64, K: 8, ThreadM: 8, ThreadN: 8, Unroll: 8, Buffers: 1, Resident: 2},
		{M: 128, N: 128, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 16, Buffers: 1, Resident: 1},
		{M: 64, N: 64, K: 8, ThreadM: 8, ThreadN: 4, Unroll: 8, Buffers: 1, Resident: 3},
		{M: 64, N: 64, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 2},
		{M: 128, N: 32, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 2},
		{M: 64, N: 32, K: 16, ThreadM: 4, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 4},
		{M: 32, N: 32, K: 16, ThreadM: 4, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 7},
	},
	RankTwoK: Tile{M: 128, N: 64, K: 8, ThreadM: 8, ThreadN: 8, Unroll: 8, Buffers: 1, Resident: 2},
	Units:    132, // of an H200,
}

// A CPU's caches are as near as its shared memory, which only adds barriers:
// straight from memory is two to six times as fast (Mesa 25.0.7, two cores). A
// workgroup is one vector.
var cpuProducts = ProductTuning{
	Tiles: []Tile{
		{M: 64, N: 8, K: 1, ThreadM: 8, ThreadN: 8, Unroll: 1, Resident: 1},
		{M: 16, N: 8, K: 1, ThreadM: 2, ThreadN: 8, Unroll: 1, Resident: 1},
	},
	RankTwoK: Tile{M: 64, N: 64, K: 1, ThreadM: 8, ThreadN: 8, Unroll: 1, Resident: 1},
	Units:    4,
}

// otherProducts must run anywhere: 16 KiB of shared memory, 128 invocations.
var otherProducts = ProductTuning{
	Tiles: []Tile{
		{M: 64, N: 64, K: 8, ThreadM: 8, ThreadN: 4, Unroll: 4, Buffers: 1, Resident: 2},
		{M: 64, N: 32, K: 8, ThreadM: 4, ThreadN: 4, Unroll: 4, Buffers: 1, Resident: 4},
		{M: 32, N: 32, K: 8, ThreadM: 4, ThreadN: 4, Unroll: 4, Buffers: 1, Resident: 8},
	},
	RankTwoK: Tile{M: 64, N: 64, K: 8, ThreadM: 8, ThreadN: 4, Unroll: 4, Buffers: 1, Resident: 2},
	Units:    32,
}

// smallestProducts reach every path with matrices of a few rows. It is for tests.
var smallestProducts = ProductTuning{
	Tiles: []Tile{
		{M: 16, N: 8, K: 8, ThreadM: 4, ThreadN: 2, Unroll: 4, Buffers: 2, Resident: 2},
		{M: 8, N: 8, K: 4, ThreadM: 2, ThreadN: 2, Unroll: 2, Buffers: 1, Resident: 2},
		{M: 16, N: 4, K: 4, ThreadM: 4, ThreadN: 2, Unroll: 2, Buffers: 1, Resident: 2},
		{M: 16, N: 8, K: 1, ThreadM: 2, ThreadN: 8, Unroll: 1, Resident: 2},
	},
	RankTwoK: Tile{M: 16, N: 8, K: 8, ThreadM: 4, ThreadN: 2, Unroll: 2, Buffers: 1, Resident: 2},
	Units:    8,
}

func productTuning(family string) ProductTuning {
	switch family {
	case "nvidia":
		return nvidiaProducts
	case "cpu":
		return cpuProducts
	}
	return otherProducts
}
