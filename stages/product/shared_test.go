package product

import (
	"testing"
	"unsafe"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk/spirv"
)

// What a tile says that it needs is what the shaders declare.
func TestTilesDeclareTheirSharedMemory(t *testing.T) {
	for _, tune := range []Tuning{nvidiaProducts, cpuProducts, otherProducts, smallestProducts} {
		for _, tile := range append(tune.Tiles, tune.RankTwoK) {
			spec := tile.Spec()
			m := shaders.Gemm[float64]()
			n, err := spirv.SharedBytes(m.Code, m.Spec, unsafe.Slice((*byte)(unsafe.Pointer(&spec)), unsafe.Sizeof(spec)))
			if err != nil || n != tile.sharedBytes() {
				t.Errorf("%v, %d buffers: the shader declares %d bytes, the tile %d; %v", tile, tile.Buffers, n, tile.sharedBytes(), err)
			}
		}
	}
}
