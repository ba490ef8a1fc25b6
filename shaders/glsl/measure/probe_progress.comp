// probe_progress tests two properties of a device: whether workgroups make progress while other
// workgroups wait for them, and whether data is visible when its flag is visible. All kernels whose
// workgroups wait for each other need the first property. Those that use publish and await
// (flags.glsl) also need the second property.
//
// in, out: ticket, info, flags  a ticket, INFO, and a flag for each workgroup; all zero before
//                              the dispatch
// out:     data                 ROUNDS·LOCAL_SIZE words for each workgroup
//
// Each workgroup takes a ticket k. Then it does ROUNDS rounds. In each round it waits for the
// workgroup with ticket k − 1, and checks the words that workgroup k − 1 wrote in this round. Then
// it writes as many words itself, and publishes its flag. The words that an invocation writes in
// successive rounds are neighbours in memory. So the cache lines with the words of a round were
// already loaded in earlier rounds. If a cache keeps such a line, the check finds old words.
//
// INFO stays 0 if the device has both properties. INFO becomes FLAG_END if a word was not visible.
// If a wait for the workgroup with ticket t reached the poll limit, INFO becomes 1 + t. The buffers
// must not overlap.
//
// Grid: as many workgroups in x as should wait for each other.
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "flags.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
// ROUNDS is at least 1.
layout(constant_id = 1) const uint ROUNDS = 4;
// STARVED is for tests: the first workgroup, with ticket 0, does nothing, so that the wait of the
// next one reaches the poll limit.
layout(constant_id = 2) const bool STARVED = false;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Data { nonprivate uint at[]; };

layout(push_constant, scalar) uniform Push {
	// The host sets abort_word to ask the kernel to stop.
	Flags ticket, info, flags, abort_word;
	Data data;
	// polls is the poll limit: a wait fails after so many loads of a flag.
	uint polls;
} p;

// `mine` is the ticket of this workgroup.
shared uint mine;
// `go` is false if a wait has failed.
shared bool go;

// word returns the number that invocation t of workgroup k writes in round r. This number w is
// never zero, and the invocation writes it to element w − 1 of `data`.
uint word(uint k, uint r, uint t) { return (k * LOCAL_SIZE + t) * ROUNDS + r + 1; }

void main() {
	uint t = gl_LocalInvocationIndex;
	if (t == 0) mine = atomicAdd(p.ticket.at[0], 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	barrier();
	uint k = mine;
	if (STARVED && k == 0) return;
	for (uint r = 0; r < ROUNDS; r++) {
		// Every wait ends: the workgroup with ticket k − 1 has started, because it has taken its
		// ticket, and the workgroup with ticket 0 does not wait.
		if (t == 0) go = k == 0 || await(p.flags, k - 1, r + 1, p.info, p.abort_word, p.polls) > r;
		meet();
		if (!go) return;
		// Invocation i has written this number. If the workgroup has several subgroups, invocation
		// i is in another one.
		uint i = LOCAL_SIZE - 1 - t;
		if (k > 0 && p.data.at[word(k - 1, r, i) - 1] != word(k - 1, r, i)) {
			atomicStore(p.info.at[0], FLAG_END, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
		}
		p.data.at[word(k, r, t) - 1] = word(k, r, t);
		meet();
		if (t == 0) publish(p.flags, k, r + 1);
	}
}
