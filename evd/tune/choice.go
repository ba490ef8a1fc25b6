// Package tune, internal to vkevd, finds by measuring with which sizes a device is fastest.
//
// The tables of package stages hold what was measured on the devices that were there.
// This is for the others: half-bandwidth b and rank k of the band reduction, and how its
// rank-2k update is cut. Everything else stays as the tables have it.
package tune

import (
	"fmt"
	"slices"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// A Choice is what is set against the device's table.
type Choice struct {
	Band     int          `json:"band"`
	Block    int          `json:"block"`
	RankTwoK product.Tile `json:"rank_two_k"`
}

// TableChoice is the table's own.
func TableChoice(info vk.Info) Choice {
	t := stages.TuningFor(info)
	return Choice{t.Band, t.Block, t.Products.RankTwoK}
}

// Bounds of what a choice may be. Beyond them nothing was ever fast, and sizes that come out
// of a file must not make kernels that take minutes to compile.
const (
	mostBand  = 256
	mostBlock = 8192
)

// Tuning is the device's table with the choice in it, or an error that says why it cannot be.
func (c Choice) Tuning(info vk.Info) (*stages.Tuning, error) {
	switch {
	case c.Band < 1 || c.Band > mostBand:
		return nil, fmt.Errorf("half-bandwidth %d is not between 1 and %d", c.Band, mostBand)
	case c.Block < c.Band || c.Block > mostBlock || c.Block%c.Band != 0:
		return nil, fmt.Errorf("rank %d is no multiple of the half-bandwidth %d up to %d", c.Block, c.Band, mostBlock)
	case c.RankTwoK != TableChoice(info).RankTwoK && !slices.Contains(tiles, c.RankTwoK):
		return nil, fmt.Errorf("%+v is none of the tiles that are known to work", c.RankTwoK)
	}
	t := c.on(info)
	return &t, nil
}

func (c Choice) on(info vk.Info) stages.Tuning {
	t := stages.TuningFor(info)
	t.Band, t.Block, t.Products.RankTwoK = c.Band, c.Block, c.RankTwoK
	t.ValuesFrom = 0 // it was not measured on this device
	return t
}

func (c Choice) String() string {
	return fmt.Sprintf("b = %d, k = %d, rank-2k update by a %v", c.Band, c.Block, c.RankTwoK)
}

// Table is the choice as it would stand in the tables of package stages.
func (c Choice) Table(family string) string {
	t := c.RankTwoK
	return fmt.Sprintf(`// stages/tuning.go
case %q:
	t.Band, t.Block = %d, %d
// stages/product_tuning.go
RankTwoK: Tile{M: %d, N: %d, K: %d, ThreadM: %d, ThreadN: %d, Unroll: %d, Buffers: %d, Resident: %d},
`, family, c.Band, c.Block, t.M, t.N, t.K, t.ThreadM, t.ThreadN, t.Unroll, t.Buffers, t.Resident)
}

// tiles are the ways to cut a rank-2k update that are tried: square ones.
var tiles = []product.Tile{
	{M: 128, N: 128, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 16, Buffers: 1, Resident: 1},
	{M: 128, N: 128, K: 8, ThreadM: 8, ThreadN: 8, Unroll: 8, Buffers: 1, Resident: 1},
	{M: 64, N: 64, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 3},
	{M: 64, N: 64, K: 16, ThreadM: 4, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 3},
	{M: 64, N: 64, K: 8, ThreadM: 8, ThreadN: 4, Unroll: 4, Buffers: 1, Resident: 2},
	{M: 32, N: 32, K: 16, ThreadM: 4, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 8},
	{M: 64, N: 64, K: 1, ThreadM: 8, ThreadN: 8, Unroll: 1, Resident: 1},
	{M: 32, N: 32, K: 1, ThreadM: 8, ThreadN: 8, Unroll: 1, Resident: 1},
}

// bands and blocks are the sizes that are tried.
var (
	bands  = []int{8, 16, 32, 64, 128}
	blocks = []int{16, 32, 64, 128, 256, 512, 1024, 2048}
)
