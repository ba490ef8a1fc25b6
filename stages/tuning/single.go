package tuning

import (
	"cmp"

	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Sizes is the set of sizes that take the place of others for matrices of one number type. It is
// empty if the type has no sizes of its own. A number that is 0 changes nothing.
type Sizes struct {
	Tiles []product.Tile // Products.Tiles
	Syr2k product.Tile   `json:"RankTwoK"` // Products.Syr2k

	Batch   uint32              // of ApplyQ2
	Squares back.Q2SquareTuning `json:",omitzero"` // of ApplyQ2

	// PanelBytes limits the shared memory for a chunk of rows of a panel, in bytes: Panel.TileBytes
	// is at most PanelBytes, and Panel.ShortTileBytes, the size for short panels, is not used. If
	// PanelBytes is 0, nothing changes.
	PanelBytes int `json:",omitempty"`

	Sytrd reduce.TridiagonalisationTuning `json:",omitzero"`
}

func sizesFit[T spirv.Scalar](s Sizes, info vk.Info) error {
	if len(s.Tiles) == 0 {
		return nil
	}
	return product.Fits[T](product.Tuning{Tiles: s.Tiles, Syr2k: s.Syr2k, Units: 1}, info)
}

func For[T spirv.Scalar](info vk.Info) Tuning { return Of[T](On(info)) }

// Of returns the tuning t for matrices of T. For float64 it is t. For other types the field Doubles
// holds the products of t, and a tuning that Of has returned does not change. For float32 the sizes
// t.Singles take the place of others, for complex128 the sizes t.Complexes, and for complex64 the
// sizes t.ComplexSingles.
func Of[T spirv.Scalar](t Tuning) Tuning {
	var s Sizes
	switch kind := spirv.KindOf[T](); {
	case kind == spirv.Float64 || len(t.Doubles.Tiles) > 0:
		return t
	case kind == spirv.Float32:
		s, t.SmallTo = t.Singles, 0 // SmallTo was not measured in single precision
	case kind == spirv.Complex64:
		s = t.ComplexSingles
	case kind == spirv.Complex128:
		s = t.Complexes
	}
	if spirv.KindOf[T]().IsComplex() {
		t.ValuesFrom = 0 // the kernels for wide bands are for real numbers
	}
	t.Doubles = t.Products
	if len(s.Tiles) > 0 {
		t.Products.Tiles, t.Products.Syr2k = s.Tiles, s.Syr2k
	}
	t.ApplyQ2.Batch = cmp.Or(s.Batch, t.ApplyQ2.Batch)
	t.ApplyQ2.Squares = cmp.Or(s.Squares, t.ApplyQ2.Squares)
	if s.PanelBytes > 0 {
		t.Panel.TileBytes, t.Panel.ShortTileBytes, t.Panel.ShortRows = min(t.Panel.TileBytes, s.PanelBytes), 0, 0
	}
	t.Sytrd = cmp.Or(s.Sytrd, t.Sytrd)
	return t
}

// nvidiaSingles has the sizes for float32 on GPUs of NVIDIA. They were measured on an H200, and
// those of products on an H100 (both with driver 580.159).
//
// For n = 16384 and an inner dimension of 1024, the packed tile of 128×128×8 reaches 41.9 TFLOP/s
// in syr2k, and the packed tile of 128×64×16 reaches 40.0 TFLOP/s in gemm. The same tiles reach
// 36.4 and 36.1 TFLOP/s if shared memory is loaded one number at a time. symm with 32 columns
// reaches 27.5 TFLOP/s with the packed tile of 64×32×16, and 17.3 with the earlier tiles. A tile of
// 64×64×16 with 8×8 elements for each invocation is left out, because the model of costs would
// choose it for gemm, where it reaches 34.8 TFLOP/s.
//
// For n = 8192, ApplyQ2 takes 40.1 ms with batches of 8, 46.9 ms with 16, which is the number for
// float64, and 42.7 ms with 4.
//
// With small chunks of panels, more workgroups share a panel. With chunks of 9 / 17 KiB the band
// reduction takes 19.1 / 20.1 ms for n = 4096, 60.6 / 63.2 for 8192 and 278 / 280 for 16384 (H100).
// With 33 KiB, the size for double precision, it took 77 instead of 73 ms for n = 8192 on an H200.
var nvidiaSingles = Sizes{
	Tiles: []product.Tile{
		{M: 128, N: 64, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 16, Buffers: 1, Resident: 3, Packed: true},
		{M: 64, N: 64, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 2, Packed: true},
		{M: 64, N: 32, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 5, Packed: true},
		{M: 32, N: 32, K: 32, ThreadM: 4, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 5},
	},
	Syr2k: product.Tile{M: 128, N: 128, K: 8, ThreadM: 8, ThreadN: 16, Unroll: 8, Buffers: 1, Resident: 1, Packed: true},
	Batch: 8, PanelBytes: 9 << 10,
}

// nvidiaComplexes has the sizes for complex128 on GPUs of NVIDIA, measured on an H200 (driver
// 580.159).
//
// For n = 8192, with a tile of 64×64×8 for large products and one of 32×32×8 for those with few
// columns, the band reduction takes 224 ms and back transformation 1 takes 262 ms. With an
// additional tile of 128×64×8 they take 290 and 326 ms, and with tiles of 64×32×8 for few columns
// the band reduction takes 234 ms. With 16 steps between two loads of factors the driver runs out
// of registers (spills).
//
// For n = 4096, ApplyQ2 takes 38.0 ms with batches of 8, and 39.2 ms with 16.
//
// Emulated products are 1.97 times as fast as native ones. Back transformation 2 by squares of 768
// sweeps then takes 1.63 s for n = 16384, and 2.38 s by reflectors. Squares of 1024, 512 and 256
// sweeps take 1.63, 1.84 and 2.55 s. For n = 8192, squares of 512 and 1024 sweeps take 285 and 294
// ms, and reflectors 293 ms.
var nvidiaComplexes = Sizes{
	Tiles: []product.Tile{
		{M: 64, N: 64, K: 8, ThreadM: 4, ThreadN: 8, Unroll: 8, Buffers: 1, Resident: 2},
		{M: 32, N: 32, K: 8, ThreadM: 4, ThreadN: 2, Unroll: 8, Buffers: 1, Resident: 3},
	},
	Syr2k: product.Tile{M: 64, N: 64, K: 8, ThreadM: 4, ThreadN: 8, Unroll: 8, Buffers: 1, Resident: 2},
	Batch: 8, Squares: back.Q2SquareTuning{Sweeps: 768, Gain: 1.8, From: 10240},
}

// nvidiaComplexSingles has the sizes for complex64 on GPUs of NVIDIA, measured on an H200 (driver
// 580.159). For n = 8192, vectors take 574 ms with these tiles, and 593 ms with the tiles for
// doubles.
var nvidiaComplexSingles = Sizes{
	Tiles: []product.Tile{
		{M: 64, N: 64, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 3},
		{M: 32, N: 32, K: 8, ThreadM: 4, ThreadN: 2, Unroll: 8, Buffers: 1, Resident: 3},
	},
	Syr2k: product.Tile{M: 64, N: 64, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 3},
}
