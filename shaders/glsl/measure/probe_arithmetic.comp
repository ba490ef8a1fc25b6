// probe_arithmetic computes quotients and square roots in double precision, so that the host can
// measure their errors.
//
// in:  operands  triples x, y, z
// out: results   pairs x/y, √z
//
// Vulkan guarantees little accuracy for double-precision division and square root. Any operands are
// allowed. results must not overlap operands. A NaN operand gives a NaN result.
//
// Grid: one invocation per triple, in x.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_float64 : require

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Operands { double at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer Results { double at[]; };

layout(push_constant, scalar) uniform Push {
	Operands operands;
	Results results;
	uint triples;
} p;

void main() {
	uint i = gl_GlobalInvocationID.x;
	if (i >= p.triples) return;
	p.results.at[2 * i] = p.operands.at[3 * i] / p.operands.at[3 * i + 1];
	p.results.at[2 * i + 1] = sqrt(p.operands.at[3 * i + 2]);
}
