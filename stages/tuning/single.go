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

	// Batch is ApplyQ2.Batch.
	Batch uint32

	// PanelBytes is the largest value of Panel.TileBytes. Shorter chunks for short panels
	// (Panel.ShortTileBytes) are not used.
	PanelBytes int
}

func (s Singles) fits(info vk.Info) error {
	if len(s.Tiles) == 0 {
		return nil
	}
	return product.Tuning{Tiles: s.Tiles, Syr2k: s.Syr2k, Units: 1}.Fits(info)
}

func For[T spirv.Scalar](info vk.Info) Tuning { return Of[T](On(info)) }

// Of returns the tuning t for matrices of T. For float64 it is t. For float32 it is t with the
// sizes t.Singles, and the field Doubles holds the products of t. A tuning that Of has returned for
// float32 does not change.
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

// nvidiaSingles has the sizes for float32 on GPUs of NVIDIA. They were measured on an H200, and
// those of products on an H100 (both with driver 580.159).
//
// For n = 16384 and an inner dimension of 1024, the packed tile of 128×128×8 reaches 41.9 TFLOP/s
// in syr2k, and the packed tile of 128×64×16 reaches 40.0 TFLOP/s in gemm. The same tiles reach
// 36.4 and 36.1 TFLOP/s if shared memory is loaded one number at a time. symm with 32 columns
// reaches 27.5 TFLOP/s with the packed tile of 64×32×16, and 17.3 with the tiles of before. A tile
// of 64×64×16 with 8×8 elements for each invocation is left out, because the model of costs takes
// it for gemm, where it reaches 34.8 TFLOP/s.
//
// For n = 8192, ApplyQ2 takes 40.1 ms with batches of 8, 46.9 ms with 16, which is the number for
// float64, and 42.7 ms with 4.
//
// With small chunks of panels, more workgroups share a panel. With chunks of 9 / 17 KiB the band
// reduction takes 19.1 / 20.1 ms for n = 4096, 60.6 / 63.2 for 8192 and 278 / 280 for 16384 (H100).
// With 33 KiB, the size for double precision, it took 77 instead of 73 ms for n = 8192 on an H200.
var nvidiaSingles = Singles{
	Tiles: []product.Tile{
		{M: 128, N: 64, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 16, Buffers: 1, Resident: 3, Packed: true},
		{M: 64, N: 64, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 2, Packed: true},
		{M: 64, N: 32, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 5, Packed: true},
		{M: 32, N: 32, K: 32, ThreadM: 4, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 5},
	},
	Syr2k: product.Tile{M: 128, N: 128, K: 8, ThreadM: 8, ThreadN: 16, Unroll: 8, Buffers: 1, Resident: 1, Packed: true},
	Batch: 8, PanelBytes: 9 << 10,
}
