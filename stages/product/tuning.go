package product

import (
	"fmt"

	"github.com/vkevd/vkevd/vk"
)

// Tuning is the sizes of Tiled.
type Tuning struct {
	Tiles    []Tile // tiles of gemm and symm, which take the cheapest one for each shape
	RankTwoK Tile   // tile of syr2k; M is a multiple of N
	Units    int    // units of the device (multiprocessors, cores) that hold workgroups
}

// Fits returns an error if there is no tile, or if a tile contradicts itself or the device.
func (t Tuning) Fits(info vk.Info) error {
	for _, tile := range t.Tiles {
		if err := tile.Fits(info); err != nil {
			return err
		}
	}
	if len(t.Tiles) == 0 || t.Units < 1 {
		return fmt.Errorf("product: %d tiles for %d units", len(t.Tiles), t.Units)
	}
	return t.RankTwoK.fitsTriangle(info)
}

var nvidiaProducts = Tuning{
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
var cpuProducts = Tuning{
	Tiles: []Tile{
		{M: 64, N: 8, K: 1, ThreadM: 8, ThreadN: 8, Unroll: 1, Resident: 1},
		{M: 16, N: 8, K: 1, ThreadM: 2, ThreadN: 8, Unroll: 1, Resident: 1},
	},
	RankTwoK: Tile{M: 64, N: 64, K: 1, ThreadM: 8, ThreadN: 8, Unroll: 1, Resident: 1},
	Units:    4,
}

// otherProducts must run anywhere: 16 KiB of shared memory, 128 invocations.
var otherProducts = Tuning{
	Tiles: []Tile{
		{M: 64, N: 64, K: 8, ThreadM: 8, ThreadN: 4, Unroll: 4, Buffers: 1, Resident: 2},
		{M: 64, N: 32, K: 8, ThreadM: 4, ThreadN: 4, Unroll: 4, Buffers: 1, Resident: 4},
		{M: 32, N: 32, K: 8, ThreadM: 4, ThreadN: 4, Unroll: 4, Buffers: 1, Resident: 8},
	},
	RankTwoK: Tile{M: 64, N: 64, K: 8, ThreadM: 8, ThreadN: 4, Unroll: 4, Buffers: 1, Resident: 2},
	Units:    32,
}

// smallestProducts reach every path with matrices of a few rows.
var smallestProducts = Tuning{
	Tiles: []Tile{
		{M: 16, N: 8, K: 8, ThreadM: 4, ThreadN: 2, Unroll: 4, Buffers: 2, Resident: 2},
		{M: 8, N: 8, K: 4, ThreadM: 2, ThreadN: 2, Unroll: 2, Buffers: 1, Resident: 2},
		{M: 16, N: 4, K: 4, ThreadM: 4, ThreadN: 2, Unroll: 2, Buffers: 1, Resident: 2},
		{M: 16, N: 8, K: 1, ThreadM: 2, ThreadN: 8, Unroll: 1, Resident: 2},
	},
	RankTwoK: Tile{M: 16, N: 8, K: 8, ThreadM: 4, ThreadN: 2, Unroll: 2, Buffers: 1, Resident: 2},
	Units:    8,
}

// TuningFor is the table of a device family.
func TuningFor(family string) Tuning {
	switch family {
	case "nvidia":
		return nvidiaProducts
	case "cpu":
		return cpuProducts
	}
	return otherProducts
}

// SmallestTuning makes every path run on matrices of a few rows. It is for tests.
func SmallestTuning() Tuning { return smallestProducts }
