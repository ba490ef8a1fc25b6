package tuning

import "github.com/vkevd/vkevd/stages/product"

// emulation is for units of NVIDIA's shape, 16×16×32. It was measured on an H200 (driver 580.159):
// 441 and 492 TOP/s with n = 8192 and an inner dimension of 512 and 1024. With another tile the rates
// of n = 8192, 12288 and 16384 differed by less than 1 %. Other tiles of 64×64 for a subgroup reach
// 400 to 480, smaller tiles 300 to 400. The size of a strip hardly matters: from 4 to 64 million
// elements the time differs by 3 %.
var emulation = product.Emulation{
	Tile:  product.MatrixTile{M: 128, N: 256, SubM: 4, SubN: 4, Step: 64, Pitch: 80, Swath: 8, Turns: 2},
	Dots:  product.DotTile{M: 64, N: 64, Swath: 8},
	Panel: 256, Spacing: 128, Strip: 16 << 20, Planes: 1 << 30, Least: product.Shape{M: 1024, N: 1024, K: 256},
}

// emulationAnywhere has 128 invocations and little shared memory. It was measured nowhere.
var emulationAnywhere = product.Emulation{
	Tile:  product.MatrixTile{M: 64, N: 64, SubM: 2, SubN: 2, Step: 32, Pitch: 48, Swath: 8, Turns: 1},
	Dots:  product.DotTile{M: 64, N: 64, Swath: 8},
	Panel: 64, Spacing: 128, Strip: 4 << 20, Planes: 1 << 30, Least: product.Shape{M: 1024, N: 1024, K: 256},
}

// emulationOnCPU has short strips, so that a dispatch does not take seconds. It was tried on lavapipe.
var emulationOnCPU = product.Emulation{
	Tile:  product.MatrixTile{M: 32, N: 32, SubM: 2, SubN: 2, Step: 32, Pitch: 48, Swath: 8, Turns: 1},
	Dots:  product.DotTile{M: 32, N: 32, Swath: 8},
	Panel: 64, Spacing: 128, Strip: 1 << 14, Planes: 1 << 28, Least: product.Shape{M: 128, N: 128, K: 32},
}

// smallestEmulation has several tiles, panels and strips of matrices of order 50, and emulates every
// product.
var smallestEmulation = product.Emulation{
	Tile:  product.MatrixTile{M: 32, N: 16, SubM: 1, SubN: 1, Step: 32, Pitch: 48, Swath: 2, Turns: 3},
	Dots:  product.DotTile{M: 32, N: 16, Swath: 2},
	Panel: 32, Spacing: 48, Strip: 3 * 32 * 16, Planes: 1 << 22, Least: product.Shape{},
}
