package panel

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// BuildCut builds the kernel that sets elements above the reflectors of panels to zero.
func BuildCut[T spirv.Scalar](b *stages.Builder) *vk.Kernel[shaders.LacpyUpperSpec, shaders.LacpyUpperPush[T]] {
	return stages.Build(b, shaders.LacpyUpper[T](), shaders.LacpyUpperSpec{LocalSize: b.Threads(cutThreads)})
}

const cutThreads = 128 // largest number of invocations of a workgroup

// RecordCut sets to zero all elements of x above the trapezoids of reflectors, one for each panel
// of b columns. It first copies these elements to the same places of z, unless z is empty. `first`
// is the index of column 0 of x among the columns of all panels.
func RecordCut[T spirv.Scalar](rec *vk.Recorder, k *vk.Kernel[shaders.LacpyUpperSpec, shaders.LacpyUpperPush[T]], x, z product.Matrix[T], first, b int) {
	if x.Rows == 0 || x.Cols == 0 {
		return
	}
	k.Dispatch(rec, vk.Folded(vk.Tiles(x.Rows, k.Spec.LocalSize)*x.Cols), shaders.LacpyUpperPush[T]{
		X: x.Addr(), Z: z.Addr(), Rows: uint32(x.Rows), Cols: uint32(x.Cols), Ldx: uint32(x.Ld), Ldz: uint32(z.Ld), First: uint32(first), B: uint32(b),
	})
}
