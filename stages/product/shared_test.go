package product

import (
	"slices"
	"testing"

	"github.com/vkevd/vkevd/shaders"
)

// TestTilesDeclareTheirSharedMemory checks that all kernels of products declare the same amount of
// shared memory, so that Fits needs to check only one of them. The amount must be that of the tiles
// of the two factors, each with one row of padding, or one row of packs if the tile is packed. The
// arrays for the other kind of tile have one element each.
func TestTilesDeclareTheirSharedMemory(t *testing.T) {
	packed := slices.Concat(packedTiles, largePackedTiles)
	for i := range packed {
		packed[i].Packed = true
	}
	for _, tune := range []Tuning{Tables.NVIDIA, Tables.CPU, Tables.Other, Tables.Smallest} {
		for _, tile := range slices.Concat(tune.Tiles, []Tile{tune.Syr2k}, packed) {
			padding, unused := uint32(1), 2*16
			if tile.Packed {
				padding, unused = 16/8, 2*8
			}
			want := unused + 8*int(max(tile.Buffers, 1)*tile.K*(tile.M+tile.N+2*padding))
			gemm, err1 := shaders.Gemm[float64]().SharedBytes(tile.Spec())
			symm, err2 := shaders.Symm[float64]().SharedBytes(shaders.SymmSpec(tile.Spec()))
			syr2k, err3 := shaders.Syr2k[float64]().SharedBytes(shaders.Syr2kSpec(tile.Spec()))
			if err1 != nil || err2 != nil || err3 != nil || gemm != want || symm != want || syr2k != want {
				t.Errorf("%v, %d buffers: the shaders declare %d, %d, %d bytes, want %d; %v %v %v", tile, tile.Buffers, gemm, symm, syr2k, want, err1, err2, err3)
			}
		}
	}
}
