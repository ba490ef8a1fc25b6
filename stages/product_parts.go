package stages

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

const (
	sumThreads = 256 // at most
	sumLanes   = 16  // invocations that share the sum of one element, at most
)

// parts is the partial products of a split inner dimension and their sum, taken
// in an order that only the shape decides.
type parts struct {
	region vk.Region[float64]
	kernel *vk.Kernel[shaders.GemmSumSpec, shaders.GemmSumPush[float64]]
}

func newParts(b *builder, name string, room int) parts {
	return parts{
		vk.Reserve[float64](name, room),
		build(b, shaders.GemmSum[float64](), shaders.GemmSumSpec{LocalSize: b.threads(sumThreads)}),
	}
}

// room is where the given number of elements of partial products go.
func (s *parts) room(ws *vk.Arena, elements int) spirv.Addr[float64] {
	return s.region.In(ws).Sub(0, elements).Addr()
}

// record adds up splits partial products for each of count matrices:
// C ← α·ΣP + β·C, one C strideC elements behind the other.
func (s *parts) record(rec *vk.Recorder, ws *vk.Arena, splits, count int, alpha, beta float64, c Matrix, strideC int) {
	lanes := 1
	for lanes < sumLanes && 2*lanes <= splits {
		lanes *= 2
	}
	grid := vk.Folded(vk.Tiles(c.Rows*c.Cols, s.kernel.Spec.LocalSize/uint32(lanes)))
	grid.Z = count
	s.kernel.Dispatch(rec, grid, shaders.GemmSumPush[float64]{
		Parts: s.region.In(ws).Addr(), C: c.Addr(), StrideC: uint64(strideC), Alpha: alpha, Beta: beta,
		M: uint32(c.Rows), N: uint32(c.Cols), Ldc: uint32(c.Ld), Splits: uint32(splits), Lanes: uint32(lanes),
	})
}
