// probe_progress tests two properties of a device: whether workgroups make progress while other
// workgroups wait for them, and whether data is visible when its flag is visible. The kernels whose
// workgroups wait for each other need the first property (sb2st_chase, sb2st_teams, ormtr_q2_flags,
// geqrf_panel_whole). All of them except the last also need the second one.
//
// in, out: ticket, info, flags  a ticket, INFO, and a flag for each workgroup; all zero before
// out:     data                 ROUNDS·LOCAL_SIZE words for each workgroup
//
// Each workgroup takes a ticket. Then it does ROUNDS rounds. In each round it waits for the
// workgroup with the ticket before its own, checks the words that this workgroup wrote in this
// round, writes as many words itself, and publishes. The words that an invocation writes in
// successive rounds are neighbours in memory. So a cache line with the words of a round was already
// loaded in earlier rounds, and a stale cache is found.
//
// INFO stays 0 if both properties hold. It becomes FLAG_END if a word was not visible, and 1 + the
// ticket waited for if a wait reached the poll limit. The buffers must not overlap.
//
// Grid: as many workgroups in x as are to wait for each other.
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "flags.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
// ROUNDS is the number of rounds of each workgroup, at least 1.
layout(constant_id = 1) const uint ROUNDS = 4;
// If STARVED is true, the first workgroup does nothing, so that the second one waits in vain. This
// is for tests.
layout(constant_id = 2) const bool STARVED = false;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Data { nonprivate uint at[]; };

layout(push_constant, scalar) uniform Push {
	// The host sets abort_word to ask the kernel to stop. The other words are explained above.
	Flags ticket, info, flags, abort_word;
	Data data;
	// polls is the poll limit: after so many loads of a flag a wait is given up.
	uint polls;
} p;

// mine is the ticket of the workgroup.
shared uint mine;
// go tells whether the round can begin.
shared bool go;

// word returns what invocation t of workgroup k writes in round r, at position word − 1. It is
// never zero.
uint word(uint k, uint r, uint t) { return (k * LOCAL_SIZE + t) * ROUNDS + r + 1; }

void main() {
	uint t = gl_LocalInvocationIndex;
	if (t == 0) mine = atomicAdd(p.ticket.at[0], 1, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
	barrier();
	uint k = mine;
	if (STARVED && k == 0) return;
	for (uint r = 0; r < ROUNDS; r++) {
		// No wait lasts for ever, because ticket k − 1 was taken by a workgroup that has started,
		// and the workgroup with ticket 0 waits for none.
		if (t == 0) go = k == 0 || await(p.flags, k - 1, r + 1, p.info, p.abort_word, p.polls) > r;
		meet();
		if (!go) return;
		// Check a word that an invocation of another subgroup has written.
		uint i = LOCAL_SIZE - 1 - t;
		if (k > 0 && p.data.at[word(k - 1, r, i) - 1] != word(k - 1, r, i)) {
			atomicStore(p.info.at[0], FLAG_END, gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
		}
		p.data.at[word(k, r, t) - 1] = word(k, r, t);
		meet();
		if (t == 0) publish(p.flags, k, r + 1);
	}
}
