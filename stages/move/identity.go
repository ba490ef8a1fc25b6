package move

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Identity writes an identity matrix to memory (dlaset).
type Identity[T spirv.Scalar] struct {
	kernel *vk.Kernel[shaders.LasetSpec, shaders.LasetPush[T]]
}

const identityThreads = 256 // largest number of invocations of a workgroup

func NewIdentity[T spirv.Scalar](dev *vk.Device) (*Identity[T], error) {
	b := stages.Builder{Dev: dev}
	k := stages.Build(&b, shaders.Laset[T](), shaders.LasetSpec{LocalSize: b.Threads(identityThreads)})
	return &Identity[T]{k}, b.Err
}

// Record sets x(i, j) to 1 where i = j, and to 0 elsewhere.
func (s *Identity[T]) Record(rec *vk.Recorder, x product.Matrix[T]) {
	if x.Rows == 0 || x.Cols == 0 {
		return
	}
	moves(rec, x.Cols, float64(x.Rows)*sizeOf[T](), func(first, some int) {
		s.kernel.Dispatch(rec, vk.Folded(vk.Tiles(x.Rows, s.kernel.Spec.LocalSize)*some), shaders.LasetPush[T]{
			X: x.Addr(), Rows: uint32(x.Rows), Cols: uint32(first + some), Ldx: uint32(x.Ld), First: uint32(first),
		})
	})
}
