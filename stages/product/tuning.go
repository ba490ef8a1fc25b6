package product

import (
	"fmt"

	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

type Tuning struct {
	// Tiles are the tiles of general products (gemm) and symmetric products (symm). The tile with
	// the smallest predicted cost for a shape is chosen.
	Tiles []Tile

	// Syr2k is the tile of the rank-2k update. M is a multiple of N.
	Syr2k Tile `json:"RankTwoK"`

	// Units is the number of compute units of the device (multiprocessors, cores).
	Units int

	// Emulated has the sizes of products on integer units.
	Emulated Emulation

	// Dispatch is the number of flops above which a product is divided into several dispatches; 0
	// means no limit. It limits the time of a dispatch on slow devices, and does not change the
	// bits of a result.
	Dispatch float64 `json:",omitempty"`
}

// Fits returns nil if products of doubles can use the tiles on the device.
func (t Tuning) Fits(info vk.Info) error { return Fits[float64](t, info) }

// Fits does the same as Tuning.Fits for products of T.
func Fits[T spirv.Scalar](t Tuning, info vk.Info) error {
	for _, tile := range t.Tiles {
		if err := fits[T](tile, info); err != nil {
			return err
		}
	}
	if len(t.Tiles) == 0 || t.Units < 1 {
		return fmt.Errorf("product: %d tiles for %d units", len(t.Tiles), t.Units)
	}
	return fitsTriangle[T](t.Syr2k, info)
}

// Fitting returns t with those of its tiles that fit the device with numbers of type T, after
// inRegisters has made them smaller. If the tile Syr2k does not fit, the first of these tiles that
// fits the rank-2k update takes its place. If no tile fits, Fitting returns t unchanged, and New
// returns an error.
func Fitting[T spirv.Scalar](t Tuning, info vk.Info) Tuning {
	var tiles []Tile
	for _, tile := range t.Tiles {
		if tile = inRegisters[T](tile); fits[T](tile, info) == nil {
			tiles = append(tiles, tile)
		}
	}
	if len(tiles) == 0 {
		return t
	}
	t.Tiles = tiles
	for _, tile := range append([]Tile{inRegisters[T](t.Syr2k)}, tiles...) {
		if fitsTriangle[T](tile, info) == nil {
			t.Syr2k = tile
			break
		}
	}
	return t
}

// inRegisters returns t with fewer columns for each invocation, so that an invocation computes at
// most 64 real or 32 complex elements and can keep them in registers. It changes only a tile that
// copies its factors to shared memory.
func inRegisters[T spirv.Scalar](t Tile) Tile {
	most := uint32(64)
	if spirv.KindOf[T]().IsComplex() {
		most /= 2
	}
	for t.Buffers > 0 && t.ThreadM*t.ThreadN > most && t.ThreadN > 1 {
		t.ThreadN /= 2
	}
	return t
}
