// probe_progress tells whether a device keeps the workgroups going that others
// wait for, and whether data follows a flag: all that sb2st_chase and ormtr_q2_flags
// ask of it.
//
// in/out: words  zero before: a ticket, INFO, and a flag for each workgroup
// out:    data   ROUNDS·LOCAL_SIZE words for each workgroup
//
// The workgroups take tickets. Each, in ROUNDS rounds, waits for the one before
// it, looks at what that one wrote in the round, writes as much itself, and
// publishes. INFO stays 0 if all is well; it is FLAG_END where a word was not
// there, or 1 + the ticket that someone waited for in vain.
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "flags.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
layout(constant_id = 1) const uint ROUNDS = 4;
layout(constant_id = 2) const bool STARVED = false; // for tests: the first workgroup does nothing

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Data { nonprivate uint at[]; };

layout(push_constant, scalar) uniform Push {
	Flags ticket, info, flags, abort_word;
	Data data;
	uint polls;
} p;

shared uint mine;
shared bool go;

// word is what invocation t of a workgroup writes in a round; it is never zero.
uint word(uint k, uint r, uint t) { return (k * ROUNDS + r) * LOCAL_SIZE + t + 1; }

void main() {
	uint t = gl_LocalInvocationIndex;
	if (t == 0) mine = atomicAdd(p.ticket.at[0], 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	barrier();
	uint k = mine;
	if (STARVED && k == 0) return;
	for (uint r = 0; r < ROUNDS; r++) {
		// Ticket k − 1 was taken by a workgroup that has started; the first waits for none.
		if (t == 0) go = k == 0 || await(p.flags, k - 1, r + 1, p.info, p.abort_word, p.polls) > r;
		meet();
		if (!go) return;
		uint i = LOCAL_SIZE - 1 - t; // another subgroup's
		if (k > 0 && p.data.at[word(k - 1, r, i) - 1] != word(k - 1, r, i)) {
			atomicStore(p.info.at[0], FLAG_END, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
		}
		p.data.at[word(k, r, t) - 1] = word(k, r, t);
		meet();
		if (t == 0) publish(p.flags, k, r + 1);
	}
}
