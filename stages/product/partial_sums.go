package product

import (
	"math/bits"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

const (
	sumThreads = 256 // most invocations of a workgroup of gemm_sum
	sumLanes   = 16  // most invocations that share the sum of one element
)

// partialSums adds the partial products of a product with split-K. The order of the additions
// depends on the number of partial products alone.
type partialSums[T spirv.Scalar] struct {
	region vk.Region[T] // the parts: for each matrix of a batch its pieces of K, packed
	kernel *vk.Kernel[shaders.GemmSumSpec, shaders.GemmSumPush[T]]
}

// newPartialSums reserves memory for partial products with `capacity` elements together. `name` is
// the name of this memory in tables of memory.
func newPartialSums[T spirv.Scalar](dev *vk.Device, name string, capacity int) (partialSums[T], error) {
	k, err := vk.Build(dev, shaders.GemmSum[T](), shaders.GemmSumSpec{LocalSize: threads(dev.Info(), sumThreads)})
	return partialSums[T]{vk.Reserve[T](name, capacity), k}, err
}

// threads returns the largest power of two that is at most `most` and that the device allows as the
// size of a workgroup.
func threads(info vk.Info, most int) uint32 {
	if info.MaxLocal > 0 {
		most = min(most, info.MaxLocal)
	}
	return 1 << (bits.Len(uint(most)) - 1)
}

// room returns memory for partial products, from element `begin` on. It panics if the reserved
// memory is too short. All products of one arena use this memory, one after another.
func (s *partialSums[T]) room(ws *vk.Arena, begin, elements int) vk.Slice[T] {
	return s.region.In(ws).Sub(begin, elements)
}

// record adds the `splits` partial products P of each product of r: C ← α·ΣP + β·C. The partial
// products are packed in `parts`. If β = 0, C is not read.
func (s *partialSums[T]) record(rec *vk.Recorder, parts vk.Slice[T], splits int, r request[T]) {
	lanes := lanesFor(splits)
	// Each element is computed by a group of `lanes` invocations. The z dimension of the grid is
	// the number of matrices.
	c := r.c
	grid := vk.Folded(vk.Tiles(c.Rows*c.Cols, s.kernel.Spec.LocalSize/lanes))
	grid.Z = r.batch.Count
	s.kernel.Dispatch(rec, grid, shaders.GemmSumPush[T]{
		Parts: parts.Addr(), C: c.Addr().Plus(r.first * r.batch.StrideC), StrideC: uint64(r.batch.StrideC),
		Alpha: spirv.RealBitsOf[T](r.alpha), Beta: spirv.RealBitsOf[T](r.beta), M: uint32(c.Rows), N: uint32(c.Cols), Ldc: uint32(c.Ld),
		Splits: uint32(splits), Lanes: lanes,
	}, vk.Touches(parts), vk.Touches(c.At))
}

// lanesFor returns the number of neighbouring invocations that share the sum of one element.
func lanesFor(splits int) uint32 {
	lanes := 1
	for lanes < sumLanes && 2*lanes <= splits {
		lanes *= 2
	}
	return uint32(lanes)
}
