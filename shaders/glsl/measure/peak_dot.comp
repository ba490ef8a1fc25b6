// peak_dot does packed dot products of bytes in registers and nothing else, to measure the rate of
// the device.
//
// out: sums  one number per invocation, so that a compiler cannot remove the work
//
// float64 only
//
// An invocation does 8·CHAINS·STEPS·rounds operations, in CHAINS independent chains that hide each
// other's latency. A dot product of four pairs of bytes, together with the addition of its result,
// counts as eight operations. A chain computes x ← x + x·w, where x·w is the dot product of the
// four bytes of x and the four bytes of w.
//
// Grid: any number of workgroups in x; the buffer `sums` needs LOCAL_SIZE elements for each.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_integer_dot_product : require

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
layout(constant_id = 1) const uint CHAINS = 8;
layout(constant_id = 2) const uint STEPS = 16;

layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Ints { int at[]; };

layout(push_constant, scalar) uniform Push {
	Ints sums;
	uint rounds;
} p;

void main() {
	int at = int(gl_GlobalInvocationID.x);
	int x[CHAINS];
	[[unroll]] for (uint c = 0; c < CHAINS; c++) x[c] = at * 0x9e3779b + int(c) * 0x85ebca7;
	int w = at * 0x27d4eb3 | 0x01010101;
	[[dont_unroll]] for (uint r = 0; r < p.rounds; r++) {
		[[unroll]] for (uint s = 0; s < STEPS; s++) {
			[[unroll]] for (uint c = 0; c < CHAINS; c++) x[c] += dotPacked4x8EXT(x[c], w);
		}
	}
	int sum = 0;
	[[unroll]] for (uint c = 0; c < CHAINS; c++) sum += x[c];
	p.sums.at[at] = sum;
}
