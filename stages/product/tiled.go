package product

import (
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Tiled implements the interface Ops on the device's vector units, in the precision of the
// matrices. A workgroup computes one tile of a product. Its workspace depends on the tiles and the
// device, not on the shapes of the products.
type Tiled[T spirv.Scalar] struct {
	// The kernels of tiledGemm and tiledSymm use the same memory for partial products.
	*tiledGemm[T]
	*tiledSyr2k[T]
	*tiledSymm[T]
	work *vk.Layout
}

// New builds the kernels of Tiled. The error prints sizes of the tuning that contradict each other,
// or is a *vk.UnsupportedError if a tile needs more than the device has. Tuning.Fits returns the
// same errors without building kernels.
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

// Reserve implements the interface Ops. It does nothing, because the memory for partial products
// does not depend on the shapes: split-K uses only as many pieces as fit.
func (*Tiled[T]) Reserve(...Shape) error { return nil }

// Work implements the interface Ops. The workspace is the memory for partial products.
func (t *Tiled[T]) Work() *vk.Layout { return t.work }

// Syr2kColumns implements the interface Ops. Each block is a pair of products.
func (t *Tiled[T]) Syr2kColumns(rec *vk.Recorder, ws *vk.Arena, y, z Matrix[T], blocks []ColumnBlock[T]) {
	Pairs(rec, ws, t, y, z, blocks)
}

var _ Ops[float64] = (*Tiled[float64])(nil)
