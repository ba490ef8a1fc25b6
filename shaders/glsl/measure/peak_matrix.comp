// peak_matrix multiplies bytes on matrix units and does nothing else, to measure the rate of the
// device.
//
// out: sums  one number per invocation, so that a compiler cannot remove the work
//
// float64 only
//
// A subgroup does 2·FRAG_M·FRAG_N·FRAG_K·CHAINS·STEPS·rounds operations, in CHAINS independent
// chains that hide each other's latency. A chain computes C ← C + A·B, modulo 2³². A and B hold
// bytes that look random. A is FRAG_M×FRAG_K, and B is FRAG_K×FRAG_N.
//
// Grid: any number of workgroups in x; the buffer `sums` needs LOCAL_SIZE elements for each.
// LOCAL_SIZE is a multiple of the size of a subgroup.
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_cooperative_matrix : require

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
layout(constant_id = 1) const uint CHAINS = 8;
layout(constant_id = 2) const uint STEPS = 8;
// FRAG_M, FRAG_N and FRAG_K are the shape of the device's matrix units.
layout(constant_id = 3) const uint FRAG_M = 16;
layout(constant_id = 4) const uint FRAG_N = 16;
layout(constant_id = 5) const uint FRAG_K = 32;

layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Ints { int at[]; };

layout(push_constant, scalar) uniform Push {
	Ints sums;
	uint rounds;
} p;

void main() {
	uint at = gl_GlobalInvocationID.x;
	coopmat<int8_t, gl_ScopeSubgroup, FRAG_M, FRAG_K, gl_MatrixUseA> a;
	coopmat<int8_t, gl_ScopeSubgroup, FRAG_K, FRAG_N, gl_MatrixUseB> b;
	for (uint i = 0; i < a.length(); i++) a[i] = int8_t((at + 7 * i) * 0x9e3779b1u >> 24);
	for (uint i = 0; i < b.length(); i++) b[i] = int8_t((at + 5 * i) * 0x85ebca77u >> 24);
	coopmat<int, gl_ScopeSubgroup, FRAG_M, FRAG_N, gl_MatrixUseAccumulator> c[CHAINS];
	[[unroll]] for (uint j = 0; j < CHAINS; j++)
		c[j] = coopmat<int, gl_ScopeSubgroup, FRAG_M, FRAG_N, gl_MatrixUseAccumulator>(int(j));
	[[dont_unroll]] for (uint r = 0; r < p.rounds; r++) {
		[[unroll]] for (uint s = 0; s < STEPS; s++) {
			[[unroll]] for (uint j = 0; j < CHAINS; j++) c[j] = coopMatMulAdd(a, b, c[j]);
		}
	}
	int sum = 0;
	[[unroll]] for (uint j = 0; j < CHAINS; j++) {
		for (uint i = 0; i < c[j].length(); i++) sum += c[j][i];
	}
	p.sums.at[at] = sum;
}
