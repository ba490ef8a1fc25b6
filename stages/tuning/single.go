package tuning

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Singles is the set of sizes that take the place of others for matrices of float32. It is empty if
// none were measured.
type Singles struct {
	Tiles []product.Tile // Products.Tiles
	Syr2k product.Tile   `json:"RankTwoK"` // Products.Syr2k

	// Batch is ApplyQ2.Batch, the number of reflectors that an invocation applies before it moves the
	// elements of its vectors to other registers.
	Batch uint32

	// PanelBytes is the largest value of Panel.TileBytes. Shorter chunks for short panels
	// (Panel.ShortTileBytes) are not used.
	PanelBytes int
}

// fits returns nil if the device can use the sizes.
func (s Singles) fits(info vk.Info) error {
	if len(s.Tiles) == 0 {
		return nil
	}
	return product.Tuning{Tiles: s.Tiles, Syr2k: s.Syr2k, Units: 1}.Fits(info)
}

// For returns the tuning for matrices of T on a device.
func For[T spirv.Scalar](info vk.Info) Tuning { return Of[T](On(info)) }

// Of returns the tuning t for matrices of T. For float64 it is t. For float32 it is t with the sizes
// t.Singles, and the field Doubles holds the products of t. A tuning that Of has returned for float32
// does not change.
func Of[T spirv.Scalar](t Tuning) Tuning {
	if spirv.KindOf[T]() != spirv.Float32 || len(t.Doubles.Tiles) > 0 {
		return t
	}
	t.Doubles = t.Products
	t.SmallTo = 0 // not measured in single precision
	if s := t.Singles; len(s.Tiles) > 0 {
		t.Products.Tiles, t.Products.Syr2k = s.Tiles, s.Syr2k
		t.ApplyQ2.Batch = s.Batch
		t.Panel.TileBytes, t.Panel.ShortTileBytes, t.Panel.ShortRows = min(t.Panel.TileBytes, s.PanelBytes), 0, 0
	}
	return t
}

// nvidiaSingles has the sizes for float32 on GPUs of NVIDIA. They were measured on an H200 (driver
// 580.159).
//
// For n = 8192 and an inner dimension of 1024, the packed tile of 128×128×8 reaches 40.4 TFLOP/s in
// syr2k, and the packed tile of 128×64×16 reaches 37.6 TFLOP/s in gemm. No tile whose shared memory
// is loaded one number at a time was faster than 37.9 and 34.9 TFLOP/s. symm of order 16384 with 32
// columns reaches 27.0 TFLOP/s with the packed tile of 64×32×16, and 22 to 24 TFLOP/s with single
// loads. A tile of 64×64×16 with 8×8 elements for each invocation is left out, because the model of
// costs would take it for gemm, where it reached 30.9 TFLOP/s with single loads.
//
// For n = 8192, ApplyQ2 takes 40.1 ms with batches of 8, 46.9 ms with 16, which is the number for
// float64, and 42.7 ms with 4.
//
// With panels in chunks of 17 KiB a workgroup has as many rows of a panel as in double precision, and
// twice as many workgroups share a panel. For n = 8192 the band reduction takes 73 ms, and 77 ms with
// 33 KiB.
var nvidiaSingles = Singles{
	Tiles: []product.Tile{
		{M: 128, N: 64, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 16, Buffers: 1, Resident: 3, Packed: true},
		{M: 64, N: 64, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 2, Packed: true},
		{M: 64, N: 32, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 5, Packed: true},
		{M: 32, N: 32, K: 32, ThreadM: 4, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 5},
	},
	Syr2k: product.Tile{M: 128, N: 128, K: 8, ThreadM: 8, ThreadN: 16, Unroll: 8, Buffers: 1, Resident: 1, Packed: true},
	Batch: 8, PanelBytes: 17 << 10,
}
