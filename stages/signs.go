package stages

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Signs fixes the signs of vectors, which the mathematics leaves open: the
// entry of largest magnitude of each column, the first of equals, becomes positive.
type Signs struct {
	columns *vk.Kernel[shaders.ColumnSignsSpec, shaders.ColumnSignsPush[float64]]
}

const signThreads = 256 // at most

// NewSigns prepares for matrices of any size.
func NewSigns(dev *vk.Device) (*Signs, error) {
	b := builder{dev: dev}
	return &Signs{build(&b, shaders.ColumnSigns[float64](), shaders.ColumnSignsSpec{LocalSize: b.threads(signThreads)})}, b.err
}

// Record changes the columns of x in place.
func (s *Signs) Record(rec *vk.Recorder, x product.Matrix) {
	if x.Rows == 0 {
		return
	}
	s.columns.Dispatch(rec, vk.Folded(x.Cols), shaders.ColumnSignsPush[float64]{X: x.Addr(), Rows: uint32(x.Rows), Cols: uint32(x.Cols), Ldx: uint32(x.Ld)})
}
