package product

import "github.com/vkevd/vkevd/vk"

// Tiled is Ops on the vector units, in the precision of the matrices. Its workspace depends on the
// tiles and the device, not on the shapes of the products.
type Tiled struct {
	*tiledGemm
	*tiledSyr2k
	*tiledSymm
	work *vk.Layout
}

// New builds the kernels of Tiled. It fails where the tuning contradicts itself, or with a
// *vk.UnsupportedError where a tile needs more than the device has (Tuning.Fits tells beforehand).
func New(dev *vk.Device, t Tuning) (*Tiled, error) {
	gemm, err := newTiledGemm(dev, t)
	if err != nil {
		return nil, err
	}
	syr2k, err := newTiledSyr2k(dev, t)
	if err != nil {
		return nil, err
	}
	symm, err := newTiledSymm(dev, t)
	if err != nil {
		return nil, err
	}
	return &Tiled{gemm, syr2k, symm, vk.InTurn(gemm.sums.region, symm.sums.region)}, nil
}

// Reserve implements Ops. There is nothing to prepare: split-K is limited by the room for partial
// sums, whatever the shape.
func (*Tiled) Reserve(...Shape) error { return nil }

// Work implements Ops: room for partial sums.
func (t *Tiled) Work() *vk.Layout { return t.work }

var _ Ops = (*Tiled)(nil)
