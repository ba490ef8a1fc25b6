// Package spirv, internal to vkevd, holds what is known about a compute shader without a device:
// its code, the layout of its parameters and what it demands of the hardware. It reads SPIR-V words
// and knows nothing of Vulkan.
//
// The generator shaders/gen compiles the shaders and reads them with [Reflect]. It writes what it finds
// as Go types and a [Module] for each kernel. At run time the SPIR-V goes to the driver; first passes may
// change it: [Guard] adds checks of addresses, [ControlFloats] demands how results are rounded. Two passes
// run when shaders are compiled: [NoContraction] and [SharedAtBarriers].
package spirv
