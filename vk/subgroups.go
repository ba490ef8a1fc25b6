package vk

import (
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// minSubgroup is the smallest size of a subgroup to choose. In the bulge chasing so many
// invocations share a row of a band.
const minSubgroup = 8

// subgroup is Info.Subgroup. It is the driver's own size where there is only one. Otherwise it is
// the smallest size from minSubgroup on that allows the largest workgroup, as Vulkan limits the
// number of subgroups of a workgroup: 16 on Intel, 32 on AMD's RDNA.
//
// A driver that chooses by itself may choose the largest size. Intel's does, and then has too few
// registers for doubles.
func (c *candidate) subgroup() uint32 {
	p := &c.props
	if p.MinSubgroup == p.MaxSubgroup {
		return p.Subgroup
	}
	size := p.MinSubgroup
	largest := min(p.MaxInvocations, p.MaxLocalSize[0])
	for size < p.MaxSubgroup && (size < minSubgroup || size*p.MaxSubgroups < largest) {
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
