package stages

import "github.com/vkevd/vkevd/vk"

// NewOps builds the products for a device in double precision, on its vector units.
func NewOps(dev *vk.Device, t Tuning) (Ops, error) {
	gemm, err := NewTiledGemm(dev, t.Products)
	if err != nil {
		return Ops{}, err
	}
	rankTwoK, err := NewTiledRankTwoK(dev, t.Products)
	if err != nil {
		return Ops{}, err
	}
	symm, err := NewTiledSymm(dev, t.Products)
	if err != nil {
		return Ops{}, err
	}
	return Ops{gemm, gemm, rankTwoK, symm, vk.InTurn(gemm.Work(), symm.Work())}, nil
}
