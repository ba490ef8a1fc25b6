package vk

import (
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// minSubgroup is the smallest subgroup size that is ever chosen, in invocations. In the bulge
// chasing this many invocations share one row of a band.
const minSubgroup = 8

// fullWorkgroup is the number of invocations of the largest workgroup that the tables of sizes have
// for a kernel that depends on full subgroups: 512 in the bulge chasing of half-bandwidth 64, and two
// subgroups of at most 32 that wait.
const fullWorkgroup = 512 + 2*32

// subgroup returns Info.Subgroup. If the driver has only one subgroup size, the result is this
// size. Otherwise the result is the smallest size from minSubgroup on that allows workgroups of
// fullWorkgroup invocations. Small sizes may not allow them, because Vulkan limits the number of
// subgroups in a workgroup. The result is 16 on Intel, and 32 on AMD's RDNA. (It was once 32 on
// Intel's ninth generation, because 56 subgroups of 16 are less than the largest workgroup of 1024.)
//
// If a pipeline does not require a size, the driver chooses one. Intel's driver then chooses the
// largest size, and has too few registers for doubles.
func (c *candidate) subgroup() uint32 {
	p := &c.props
	if p.MinSubgroup == p.MaxSubgroup {
		return p.Subgroup
	}
	size := p.MinSubgroup
	largest := min(p.MaxInvocations, p.MaxLocalSize[0], fullWorkgroup)
	for size < p.MaxSubgroup && (size < minSubgroup || size*p.MaxSubgroups < largest) {
		size *= 2
	}
	return size
}

// maxLocal returns Info.MaxLocal. If pipelines can require a subgroup size, a workgroup has at most
// as many subgroups of the size `subgroup` as the device allows.
func (c *candidate) maxLocal(subgroup uint32) uint32 {
	p := &c.props
	most := min(p.MaxInvocations, p.MaxLocalSize[0])
	if p.MinSubgroup != p.MaxSubgroup && subgroup < p.MaxSubgroup {
		most = min(most, subgroup*p.MaxSubgroups)
	}
	return most
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
