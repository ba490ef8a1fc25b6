// flags.glsl hands data from one running workgroup to another.
//
// The kernels whose workgroups wait for each other include this header. The header defines Flags,
// meet, publish, await and stopped, and declares specialization constants 30 and 31.
//
// A producer counts in a flag of its own what it has finished. A consumer waits (spins) until the
// count is high enough. Both sides do this, in this order:
//
//	producer                             consumer
//	every invocation stores data         one invocation: await()
//	every invocation: meet()             every invocation: meet()
//	one invocation: publish()            every invocation loads data
//
// In the Vulkan memory model these barriers and atomics order only nonprivate accesses. An access
// to data is nonprivate under two conditions. The source says #pragma use_vulkan_memory_model. The
// data is declared nonprivate at the member of its block, because glslang ignores the qualifier on
// a buffer_reference block itself. The chain that makes a store visible is store → meet (release) →
// publish (release) → await (acquire) → meet (acquire) → load, with availability and visibility at
// each link.
//
// Every wait must end. So a comment at each call of await gives the reason why the flag will be
// set. If a flag is still not set after many polls, the wait ends and sets INFO, a word of memory
// that the host reads.
#ifndef FLAGS_GLSL
#define FLAGS_GLSL
#extension GL_KHR_memory_scope_semantics : require

// WIDE_FENCE tells whether every invocation that calls meet() issues a fence for the memory of the
// device. If WIDE_FENCE is false, only the invocation that calls publish or await issues such a
// fence, and the barrier of the workgroup extends the effect of the fence to all invocations. Then
// there is one fence instead of one per subgroup. The memory model allows this if the device
// supports availability and visibility chains.
layout(constant_id = 30) const bool WIDE_FENCE = true;

// FLAG_STRIDE is the distance between two flags, in 32-bit words, at least 1. Flags on different
// cache lines do not slow each other down when many workgroups poll them.
layout(constant_id = 31) const uint FLAG_STRIDE = 8;

// Flags is an array of flags in memory, FLAG_STRIDE words apart. A single word, such as the INFO
// word or a ticket counter, also has the type Flags.
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Flags { nonprivate uint at[]; };

// FLAG_END is the value of the flag of a workgroup that has finished. The value is at least as
// large as every count that another workgroup waits for.
const uint FLAG_END = 0xffffffffu;
// POLLS_A_LOOK is the number of polls of a flag after which a waiting invocation calls the function
// `stopped`.
const uint POLLS_A_LOOK = 256;

// meet is a barrier of the workgroup that also orders the invocations' accesses to buffers.
void meet() {
	const int what = gl_StorageSemanticsBuffer | gl_StorageSemanticsShared;
	const int how = gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible;
	if (WIDE_FENCE) controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, what, how);
	else controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, what, how);
}

// publish sets flag i to `count`, which tells other workgroups that data is ready. One invocation
// calls publish, after the barrier meet().
void publish(Flags flags, uint i, uint count) {
	atomicStore(flags.at[i * FLAG_STRIDE], count, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable);
}

// relaxed loads a word of memory atomically, with relaxed ordering: the load does not order any
// other access.
uint relaxed(Flags word) { return atomicLoad(word.at[0], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed); }

// stopped tells whether a waiting invocation must give up: the host has asked for an abort, or some
// workgroup has waited too long and set INFO.
bool stopped(Flags info, Flags abort_word) { return relaxed(info) != 0 || relaxed(abort_word) != 0; }

// await spins until flag i is at least `need`, and returns the flag. It gives up and returns 0 in
// three cases: the host asks for an abort, another workgroup has given up, or the flag was loaded
// `polls` times. In the third case await sets INFO to i + 1. Only one invocation of a workgroup may
// call await.
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
