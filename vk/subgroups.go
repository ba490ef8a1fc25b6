package vk

import (
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// minSubgroup is the smallest subgroup size that is ever chosen, in invocations. In the bulge
// chasing this many invocations share one row of a band.
const minSubgroup = 8

// subgroup returns Info.Subgroup. If the driver has only one subgroup size, the result is this
// size. Otherwise the result is the smallest size from minSubgroup on that allows the largest
// workgroup. Small sizes may not allow it, because Vulkan limits the number of subgroups in a
// workgroup. The limit is 16 on Intel, and 32 on AMD's RDNA.
//
// If a pipeline does not require a size, the driver chooses one. Intel's driver then chooses the
// largest size, and has too few registers for doubles.
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

// requiredSubgroup is the subgroup size that a kernel's pipeline requires if the kernel depends on
// full subgroups. It is 0 if the driver has only one size, or if the driver does not accept such a
// requirement.
func (c *candidate) requiredSubgroup() uint32 {
	if c.props.MinSubgroup == c.props.MaxSubgroup || !c.features[driver.SubgroupSizeControl] {
		return 0
	}
	return uint32(c.info.Subgroup)
}
