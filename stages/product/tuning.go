package product

import (
	"fmt"

	"github.com/vkevd/vkevd/vk"
)

// Tuning is the set of sizes of matrix products that are measured for each device. Package
// stages/tuning has a table of them for each machine.
type Tuning struct {
	// Tiles are the tiles into which general products (gemm) and symmetric products (symm) can be
	// divided. For each shape the tile with the smallest predicted cost is chosen.
	Tiles []Tile

	// Syr2k is the tile for the symmetric rank-2k update (syr2k). Its height M is a multiple of its
	// width N.
	Syr2k Tile `json:"RankTwoK"`

	// Units is the number of compute units of the device (multiprocessors, cores), which hold
	// workgroups.
	Units int

	// Emulated has the sizes of products on integer units, which are used if the caller chooses
	// such products.
	Emulated Emulation

	// Dispatch is the number of flops above which a product is divided into several dispatches. 0
	// means no limit. Dispatch limits the time of a dispatch on slow devices, and does not change
	// the bits of a result.
	Dispatch float64 `json:",omitempty"`
}

// Fits returns nil if products of doubles can use all tiles on the device. Otherwise it returns the
// error of Tile.Fits.
func (t Tuning) Fits(info vk.Info) error {
	for _, tile := range t.Tiles {
		if err := tile.Fits(info); err != nil {
			return err
		}
	}
	if len(t.Tiles) == 0 || t.Units < 1 {
		return fmt.Errorf("product: %d tiles for %d units", len(t.Tiles), t.Units)
	}
	return fitsTriangle[float64](t.Syr2k, info)
}
