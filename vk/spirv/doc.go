// Package spirv, internal to vkevd, deals with compute shaders without a device: their code, the
// layout of their parameters, and their demands on the hardware. It reads and rewrites SPIR-V
// words, and does not call Vulkan.
//
// # Reading
//
// [Reflect] reads the parameters of a shader: specialisation constants, the push block, structs in
// buffers, capabilities, and the size of the workgroup. The generator shaders/gen writes them as Go
// types and as a [Module] for each kernel. [SharedBytes] and [MemoryBytes] compute the sizes of
// arrays for given constants.
//
// # Rewriting
//
// A pass takes the words of a module and returns those of another one. Two passes run when shaders
// are compiled, so that committed modules have them: [NoContraction] forbids drivers to rewrite
// arithmetic, and [SharedAtBarriers] moves the visibility of shared memory from each access to the
// barriers. Two run when a device builds a kernel: [ControlFloats] demands IEEE arithmetic if the
// device offers it, and [Guard] checks every address in debug mode.
//
// # The layout of a module
//
// A module is a header and a list of instructions, in sections: capabilities, extensions, memory
// model, entry point, execution modes, debug names, decorations, declarations of types, constants
// and variables, and functions. Instructions refer to each other by ids. Source: Khronos, SPIR-V
// Specification 1.6, sections 2.3 and 2.4.
package spirv
