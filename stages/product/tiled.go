package product

import (
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Tiled is Ops on the vector units, in the precision of the matrices. Its workspace depends on the
// tiles and the device, not on the shapes of the products.
type Tiled[T spirv.Scalar] struct {
	// Gemm and Symm have room for partial sums each, in the same memory.
	*tiledGemm[T]
	*tiledSyr2k[T]
	*tiledSymm[T]
	work *vk.Layout
}

// New builds the kernels of Tiled. It fails if sizes of the tuning contradict each other, or with a
// *vk.UnsupportedError if a tile needs more than the device has. Tuning.Fits returns the same
// errors before anything is built.
func New[T spirv.Scalar](dev *vk.Device, t Tuning) (*Tiled[T], error) {
	gemm, err := newTiledGemm[T](dev, t)
	if err != nil {
		return nil, err
	}
	syr2k, err := newTiledSyr2k[T](dev, t)
	if err != nil {
		return nil, err
	}
	symm, err := newTiledSymm[T](dev, t)
	if err != nil {
		return nil, err
	}
	return &Tiled[T]{gemm, syr2k, symm, vk.InTurn(gemm.sums.region, symm.sums.region)}, nil
}

// Reserve implements Ops. There is nothing to prepare: split-K is limited by the room for partial
// sums, whatever the shape.
func (*Tiled[T]) Reserve(...Shape) error { return nil }

// Work implements Ops: room for partial sums.
func (t *Tiled[T]) Work() *vk.Layout { return t.work }

var _ Ops[float64] = (*Tiled[float64])(nil)
