// float64 only
//
// stemr_sums adds up vectors with random signs. From the sums the host checks whether the vectors
// are orthonormal, and whether they are eigenvectors.
//
// in:  x       m×n: component r of vector c at c + r·ldx
//      lambda  m elements: the eigenvalue of each vector
// out: sums    at (2·s)·n + r: Σ_c ±x(c, r);  at (2·s+1)·n + r: Σ_c ±lambda[c]·x(c, r), for each
//              sample s, 0 ≤ s < 4
//
// The sign of a term depends only on the vector c and the sample s. The function Negative of
// package mrrr in stages/tridiag gives the same signs. The order of the sums depends on LOCAL_SIZE
// alone. A NaN in component r makes the sums of component r NaN. sums must not overlap the inputs.
//
// Grid: one workgroup per component r, in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "numerics_f64.glsl"
#include "index.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
#include "reduce.glsl"

layout(push_constant, scalar) uniform Push {
	MatrixIn x, lambda;
	MatrixOut sums;
	// n is the length of a vector, and m the number of vectors. The leading dimension ldx is at
	// least m.
	uint n, m, ldx;
} p;

// SAMPLES is the number of samples. A sample is one choice of the signs, and has one sum with the
// factors `lambda` and one without.
#pragma host SAMPLES
const uint SAMPLES = 4;

// sign_of tells whether vector c has a minus sign in the sums of sample s.
bool sign_of(uint c, uint s) {
	uint x = (c + 1) * 0x9e3779b9u ^ (s + 1) * 0x85ebca6bu;
	x = (x ^ x >> 16) * 0x7feb352du;
	x = (x ^ x >> 15) * 0x846ca68bu;
	return ((x ^ x >> 16) & 1) != 0;
}

void main() {
	uint r = workgroup();
	if (r >= p.n) return;
	MatrixIn row = MatrixIn(element(uint64_t(p.x), 0, r, p.ldx));
	acc_t sum[SAMPLES], weighted[SAMPLES];
	[[unroll]] for (uint s = 0; s < SAMPLES; s++) {
		sum[s] = 0;
		weighted[s] = 0;
	}
	for (uint c = gl_LocalInvocationIndex; c < p.m; c += LOCAL_SIZE) {
		work_t x = row.at[c], lx = p.lambda.at[c] * x;
		[[unroll]] for (uint s = 0; s < SAMPLES; s++) {
			bool minus = sign_of(c, s);
			sum[s] += minus ? -x : x;
			weighted[s] += minus ? -lx : lx;
		}
	}
	[[unroll]] for (uint s = 0; s < SAMPLES; s++) {
		acc_t a = group_sum(sum[s]);
		acc_t b = group_sum(weighted[s]);
		if (gl_LocalInvocationIndex == 0) {
			p.sums.at[(2 * s) * p.n + r] = a;
			p.sums.at[(2 * s + 1) * p.n + r] = b;
		}
	}
}
