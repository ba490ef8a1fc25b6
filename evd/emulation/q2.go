package emulation

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Q2 is the back transformation X ← Q2·X, where Q2 is the orthogonal matrix of a bulge chasing. It
// has two implementations: back.ApplyQ2 applies reflectors, and back.ApplyQ2Squares uses large
// products.
type Q2[T spirv.Scalar] interface {
	Record(rec *vk.Recorder, ws *vk.Arena, q stages.Reflectors[T], xt product.Matrix[T])
	Info(ws *vk.Arena) vk.Slice[uint32]
	Work() *vk.Layout

	// Flops returns the cost of the back transformation in flops, and ProductFlops the part of it
	// that is in large products.
	Flops() float64
	ProductFlops() float64
}

// NewQ2 prepares the back transformation by the faster method. `ops` are the products of a solve
// for its vectors, and `ps` lists the emulated products of this solve. `all` is the number of its
// vectors on all devices together. Large products are used only if the products are emulated, so
// that ps is not empty, and if the device's measured rates say that they are faster for `all`
// vectors. Devices with the same rates thus use the same method, whatever their shares are. The
// errors are those of the stage.
func NewQ2[T spirv.Scalar](
	dev *vk.Device, size back.Size, all int, ops product.Ops[T], ps Products, w stages.Waiting, t back.ApplyQ2Tuning,
) (Q2[T], error) {
	if len(ps) > 0 && t.Squares.Faster(all, Gain[T](dev)) {
		return back.NewApplyQ2Squares(dev, size, ops, t)
	}
	return back.NewApplyQ2[T](dev, size, w, t)
}
