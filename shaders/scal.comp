// scal computes x ← α·x (LAPACK's dscal).
//
// in, out: x  n elements
//
// One invocation an element. Workgroups: x and y, folded.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "index.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	MatrixInOut x;
	double alpha;
	uint64_t n;
} p;

void main() {
	uint64_t i = uint64_t(workgroup()) * LOCAL_SIZE + gl_LocalInvocationIndex;
	if (i >= p.n) return;
	MatrixInOut x = MatrixInOut(element(uint64_t(p.x), i, 0, 0));
	x.at[0] = real_t(p.alpha * x.at[0]);
}
