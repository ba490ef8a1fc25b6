// random_trapezoid makes reflectors H = I − τ·v·vᵀ from random vectors v. It stores them as a band
// reduction stores its reflectors.
//
// out: y    n×n; column j has zeros above row j + b, a one in row j + b, and random numbers,
//           uniform in [−1, 1), below row j + b
//      tau  n factors τ = 2/‖v‖², so that H is orthogonal; 0 for a vector of one element or none
//
// y and tau must not overlap.
//
// Grid: one workgroup per column, in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "random.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
#include "reduce.glsl"

layout(push_constant, scalar) uniform Push {
	MatrixOut y, tau;
	// n and b are at least 1, and ld is at least n. `seed` selects the random numbers, and may have
	// any value.
	uint n, b, ld, seed;
} p;

void main() {
	uint j = workgroup(), head = j + p.b;
	if (j >= p.n) return;
	MatrixOut y = MatrixOut(element(uint64_t(p.y), 0, j, p.ld));
	acc_t sum = 0;
	for (uint i = gl_LocalInvocationIndex; i < p.n; i += LOCAL_SIZE) {
		work_t x = i < head ? real_t(0) : i == head ? real_t(1) : uniform_at(i, j, p.seed);
		y.at[i] = x;
		sum += x * x;
	}
	sum = group_sum(sum);
	if (gl_LocalInvocationIndex == 0) p.tau.at[j] = head + 1 < p.n ? real_t(2) / sum : real_t(0);
}
