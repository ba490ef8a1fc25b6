package product

import (
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Sums adds matrices of the same shape on the device: C ← P[0] + P[1] + …. The order of the
// additions depends on the number of matrices alone.
type Sums[T spirv.Scalar] struct{ sums partialSums[T] }

func NewSums[T spirv.Scalar](dev *vk.Device) (Sums[T], error) {
	s, err := newPartialSums[T](dev, "", 0)
	return Sums[T]{s}, err
}

// Record adds `count` matrices of the shape of the result c, which lie in `parts` without gaps.
func (s Sums[T]) Record(rec *vk.Recorder, parts vk.Slice[T], count int, c Matrix[T]) {
	s.sums.record(rec, parts.Sub(0, count*c.Rows*c.Cols), count, single(NoTrans, NoTrans, 1, Pair[T]{}, 0, c))
}
