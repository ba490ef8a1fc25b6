// probe_relay hands numbers from workgroup to workgroup while all of them run.
//
// out: data  LOCAL_SIZE words for each place: place (i, r) is i + r·groups. Those of
//            (i, r) are one more than those of (i−1, r) of the neighbouring
//            invocation; those of (0, r) are r
//
// Workgroups take tickets, and ticket i waits, round by round, for ticket i−1. It
// was taken by a workgroup that is running already, so it needs only that running
// workgroups go on: what the bulge chasing needs, too, and what Vulkan does not
// promise. If a wait is in vain INFO is set (flags.glsl), and the data of those who
// waited are left as they were.
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_GOOGLE_include_directive : require
#include "flags.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	Flags data;
	Flags flags;  // one a workgroup, all zero before
	Flags ticket; // zero before
	Flags info;   // zero before; afterwards 1 + the ticket that was waited for in vain
	Flags abort_word;
	uint groups, rounds, polls;
} p;

shared uint mine; // ticket
shared uint goes_on;

void main() {
	uint lane = gl_LocalInvocationIndex;
	if (lane == 0) mine = atomicAdd(p.ticket.at[0], 1u);
	meet();
	uint i = mine;
	for (uint r = 0; r < p.rounds; r++) {
		// Ticket i − 1 is held by a workgroup that runs, and so on down to 0, which waits for nobody.
		if (lane == 0) goes_on = i == 0 ? 1 : await(p.flags, i - 1, r + 1, p.info, p.abort_word, p.polls);
		meet();
		if (goes_on == 0) return;
		uint place = i + r * p.groups;
		uint received = i == 0 ? r : p.data.at[(place - 1) * LOCAL_SIZE + (lane + 1) % LOCAL_SIZE] + 1;
		p.data.at[place * LOCAL_SIZE + lane] = received;
		meet(); // also: nobody reads goes_on any more
		if (lane == 0) publish(p.flags, i, r + 1);
	}
}
