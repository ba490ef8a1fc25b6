package product

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// tiledSyr2k implements Syr2k in one dispatch over the tiles of the lower triangle, or in several
// dispatches if one would cost too much.
//
// A tile below the diagonal is computed completely. A tile on the diagonal is also computed
// completely, but its part above the diagonal is not stored.
type tiledSyr2k[T spirv.Scalar] struct {
	tile     Tile
	dispatch float64 // largest cost of a dispatch in flops (Tuning.Dispatch)
	kernel   *vk.Kernel[shaders.Syr2kSpec, shaders.Syr2kPush[T]]
}

// newTiledSyr2k returns an error if the height of the tile is not a multiple of its width, or if
// the device cannot run the tile.
func newTiledSyr2k[T spirv.Scalar](dev *vk.Device, t Tuning) (*tiledSyr2k[T], error) {
	tile := t.Syr2k
	if err := fitsTriangle[T](tile, dev.Info()); err != nil {
		return nil, err
	}
	k, err := vk.Build(dev, shaders.Syr2k[T](), shaders.Syr2kSpec(tile.Spec()))
	return &tiledSyr2k[T]{tile, t.Dispatch, k}, err
}

// Syr2k does not split the inner dimension k, so it needs no workspace. Splitting would help only
// if the result had too few tiles to fill the device.
func (s *tiledSyr2k[T]) Syr2k(rec *vk.Recorder, _ *vk.Arena, y, z, c Matrix[T]) {
	n, k := c.Rows, y.Cols
	if c.Cols != n || y.Rows != n || z.Rows != n || z.Cols != k {
		panic(fmt.Sprintf("product: syr2k of %d×%d and %d×%d into %d×%d",
			y.Rows, k, z.Rows, z.Cols, n, c.Cols))
	}
	if n == 0 || k == 0 {
		return
	}
	// A tile has M×N elements. Squares of M×M elements cover the lower triangle, and M/N tiles
	// cover each square.
	rows := vk.Tiles(n, s.tile.M)
	tiles := rows * (rows + 1) / 2 * int(s.tile.M/s.tile.N)
	tileFlops := 4 * float64(s.tile.M) * float64(s.tile.N) * float64(k)
	most := partsWithin(s.dispatch, tileFlops)
	inDispatches(rec, tiles, most, 1, 2*float64(n)*float64(n)*float64(k), func(first, count uint32, grid vk.Groups) {
		s.kernel.Dispatch(rec, grid, shaders.Syr2kPush[T]{
			Y: y.Addr(), Z: z.Addr(), C: c.Addr(), First: first, Count: count,
			N: uint32(n), K: uint32(k), Ldy: uint32(y.Ld), Ldz: uint32(z.Ld), Ldc: uint32(c.Ld),
		})
	})
}
