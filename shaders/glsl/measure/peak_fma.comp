// peak_fma does fused multiply-adds in registers and nothing else, to measure the rate of the
// device for its number type.
//
// out: sums  one number per invocation, so that a compiler cannot remove the work
//
// An invocation does 2·CHAINS·STEPS·rounds flops, in CHAINS independent chains that hide each
// other's latency. A chain computes x ← x² − 1.9. This sequence is chaotic and stays within ±2, so
// the bits of x look random. Arithmetic on such operands draws as much power as arithmetic on real
// data.
//
// Grid: any number of workgroups in x; the buffer `sums` needs LOCAL_SIZE elements for each.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "random.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
layout(constant_id = 1) const uint CHAINS = 8;
layout(constant_id = 2) const uint STEPS = 16;

layout(push_constant, scalar) uniform Push {
	MatrixOut sums;
	uint rounds;
} p;

void main() {
	uint at = gl_GlobalInvocationID.x;
	work_t x[CHAINS];
	[[unroll]] for (uint c = 0; c < CHAINS; c++) x[c] = uniform_at(at, c, 0);
	[[dont_unroll]] for (uint r = 0; r < p.rounds; r++) {
		[[unroll]] for (uint s = 0; s < STEPS; s++) {
			[[unroll]] for (uint c = 0; c < CHAINS; c++) x[c] = fma(x[c], x[c], work_t(-1.9lf));
		}
	}
	acc_t sum = 0;
	[[unroll]] for (uint c = 0; c < CHAINS; c++) sum += x[c];
	p.sums.at[at] = sum;
}
