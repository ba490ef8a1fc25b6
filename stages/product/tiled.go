package product

import (
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Tiled implements Ops on the device's vector units, in the precision of the matrices. Its
// workspace depends on the tiles and the device, not on the shapes of the products.
type Tiled[T spirv.Scalar] struct {
	// The kernels of tiledGemm and tiledSymm use the same memory for partial products.
	*tiledGemm[T]
	*tiledSyr2k[T]
	*tiledSymm[T]
	work *vk.Layout
}

// New builds the kernels. The errors are those of Tuning.Fits.
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

// Reserve does nothing: split-K uses only as many pieces as fit the memory for partial products.
func (*Tiled[T]) Reserve(...Shape) error { return nil }

func (t *Tiled[T]) Work() *vk.Layout { return t.work }

func (t *Tiled[T]) Syr2kColumns(rec *vk.Recorder, ws *vk.Arena, y, z Matrix[T], blocks []ColumnBlock[T]) {
	Pairs(rec, ws, t, y, z, blocks)
}

var _ Ops[float64] = (*Tiled[float64])(nil)
