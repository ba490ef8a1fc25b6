package product

import (
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Tiled implements Ops on the vector units, in the precision of the matrices. Its workspace depends
// on the tiles and the device, not on the shapes of the products.
type Tiled[T spirv.Scalar] struct {
	// tiledGemm and tiledSymm use the same memory for partial sums.
	*tiledGemm[T]
	*tiledSyr2k[T]
	*tiledSymm[T]
	work *vk.Layout
}

// New builds the kernels of Tiled. It fails if sizes of the tuning contradict each other, or with a
// *vk.UnsupportedError if a tile needs more than the device has. Tuning.Fits returns the same
// errors without building anything.
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

// Reserve implements Ops. It does nothing: the reserved memory for partial sums limits split-K,
// whatever the shape.
func (*Tiled[T]) Reserve(...Shape) error { return nil }

// Work implements Ops. It is the memory for partial sums.
func (t *Tiled[T]) Work() *vk.Layout { return t.work }

var _ Ops[float64] = (*Tiled[float64])(nil)
