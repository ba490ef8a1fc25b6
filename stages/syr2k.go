package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// TiledRankTwoK is RankTwoK (dsyr2k) on the vector units, one dispatch over the
// tiles of the lower triangle.
type TiledRankTwoK struct {
	tile   Tile
	kernel *vk.Kernel[shaders.Syr2kSpec, shaders.Syr2kPush[float64]]
}

// NewTiledRankTwoK builds the kernel. It refuses a tile whose height is no multiple of
// its width, or that the device cannot run.
func NewTiledRankTwoK(dev *vk.Device, t ProductTuning) (*TiledRankTwoK, error) {
	tile := t.RankTwoK
	if err := tile.fits(dev); err != nil {
		return nil, err
	}
	if tile.M%tile.N != 0 {
		return nil, fmt.Errorf("stages: %v does not divide a square", tile)
	}
	b := builder{dev: dev}
	return &TiledRankTwoK{tile, build(&b, shaders.Syr2k[float64](), shaders.Syr2kSpec(tile.spec()))}, b.err
}

// Record implements RankTwoK.
func (s *TiledRankTwoK) Record(rec *vk.Recorder, _ *vk.Arena, y, z, c Matrix) {
	n, k := c.Rows, y.Cols
	if c.Cols != n || y.Rows != n || z.Rows != n || z.Cols != k {
		panic(fmt.Sprintf("stages: syr2k of %d×%d and %d×%d into %d×%d", y.Rows, k, z.Rows, z.Cols, n, c.Cols))
	}
	if n == 0 || k == 0 {
		return
	}
	rows := vk.Tiles(n, s.tile.M)
	s.kernel.Dispatch(rec, vk.Folded(rows*(rows+1)/2*int(s.tile.M/s.tile.N)), shaders.Syr2kPush[float64]{
		Y: y.Addr(), Z: z.Addr(), C: c.Addr(), N: uint32(n), K: uint32(k), Ldy: uint32(y.Ld), Ldz: uint32(z.Ld), Ldc: uint32(c.Ld),
	})
	rec.Costs(2 * float64(n) * float64(n) * float64(k))
}
