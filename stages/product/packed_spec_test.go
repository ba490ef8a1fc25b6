package product

import (
	"testing"

	"github.com/vkevd/vkevd/vk/spirv"
)

// TestPackedTilesReachTheKernels checks the specialization constants of the kernels. The bits of a
// product do not depend on whether its tile is packed, so only these constants show that a kernel
// uses packed tiles.
func TestPackedTilesReachTheKernels(t *testing.T) {
	tile := Tile{M: 128, N: 64, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 16, Buffers: 1, Resident: 3, Packed: true}
	s := SymmColumns[float32]{}
	if tile.Spec().Packed != spirv.True || s.spec(tile).Packed != spirv.True {
		t.Error("a packed tile is compiled without PACKED")
	}
}
