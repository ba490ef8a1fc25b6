package vk

import (
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// minSubgroup is the smallest size of subgroups that this package requires, unless the device has
// only smaller ones. In the bulge chasing this many invocations share one row of a band.
const minSubgroup = 8

// fullWorkgroup is the number of invocations in the largest workgroup of a kernel that depends on
// full subgroups. This is a workgroup of the bulge chasing of half-bandwidth 64: 512 invocations
// compute, and two subgroups of at most 32 invocations wait for other workgroups.
const fullWorkgroup = 512 + 2*32

// requires tells whether pipelines that depend on full subgroups require a subgroup size. They do
// so if the driver has several sizes and accepts such a requirement.
func (c *candidate) requires() bool {
	return c.props.MinSubgroup != c.props.MaxSubgroup && c.features[driver.SubgroupSizeControl] && c.features[driver.FullSubgroups]
}

// subgroup returns Info.Subgroup. If pipelines do not require a size, it is the size that the
// driver chooses. Otherwise the result is the smallest size from minSubgroup on that allows
// workgroups of fullWorkgroup invocations, or of the device's limit if it is smaller. The size
// matters because Vulkan limits the number of subgroups in a workgroup. The result is 16 on Intel,
// and 32 on AMD's RDNA. Intel's driver itself chooses the largest size, and then has too few
// registers for doubles.
func (c *candidate) subgroup() uint32 {
	p := &c.props
	if !c.requires() {
		return p.Subgroup
	}
	size := p.MinSubgroup
	largest := min(p.MaxInvocations, p.MaxLocalSize[0], fullWorkgroup)
	for size < p.MaxSubgroup && (size < minSubgroup || size*p.MaxSubgroups < largest) {
		size *= 2
	}
	return size
}

// maxLocal returns Info.MaxLocal. If pipelines require a subgroup size, a workgroup has at most
// as many subgroups of the size `subgroup` as the device allows.
func (c *candidate) maxLocal(subgroup uint32) uint32 {
	p := &c.props
	most := min(p.MaxInvocations, p.MaxLocalSize[0])
	if c.requires() && subgroup < p.MaxSubgroup {
		most = min(most, subgroup*p.MaxSubgroups)
	}
	return most
}

// requiredSubgroup is the size that kernels that depend on full subgroups require, or 0.
func (c *candidate) requiredSubgroup() uint32 {
	if !c.requires() {
		return 0
	}
	return uint32(c.info.Subgroup)
}
