// flags.glsl hands data from one running workgroup to another.
//
// A producer counts in a flag of its own what it has finished; a consumer waits
// for the count. Both sides, in this order:
//
//	producer                             consumer
//	every invocation stores data         one invocation: await()
//	every invocation: meet()             every invocation: meet()
//	one invocation: publish()            every invocation loads data
//
// In the Vulkan memory model an access takes part in this only if it is not
// private: the source must say #pragma use_vulkan_memory_model, and the data's
// member of its block must be nonprivate. The member: glslang forgets the
// qualifier of a buffer_reference block itself. The chain that makes a store
// visible is store → meet (release) → publish (release) → await (acquire)
// → meet (acquire) → load, with availability and visibility at each link.
//
// Who waits must know why the flag will come: at the place of the call stands
// the reason. A wait that lasts too long all the same ends with INFO set.
#ifndef FLAGS_GLSL
#define FLAGS_GLSL
#extension GL_KHR_memory_scope_semantics : require

// WIDE_FENCE lets every invocation of meet() fence the device's memory. Without
// it the fences of publish and await stand for all, through the workgroup's
// barrier: the model allows it where the device has its availability and visibility
// chains, and it is one fence instead of one a subgroup.
layout(constant_id = 30) const bool WIDE_FENCE = true;

// FLAG_STRIDE is the distance of two flags in words, so that those who poll one
// do not hold up the neighbour.
layout(constant_id = 31) const uint FLAG_STRIDE = 8;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Flags { nonprivate uint at[]; };

const uint FLAG_END = 0xffffffffu; // of a producer that will do nothing more
const uint POLLS_A_LOOK = 256;     // polls between two looks at whether to give up

// meet is a barrier of the workgroup that orders buffer memory, too.
void meet() {
	const int what = gl_StorageSemanticsBuffer | gl_StorageSemanticsShared;
	const int how = gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible;
	if (WIDE_FENCE) controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, what, how);
	else controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, what, how);
}

void publish(Flags flags, uint i, uint count) {
	atomicStore(flags.at[i * FLAG_STRIDE], count, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable);
}

uint relaxed(Flags word) { return atomicLoad(word.at[0], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed); }

// stopped tells whether the host wants an end, or someone has waited in vain.
bool stopped(Flags info, Flags abort_word) { return relaxed(info) != 0 || relaxed(abort_word) != 0; }

// await returns flag i once it is at least need, or 0 when it gives up: the host
// wants an end, another workgroup gave up, or after polls looks at the flag, which
// sets INFO to i + 1.
uint await(Flags flags, uint i, uint need, Flags info, Flags abort_word, uint polls) {
	for (uint k = 1; k <= polls; k++) {
		uint count = atomicLoad(flags.at[i * FLAG_STRIDE], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
		if (count >= need) {
			memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible);
			return count;
		}
		if (k % POLLS_A_LOOK == 0 && stopped(info, abort_word)) return 0;
	}
	atomicStore(info.at[0], i + 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	return 0;
}
#endif
