// This header defines a barrier, and a type of buffers, for kernels of batches whose invocations
// exchange data through buffers. It needs numerics.glsl.
//
// The kernel must have `#pragma use_vulkan_memory_model`. In the Vulkan memory model a barrier
// orders the accesses of different invocations to a buffer only if the accesses are not private. So
// the buffer's members that the invocations exchange must have the qualifier nonprivate.
#ifndef MEET_GLSL
#define MEET_GLSL
#extension GL_KHR_memory_scope_semantics : require

// SharedReals has matrix entries, real or complex, that the invocations of a workgroup exchange.
layout(buffer_reference, scalar, buffer_reference_align = SCALAR_BYTES) buffer SharedReals { nonprivate scalar_t at[]; };

// meet is a barrier of the workgroup that also orders accesses to buffers.
void meet() {
	const int what = gl_StorageSemanticsBuffer | gl_StorageSemanticsShared;
	const int how = gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible;
	controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, what, how);
}

#endif
