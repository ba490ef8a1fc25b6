package spirv

import "fmt"

// Capability is the number of a SPIR-V capability: an optional feature of devices that a shader
// needs. A device supports a capability if it has the Vulkan feature or version that belongs to the
// capability. Package vk has the table of these features (capabilityFeatures).
type Capability uint32

// These are the capabilities that the kernels of package shaders declare. If a device lacks one,
// vk.Build refuses the kernel and names the capability.
const (
	CapShader                         Capability = 1
	CapFloat16                        Capability = 9
	CapFloat64                        Capability = 10
	CapInt64                          Capability = 11
	CapInt64Atomics                   Capability = 12
	CapInt8                           Capability = 39
	CapGroupNonUniform                Capability = 61
	CapGroupNonUniformShuffle         Capability = 65
	CapStorageBuffer16BitAccess       Capability = 4433
	CapDenormPreserve                 Capability = 4464
	CapSignedZeroInfNanPreserve       Capability = 4466
	CapRoundingModeRTE                Capability = 4467
	CapVulkanMemoryModel              Capability = 5345
	CapVulkanMemoryModelDeviceScope   Capability = 5346
	CapPhysicalStorageBufferAddresses Capability = 5347
	CapCooperativeMatrixKHR           Capability = 6022
	CapDotProductInput4x8BitPacked    Capability = 6018
	CapDotProduct                     Capability = 6019
)

var capabilityNames = map[Capability]string{
	CapShader:                         "Shader",
	CapFloat16:                        "Float16",
	CapFloat64:                        "Float64",
	CapInt64:                          "Int64",
	CapInt64Atomics:                   "Int64Atomics",
	CapInt8:                           "Int8",
	CapGroupNonUniform:                "GroupNonUniform",
	CapGroupNonUniformShuffle:         "GroupNonUniformShuffle",
	CapStorageBuffer16BitAccess:       "StorageBuffer16BitAccess",
	CapDenormPreserve:                 "DenormPreserve",
	CapSignedZeroInfNanPreserve:       "SignedZeroInfNanPreserve",
	CapRoundingModeRTE:                "RoundingModeRTE",
	CapVulkanMemoryModel:              "VulkanMemoryModel",
	CapVulkanMemoryModelDeviceScope:   "VulkanMemoryModelDeviceScope",
	CapPhysicalStorageBufferAddresses: "PhysicalStorageBufferAddresses",
	CapCooperativeMatrixKHR:           "CooperativeMatrixKHR",
	CapDotProductInput4x8BitPacked:    "DotProductInput4x8BitPacked",
	CapDotProduct:                     "DotProduct",
}

func (c Capability) Known() bool { return capabilityNames[c] != "" }

// String returns the name in the SPIR-V specification, or the number if it is none of the constants
// above.
func (c Capability) String() string {
	if name := capabilityNames[c]; name != "" {
		return name
	}
	return fmt.Sprintf("Capability(%d)", uint32(c))
}
