package product

import (
	"testing"

	"github.com/vkevd/vkevd/vk/spirv"
)

// TestPackedTilesReachTheKernels: the form of a tile does not change the bits of a product, so only
// its specialisation constants show that a kernel has it.
func TestPackedTilesReachTheKernels(t *testing.T) {
	tile := Tile{M: 128, N: 64, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 16, Buffers: 1, Resident: 3, Packed: true}
	s := SymmColumns[float32]{}
	if tile.Spec().Packed != spirv.True || s.spec(tile).Packed != spirv.True {
		t.Error("a packed tile is compiled without PACKED")
	}
}
