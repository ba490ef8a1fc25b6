package vk

import (
	"slices"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// byteMatrices is Info.ByteMatrices: the shapes of matrix products of signed bytes that subgroups
// compute, with 32-bit sums that wrap around. The result is nil if the driver has the feature but
// cannot list its shapes.
func byteMatrices(p driver.Physical, features driver.Features) []MatrixShape {
	if !features[driver.CooperativeMatrix] || !features[driver.Int8] || !features[driver.MemoryModel] {
		return nil
	}
	all, err := p.MatrixShapes()
	if err != nil {
		return nil
	}
	var list []MatrixShape
	for _, s := range all {
		bytes := s.A == driver.SignedByte && s.B == driver.SignedByte
		sums := s.C == driver.SignedWord && s.Result == driver.SignedWord
		shape := MatrixShape{int(s.M), int(s.N), int(s.K)}
		if bytes && sums && !s.Saturating && s.Scope == driver.SubgroupScope && !slices.Contains(list, shape) {
			list = append(list, shape)
		}
	}
	return list
}
