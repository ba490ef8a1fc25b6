package vk

import (
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// leastSubgroup is the smallest size of a subgroup worth having: so many invocations share a row of
// a band in the bulge chasing.
const leastSubgroup = 8

// subgroup is the number of invocations in a subgroup of kernels that depend on it. It is the
// driver's own where that is the only one. Where a pipeline may require a size, it is the smallest
// from leastSubgroup on that still allows the largest workgroup: 16 on Intel, 32 on AMD's RDNA.
// Drivers otherwise take the largest (Intel's then runs out of registers for doubles).
func (c *candidate) subgroup() uint32 {
	p := &c.props
	if p.MinSubgroup == p.MaxSubgroup {
		return p.Subgroup
	}
	size := p.MinSubgroup
	largest := min(p.MaxInvocations, p.MaxLocalSize[0])
	for size < p.MaxSubgroup && (size < leastSubgroup || size*p.MaxSubgroups < largest) {
		size *= 2
	}
	return size
}

// requiredSubgroup is the size that pipelines whose subgroups must be full require; 0 where the
// driver has one size only, or takes no requirements.
func (c *candidate) requiredSubgroup() uint32 {
	if c.props.MinSubgroup == c.props.MaxSubgroup || !c.features[driver.SubgroupSizeControl] {
		return 0
	}
	return uint32(c.info.Subgroup)
}
