package move

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Conjugation replaces a complex matrix by its conjugate (zlacgv). For real numbers it has no
// kernel, and records nothing.
type Conjugation[T spirv.Scalar] struct {
	kernel *vk.Kernel[shaders.LacgvSpec, shaders.LacgvPush[T]]
}

const conjugationThreads = 256 // largest number of invocations of a workgroup

func NewConjugation[T spirv.Scalar](dev *vk.Device) (*Conjugation[T], error) {
	if !spirv.KindOf[T]().IsComplex() {
		return &Conjugation[T]{}, nil
	}
	b := stages.Builder{Dev: dev}
	k := stages.Build(&b, shaders.Lacgv[T](), shaders.LacgvSpec{LocalSize: b.Threads(conjugationThreads)})
	return &Conjugation[T]{k}, b.Err
}

// Record replaces x by conj(x). x may have any leading dimension.
func (s *Conjugation[T]) Record(rec *vk.Recorder, x product.Matrix[T]) {
	if s.kernel == nil || x.Rows == 0 || x.Cols == 0 {
		return
	}
	moves(rec, x.Cols, 2*float64(x.Rows)*sizeOf[T](), func(first, some int) {
		s.kernel.Dispatch(rec, vk.Folded(vk.Tiles(x.Rows, s.kernel.Spec.LocalSize)*some), shaders.LacgvPush[T]{
			X: x.Block(0, first, x.Rows, some).Addr(), Rows: uint32(x.Rows), Cols: uint32(some), Ldx: uint32(x.Ld),
		}, vk.Touches(x.At))
	})
}
