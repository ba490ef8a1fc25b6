package tuning

import (
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/product"
)

// squares has the sizes with which Q2 is applied by emulated products. They come from a forecast
// for an RTX 4090, not from measurements. With 256, 512 and 1024 sweeps the forecast is 0.36, 0.28
// and 0.31 s for n = 8192, and 19, 14 and 13 s for n = 32768. Squares need 32·n bytes of memory for
// each sweep.
//
// Products by squares have twice as many flops as reflectors, and the reflectors must be multiplied
// out. So a gain of 2 is not enough.
var squares = back.Q2SquareTuning{Sweeps: 512, Gain: 2.5}

// emulation has the sizes for matrix units of NVIDIA's shape, 16×16×32. They were measured on an
// H200 (driver 580.159). Two workgroups of 128 invocations run on a multiprocessor, because each
// invocation has 255 registers and the driver gives all workgroups about 48 KiB of shared memory.
// With n = 8192 and 16384 these sizes reach 423, 472 and 498 TOP/s for inner dimensions of 512,
// 1024 and 2048. Tiles of 128×256 reach 391 and 448 TOP/s. Other variants were measured before sums
// were reduced by weighted bytes, when these sizes reached 422 and 470 TOP/s: panels of 256 rows
// 409 and 457, two buffers in shared memory with steps of 32 bytes 325 and 351, smaller tiles 280
// to 350. Strips of 64 million elements reach 2 % more in products, and nothing in whole solves.
var emulation = product.Emulation{
	Tile: product.MatrixTile{M: 128, N: 128, SubM: 4, SubN: 4, Step: 64, Pitch: 80, Swath: 8, Turns: 2},
	Dots: product.DotTile{M: 64, N: 64, Swath: 8},
	// On an H200 native symmetric products are faster. A reduction of order 16384 takes 0.46 s with
	// them, and 0.80 to 0.89 s with emulated ones, with Narrow or other narrow tiles. There
	// emulated symmetric products reach a fifth of the rate of other emulated products, and native
	// ones reach three quarters of the rate of other native products. So emulated and native
	// symmetric products are equally fast on a device with a gain of 3.7. No such device was
	// measured.
	Held: mostHeld, HeldGain: 4,
	// On an H200 back transformation 1 of 8192 vectors takes 744 ms for n = 32768 with emulated
	// products of 1024 merged reflectors and 4 GiB of residues. It takes 763 ms with 2048
	// reflectors, 830 ms with 512, and 951 ms with 512 and 1 GiB. With 16 GiB it takes as long as
	// with 4 GiB. For one side of 32768 singular vectors it takes 2.8 s, and 3.75 s with native
	// products of 512 reflectors.
	Merge:  1024,
	Narrow: product.MatrixTile{M: 256, N: 64, SubM: 4, SubN: 4, Step: 64, Pitch: 80, Swath: 8, Turns: 2},
	Panel:  128, Spacing: 128, Strip: 16 << 20, Planes: 4 << 30, Least: product.Shape{M: 1024, N: 1024, K: 256},
}

// These orders say when plans emulate products by themselves, if the device's integer units are
// fast enough. No device has orders of its own. Below EmulateFrom, few products are large enough.
// From EmulateLarge on, products are emulated even if they are only a little faster. On an H200
// they then save 14 % of the time for eigenvalues and 17 % with all vectors (docs/benchmarks.md),
// and 13 % for singular values. For singular vectors, EmulateLargeVectors takes the place of
// EmulateLarge. For n = 16384 the reduction then takes 5 % longer with emulated products, because
// residues get less memory. But divide and conquer and the back transformations take less time.
const EmulateFrom, EmulateLarge, EmulateLargeVectors = 2048, 32768, 16384

// EmulatePairs is EmulateLarge for the products with the Cholesky factor of the matrix B in a
// generalized problem, whose inner dimensions are large. On an H200 (580.159.04) the factor, the
// standard form and the vectors take 20 + 39 + 31 ms with native products for n = 8192, and 19 + 32
// + 23 ms with emulated ones.
const EmulatePairs = 8192

// mostHeld is the limit on the bytes of the residues of a symmetric factor. A quarter of the
// device's memory is the other limit.
const mostHeld = 1 << 40

// emulationAnywhere needs only 128 invocations and little shared memory. It was not measured on any
// device.
var emulationAnywhere = product.Emulation{
	Tile: product.MatrixTile{M: 64, N: 64, SubM: 2, SubN: 2, Step: 32, Pitch: 48, Swath: 8, Turns: 1},
	Dots: product.DotTile{M: 64, N: 64, Swath: 8},
	Held: mostHeld, HeldGain: 4,
	Panel: 64, Spacing: 128, Strip: 4 << 20, Planes: 1 << 30, Least: product.Shape{M: 1024, N: 1024, K: 256},
}

// emulationOnCPU has the sizes of products on integer units for drivers that run on a CPU. Few
// elements of the result are computed at a time (Strip), so that a dispatch does not take seconds.
// These sizes were tested on lavapipe.
var emulationOnCPU = product.Emulation{
	Tile:  product.MatrixTile{M: 32, N: 32, SubM: 2, SubN: 2, Step: 32, Pitch: 48, Swath: 8, Turns: 1},
	Dots:  product.DotTile{M: 32, N: 32, Swath: 8},
	Panel: 64, Spacing: 128, Strip: 1 << 14, Planes: 1 << 28, Held: 1 << 30, Least: product.Shape{M: 128, N: 128, K: 32},
}

// smallestEmulation has sizes for tests of products on integer units. They are so small that
// products of order 50 are divided in every way that large products are. All products are emulated.
var smallestEmulation = product.Emulation{
	Tile:  product.MatrixTile{M: 32, N: 16, SubM: 1, SubN: 1, Step: 32, Pitch: 48, Swath: 2, Turns: 3},
	Dots:  product.DotTile{M: 32, N: 16, Swath: 2},
	Panel: 32, Spacing: 48, Strip: 3 * 32 * 16, Planes: 1 << 22, Held: 1 << 24, Least: product.Shape{},
}
