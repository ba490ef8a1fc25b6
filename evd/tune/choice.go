// Package tune, internal to vkevd, measures which sizes are fastest on a device.
//
// The tables of package tuning have sizes that were measured on a few devices. The function Search
// finds sizes for other devices: the half-bandwidth b and the rank k of the band reduction, and the
// tile of the rank-2k update. It also finds the orders from which other methods are faster. It does
// not change the other sizes of the table.
package tune

import (
	"fmt"
	"slices"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Choice holds the sizes that a search for the fastest sizes of a device chooses.
type Choice struct {
	// Band is the half-bandwidth b of the band reduction, 1 to maxBand.
	Band int `json:"band"`

	// Block is the rank k of the trailing updates of the band reduction. It is a multiple of Band
	// and at most maxBlock.
	Block int `json:"block"`

	// RankTwoK is the size of the tiles in updates of the trailing matrix. It is the size in the
	// device's tuning table, or one of the list `tiles`.
	RankTwoK product.Tile `json:"rank_two_k"`

	// Crossovers has the orders from which another method is faster.
	Crossovers `json:"crossovers,omitzero"`
}

// TableChoice returns the sizes that the device has in its tuning table.
func TableChoice(info vk.Info) Choice {
	t := tuning.On(info)
	return Choice{Band: t.Band, Block: t.Block, RankTwoK: t.Products.Syr2k}
}

// maxBand and maxBlock are the largest sizes that a search or a file may choose. Larger sizes were
// never fast, and kernels for large sizes take minutes to compile.
const (
	maxBand  = 256
	maxBlock = 8192
)

// Tuning returns the device's tuning table with the sizes of c in place of its own. The error is
// for sizes that are too large, and for tiles that a search never tries.
func (c Choice) Tuning(info vk.Info) (*tuning.Tuning, error) {
	switch {
	case c.Band < 1 || c.Band > maxBand:
		return nil, fmt.Errorf("half-bandwidth %d is not between 1 and %d", c.Band, maxBand)
	case c.Block < c.Band || c.Block > maxBlock || c.Block%c.Band != 0:
		return nil, fmt.Errorf("rank %d is no multiple of the half-bandwidth %d up to %d", c.Block, c.Band, maxBlock)
	case c.RankTwoK != TableChoice(info).RankTwoK && !slices.Contains(tiles, c.RankTwoK):
		return nil, fmt.Errorf("%+v is none of the tiles that are known to work", c.RankTwoK)
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	t := c.on(info)
	return &t, nil
}

// on returns the device's tuning table, with the sizes that the choice c makes: the bandwidth, the
// block size, the tile of the product Syr2k, and the crossovers. It does not check the sizes.
func (c Choice) on(info vk.Info) tuning.Tuning {
	t := tuning.On(info)
	t.Band, t.Block, t.Products.Syr2k = c.Band, c.Block, c.RankTwoK
	t.SmallTo, t.ValuesFrom = 0, 0 // no measurement on this device
	c.change(&t)
	return t
}

// String describes the choice in words.
func (c Choice) String() string {
	return fmt.Sprintf("b = %d, k = %d, rank-2k update by a %v%v", c.Band, c.Block, c.RankTwoK, c.Crossovers)
}

// Source returns a Go file for package tuning, in which the device has a table of its own with the
// chosen sizes. `measured` says who measured them, in a comment.
func (c Choice) Source(info vk.Info, measured string) ([]byte, error) {
	return c.on(info).Source(info, measured)
}

// tiles lists the sizes of tiles of the rank-2k update that a search tries. All tiles are square.
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

// bands lists the half-bandwidths that a search tries, and `blocks` lists the ranks.
var (
	bands  = []int{8, 16, 32, 64, 128}
	blocks = []int{16, 32, 64, 128, 256, 512, 1024, 2048}
)
