// Package spirv, internal to vkevd, reads and rewrites the SPIR-V code of compute shaders. It finds
// the layout of a shader's parameters, and the features that the shader needs. It does not call
// Vulkan and needs no device.
//
// # Reading
//
// [Reflect] reads the parameters of a shader: specialization constants, the push block, structs in
// buffers, capabilities, and the size of the workgroup. The generator shaders/gen writes these
// parameters as Go types, and a [Module] for each kernel. [SharedBytes] and [MemoryBytes] compute
// the sizes of arrays for given constants. [CheckComplex] finds mistakes with complex numbers.
//
// # Rewriting
//
// A pass is a function from the words of a module to the words of a new module. Two passes run when
// shaders are compiled, so that the modules in the repository are already rewritten:
// [NoContraction] forbids drivers to rewrite arithmetic, and [SharedAtBarriers] moves the
// visibility of shared memory from each access to the barriers. Three passes run when a device
// builds a kernel: [ControlFloats] requests IEEE arithmetic if the device offers IEEE arithmetic,
// [Guard] checks every address in debug mode, and [TranslateAddresses] looks up virtual addresses
// in a page table. [InexactDivision] is a pass for tests.
//
// # The layout of a module
//
// A module is a header and a list of instructions, in sections: capabilities, extensions, memory
// model, entry point, execution modes, debug names, decorations, declarations of types, constants
// and variables, and functions. Instructions refer to each other by ids. Source: Khronos, SPIR-V
// Specification 1.6, sections 2.3 and 2.4.
package spirv
