package tuning

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// For returns the tuning for matrices of T on a device. For float64 it is On(info). For float32 it
// is On(info) with other sizes if these were measured; the field Doubles then holds the products of
// On(info).
func For[T spirv.Scalar](info vk.Info) Tuning {
	t := On(info)
	if spirv.KindOf[T]() != spirv.Float32 {
		return t
	}
	t.Doubles = t.Products
	if info.Family == "nvidia" && nvidiaSingle.Fits(info) == nil {
		t.Products.Tiles, t.Products.Syr2k = nvidiaSingle.Tiles, nvidiaSingle.Syr2k
		t.ApplyQ2.Batch = nvidiaSingleBatch
		t.Panel.TileBytes, t.Panel.ShortTileBytes, t.Panel.ShortRows = nvidiaSinglePanel, 0, 0
	}
	return t
}

// nvidiaSingle has the tiles for float32 on GPUs of NVIDIA. They were measured on an H200 (driver
// 580.159). For n = 8192 and an inner dimension of 1024, syr2k reaches 38 TFLOP/s and gemm 35
// TFLOP/s. With tiles of K = 8, which float64 uses, syr2k reaches 33 TFLOP/s and gemm 31 TFLOP/s.
// symm of order 16384 with 32 columns reaches 22 TFLOP/s; with tiles of 64 rows it reaches 19 to 21
// TFLOP/s, and with tiles of 128 rows 12 TFLOP/s.
var nvidiaSingle = product.Tuning{
	Tiles: []product.Tile{
		{M: 128, N: 64, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 16, Buffers: 1, Resident: 3},
		{M: 64, N: 64, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 16, Buffers: 1, Resident: 4},
		{M: 64, N: 64, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 2},
		{M: 32, N: 32, K: 32, ThreadM: 4, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 5},
	},
	Syr2k: product.Tile{M: 128, N: 64, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 16, Buffers: 1, Resident: 3},
	Units: 132,
}

// nvidiaSingleBatch is ApplyQ2Tuning.Batch for float32: the number of reflectors that an invocation
// applies before it moves the elements of its vectors to other registers. For n = 8192 on an H200,
// ApplyQ2 takes 40.1 ms with 8, 46.9 ms with 16, which is the number for float64, and 42.7 ms with
// 4.
const nvidiaSingleBatch = 8

// nvidiaSinglePanel is PanelTuning.TileBytes for float32. A workgroup then has as many rows of a panel
// as in double precision, and twice as many workgroups share a panel. For n = 8192 on an H200, the
// band reduction takes 73 ms, and 77 ms with 33 KiB. Shorter chunks for short panels
// (PanelTuning.ShortTileBytes) were not measured in single precision.
const nvidiaSinglePanel = 17 << 10
