// Package spirv, internal to vkevd, holds what is known about a compute shader without a device:
// its code, the layout of its parameters and what it demands of the hardware. It reads SPIR-V words
// and knows nothing of Vulkan.
//
// Shaders are compiled and looked into once, by shaders/gen; what it finds is
// written down as Go types and a [Module] for each kernel. At run time the
// words are only handed on.
package spirv
