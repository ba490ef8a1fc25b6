// refsyev_values computes the Rayleigh quotients of nearly orthonormal vectors, λᵢ = sᵢᵢ/gᵢᵢ.
//
// complex
//
// in:  s, g     n×n: S = XᴴAX and G = XᴴBX (pairs.glsl), of which the diagonals are read
// out: lambda   n elements
//
// A NaN in a diagonal makes its quotient NaN.
//
// Grid: one invocation per vector, in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "pairs.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	MatrixIn s, g;
	ValuesOut lambda;
	// n is the order of the matrices S and G (pairs.glsl). The leading dimensions lds and ldg are
	// at least n.
	uint n, lds, ldg;
} p;

void main() {
	uint i = workgroup() * LOCAL_SIZE + gl_LocalInvocationIndex;
	if (i >= p.n) return;
	real_t s = real_of(MatrixIn(element(uint64_t(p.s), i, i, p.lds)).at[0]);
	real_t g = real_of(MatrixIn(element(uint64_t(p.g), i, i, p.ldg)).at[0]);
	p.lambda.at[i] = of_real(s / g);
}
