package stages

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Signs fixes the signs of eigenvectors, which the eigenvalues do not determine. It makes the entry
// of largest magnitude of each column positive. If several entries have this magnitude, the first
// counts.
type Signs[T spirv.Scalar] struct {
	columns *vk.Kernel[shaders.ColumnSignsSpec, shaders.ColumnSignsPush[T]]
}

const signThreads = 256 // invocations of a workgroup, at most

// NewSigns builds the kernel, which serves matrices of any shape.
func NewSigns[T spirv.Scalar](dev *vk.Device) (*Signs[T], error) {
	b := builder{dev: dev}
	k := build(&b, shaders.ColumnSigns[T](), shaders.ColumnSignsSpec{LocalSize: b.threads(signThreads)})
	return &Signs[T]{k}, b.err
}

// Record changes the columns of x in place. A matrix without rows stays as it is.
func (s *Signs[T]) Record(rec *vk.Recorder, x product.Matrix[T]) {
	if x.Rows == 0 {
		return
	}
	// One workgroup finds the largest entry of a column, and changes all signs if that entry is
	// negative.
	s.columns.Dispatch(rec, vk.Folded(x.Cols), shaders.ColumnSignsPush[T]{
		X: x.Addr(), Rows: uint32(x.Rows), Cols: uint32(x.Cols), Ldx: uint32(x.Ld),
	})
}
